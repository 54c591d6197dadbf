"""API items of a rollout (`response_item` records, and every line of the bare era): messages, reasoning, calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from . import values
from .messages import Messages
from .rows import ResponseItem
from .tools import Tools
from .values import Output

_Reader = Callable[["Responses", ResponseItem, str], None]


class Responses:
    """Reads API items into messages and tool calls. Unknown types say nothing."""

    def __init__(self, messages: Messages, tools: Tools) -> None:
        self._messages = messages
        self._tools = tools

    def read(self, item: ResponseItem, fallback_id: str) -> None:
        """Read one item; `fallback_id` names a call whose writer gave it none."""
        kind = item.type if isinstance(item.type, str) else "message" if item.role else None
        reader = self._READERS.get(kind or "")
        if reader is not None:
            reader(self, item, fallback_id)

    def _message(self, item: ResponseItem, _fallback: str) -> None:
        found = values.content(item.content if item.content is not None else item.message)
        if item.role == "user":
            self._messages.offered(found, _turn_id(item))
        elif item.role == "assistant":
            self._messages.said(found, "response", _turn_id(item))

    def _agent_message(self, item: ResponseItem, _fallback: str) -> None:
        self._messages.relayed(values.content(item.content))

    def _reasoning(self, item: ResponseItem, _fallback: str) -> None:
        self._messages.thought(values.content(item.summary).texts, "response")

    def _call(self, item: ResponseItem, fallback: str) -> None:
        call_id = values.string(item.call_id) or values.string(item.id) or fallback
        arguments = next((value for value in (item.arguments, item.input, item.action) if value is not None), None)
        self._tools.called(call_id, _tool_name(item), values.json_text(arguments))

    def _hosted_call(self, item: ResponseItem, fallback: str) -> None:
        """A call the service ran itself; an event may have reported it before."""
        call_id = values.string(item.call_id) or values.string(item.id) or fallback
        if not self._tools.is_reported(call_id):
            arguments = item.action if item.revised_prompt is None else {"prompt": item.revised_prompt}
            self._tools.called(call_id, _tool_name(item), values.json_text(arguments))

    def _output(self, item: ResponseItem, fallback: str) -> None:
        call_id = values.string(item.call_id) or fallback
        self._tools.answered(call_id, values.output(item.output))

    def _search_output(self, item: ResponseItem, fallback: str) -> None:
        call_id = values.string(item.call_id) or fallback
        self._tools.answered(call_id, Output(values.json_text(item.tools)))

    def _named_output(self, item: ResponseItem, fallback: str) -> None:
        """The earliest writers name the tool where later ones name the call."""
        name = values.string(item.name) or ""
        self._tools.answered(self._tools.open_call(name) or fallback, values.output(item.result))

    _READERS: ClassVar[dict[str, _Reader]] = {
        "message": _message,
        "agent_message": _agent_message,
        "reasoning": _reasoning,
        "function_call": _call,
        "custom_tool_call": _call,
        "local_shell_call": _call,
        "tool_search_call": _call,
        "web_search_call": _hosted_call,
        "image_generation_call": _hosted_call,
        "function_call_output": _output,
        "custom_tool_call_output": _output,
        "local_shell_call_output": _output,
        "tool_search_output": _search_output,
        "function_result": _named_output,
    }


def _tool_name(item: ResponseItem) -> str:
    function: Any = item.function.get("name") if isinstance(item.function, dict) else None
    name = values.string(item.name) or values.string(function)
    if name is None:
        return str(item.type).removesuffix("_call")
    namespace = values.string(item.namespace)
    return name if namespace is None else f"{namespace}.{name}"


def _turn_id(item: ResponseItem) -> str | None:
    for holder in (item.internal_chat_message_metadata_passthrough, item.metadata):
        if isinstance(holder, dict) and (found := values.string(holder.get("turn_id"))):
            return found
    return None


__all__ = ["Responses"]
