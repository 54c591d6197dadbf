"""Protocol events of a rollout (`event_msg` records): typed prompts, shown texts, turns, errors, tool reports."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from starweaver_host.contract.events import StatusDetail, TitleChange

from . import values
from .items import Items, mcp_output, process_output
from .log import RolloutLog
from .messages import Messages
from .rows import Decoders, EventMsg, is_absent
from .tools import Tools
from .values import Content, Output

_INJECTED_KINDS = ("user_instructions", "environment_context")
_Reader = Callable[["Events", EventMsg, str], None]


class Events:
    """Reads protocol events. Unknown types, counters and deltas say nothing."""

    def __init__(self, log: RolloutLog, messages: Messages, tools: Tools, decoders: Decoders) -> None:
        self._log = log
        self._messages = messages
        self._tools = tools
        self._items = Items(messages, tools)
        self._decoders = decoders

    def read(self, event: EventMsg, fallback_id: str) -> None:
        """Read one event; `fallback_id` names a call whose writer gave it none. Raises ValueError for a bad item."""
        reader = self._READERS.get(event.type) if isinstance(event.type, str) else None
        if reader is not None:
            reader(self, event, fallback_id)

    def _user(self, event: EventMsg, _fallback: str) -> None:
        found = values.content(event.message)
        if event.kind in _INJECTED_KINDS or values.is_injected(found.text):
            return  # releases of 2025 report the context they put in as well
        given = (listed for listed in (event.images, event.local_images) if isinstance(listed, list))
        images = tuple(values.image(url) for listed in given for url in listed)
        if found.texts or images:
            self._messages.typed(Content(found.texts, images), "event", values.string(event.turn_id))

    def _agent(self, event: EventMsg, _fallback: str) -> None:
        self._messages.said(values.content(event.message), "event", values.string(event.turn_id))

    def _reasoning(self, event: EventMsg, _fallback: str) -> None:
        self._messages.thought(values.content(event.text).texts, "event")

    def _item(self, event: EventMsg, fallback: str) -> None:
        turn_id = values.string(event.turn_id)
        if not is_absent(event.item):
            self._items.read(self._decoders.item.decode(event.item), fallback, turn_id)

    def _task_started(self, event: EventMsg, _fallback: str) -> None:
        self._log.state.turn_id = values.string(event.turn_id) or self._log.state.turn_id
        self._log.announce_task()

    def _task_complete(self, event: EventMsg, _fallback: str) -> None:
        self._messages.settle()
        last = values.content(event.last_agent_message)
        if last.texts and self._log.is_open and not self._log.state.has_output:
            self._messages.said(last, "event", values.string(event.turn_id))
        self._log.finish()

    def _turn_aborted(self, _event: EventMsg, _fallback: str) -> None:
        self._messages.settle()
        self._log.finish("cancelled")

    def _turn_failed(self, event: EventMsg, fallback: str) -> None:
        self._error(event, fallback)
        self._log.finish()

    def _rolled_back(self, event: EventMsg, _fallback: str) -> None:
        self._messages.settle()
        if isinstance(event.num_turns, int):
            self._log.rewind(event.num_turns)

    def _error(self, event: EventMsg, _fallback: str) -> None:
        self._messages.settle()
        code, text = _error_of(event)
        self._log.add(StatusDetail(level="error", text=text))
        if self._log.is_open:
            self._log.state.error = (code, text)

    def _warning(self, event: EventMsg, _fallback: str) -> None:
        text = values.string(event.message)
        if text is not None:
            self._messages.settle()
            self._log.add(StatusDetail(level="warning", text=text))

    def _name(self, event: EventMsg, _fallback: str) -> None:
        name = values.string(event.thread_name)
        if name is not None:
            self._messages.settle()
            self._log.state.title = name
            self._log.add(TitleChange(title=name, source="source"))

    def _spawned(self, event: EventMsg, _fallback: str) -> None:
        child = values.string(event.new_thread_id)
        if child is not None:
            self._tools.started_agent(values.string(event.call_id), child)

    def _command(self, event: EventMsg, fallback: str) -> None:
        failed = event.exit_code not in (None, 0)
        found = process_output(event.aggregated_output, event.stdout, event.stderr, failed=failed)
        self._perform(event, fallback, "exec_command", {"command": event.command}, found)

    def _patch(self, event: EventMsg, fallback: str) -> None:
        found = process_output(None, event.stdout, event.stderr, failed=event.success is False)
        self._perform(event, fallback, "apply_patch", {"changes": event.changes}, found)

    def _mcp(self, event: EventMsg, fallback: str) -> None:
        called: dict[str, Any] = event.invocation if isinstance(event.invocation, dict) else {}
        names = (values.string(called.get("server")), values.string(called.get("tool")))
        name = ".".join(filter(None, names)) or "mcp"
        self._perform(event, fallback, name, called.get("arguments"), mcp_output(event.result, None))

    def _dynamic(self, event: EventMsg, fallback: str) -> None:
        found = values.content(event.content_items)
        answer = Output(found.text, len(found.images), event.success is False)
        self._perform(event, fallback, values.string(event.tool) or "dynamic", event.arguments, answer)

    def _search(self, event: EventMsg, fallback: str) -> None:
        self._perform(event, fallback, "web_search", {"query": event.query}, None)

    def _perform(self, event: EventMsg, fallback: str, name: str, arguments: Any, found: Output | None) -> None:
        call_id = values.string(event.call_id) or fallback
        self._tools.performed(call_id, name, values.json_text(arguments), found)

    _READERS: ClassVar[dict[str, _Reader]] = {
        "user_message": _user,
        "agent_message": _agent,
        "agent_reasoning": _reasoning,
        "item_completed": _item,
        "task_started": _task_started,
        "turn_started": _task_started,
        "task_complete": _task_complete,
        "turn_complete": _task_complete,
        "turn.completed": _task_complete,
        "turn_aborted": _turn_aborted,
        "turn.failed": _turn_failed,
        "thread_rolled_back": _rolled_back,
        "error": _error,
        "stream_error": _warning,
        "warning": _warning,
        "thread_name_updated": _name,
        "collab_agent_spawn_end": _spawned,
        "exec_command_end": _command,
        "patch_apply_end": _patch,
        "mcp_tool_call_end": _mcp,
        "dynamic_tool_call_response": _dynamic,
        "web_search_end": _search,
    }


def _error_of(event: EventMsg) -> tuple[str, str]:
    """(code, text) of an error: a text beside a kind, or an object that holds both."""
    held: dict[str, Any] = event.error if isinstance(event.error, dict) else {}
    text = values.string(event.message) or values.string(held.get("message")) or values.string(event.error)
    kind = event.codex_error_info if event.codex_error_info is not None else held.get("kind")
    if isinstance(kind, dict):
        kind = next(iter(kind), None)
    code = values.string(kind) or "error"
    return code, text or code


__all__ = ["Events"]
