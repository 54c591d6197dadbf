"""Tool calls of OpenCode as payloads: call, result, list of todos, link to a subagent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from starweaver_host.contract.events import Payload, SubagentLink, Todo, TodoWrite, ToolCall
from starweaver_transcripts.emit import clean, tool_result

from .records import ErrorInfo, ToolState
from .spoken import SESSION_PREFIX

_RUNNING = frozenset({"pending", "running", "streaming"})
_FAILED = frozenset({"error", "failed"})
_CHILD_KEYS = ("sessionId", "sessionID")


def tool_payloads(call_id: str, name: str, state: ToolState, *, max_bytes: int) -> Iterator[Payload]:
    """The call, what it led to, and its result once there is one."""
    yield ToolCall(call_id=call_id, name=name, arguments=arguments_of(state.input))
    metadata = state.metadata if isinstance(state.metadata, dict) else {}
    child = next((metadata[key] for key in _CHILD_KEYS if isinstance(metadata.get(key), str)), None)
    if child is not None:
        yield SubagentLink(call_id=call_id, child_session_id=SESSION_PREFIX + clean(child))
    if state.status in _RUNNING:
        return
    if name == "todowrite":
        yield from _todos(state)
    failed = state.status in _FAILED
    text, images = _output(state, failed=failed)
    yield tool_result(call_id, text, max_bytes=max_bytes, name=name, is_error=failed, images=images)


def arguments_of(raw: msgspec.Raw) -> str:
    """The arguments as compact JSON; what is a string already is taken as it is."""
    if not len(raw):
        return "{}"
    if bytes(memoryview(raw)[:1]) == b'"':
        return clean(str(msgspec.json.decode(raw)))
    return clean(msgspec.json.format(raw, indent=-1).decode("utf-8", "replace"))


def text_of(value: Any) -> str:
    """The text of an output of whatever shape; JSON where it is a structure without a text of its own."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        for key in ("output", "text", "message"):
            if isinstance(value.get(key), str):
                return str(value[key])
    return msgspec.json.encode(value).decode()


def _output(state: ToolState, *, failed: bool) -> tuple[str, int]:
    images = sum(1 for each in state.attachments or [] if each.mime and each.mime.startswith("image/"))
    texts = []
    for block in state.content or []:
        if isinstance(block.get("text"), str):
            texts.append(block["text"])
        elif str(block.get("mime") or block.get("mediaType") or "").startswith("image/"):
            images += 1
    if failed and state.error is not None:
        texts.insert(0, _error_text(state.error))
    return "\n".join(texts) if texts else text_of(state.output), images


def _error_text(error: Any) -> str:
    if isinstance(error, dict):
        try:
            return msgspec.convert(error, ErrorInfo).text
        except msgspec.ValidationError:
            pass
    return text_of(error)


def _todos(state: ToolState) -> Iterator[TodoWrite]:
    try:
        found = msgspec.json.decode(state.input, type=_TodoInput)
    except msgspec.MsgspecError:
        return
    yield TodoWrite(todos=tuple(Todo(content=clean(each.content), status=clean(each.status)) for each in found.todos))


class _TodoLine(msgspec.Struct):
    content: str
    status: str = "pending"


class _TodoInput(msgspec.Struct):
    todos: list[_TodoLine]


__all__ = ["arguments_of", "text_of", "tool_payloads"]
