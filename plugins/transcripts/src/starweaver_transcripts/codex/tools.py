"""Tool calls of a rollout: API calls and their outputs, and calls that only an event or item reports.

A call that the API items hold is read from them, the event about it is a repetition; a call they do not hold is taken
whole from the event. Open calls are remembered within a bound.
"""

from __future__ import annotations

from starweaver_host.contract.events import SubagentLink, ToolCall
from starweaver_transcripts.emit import tool_result

from .log import RolloutLog
from .messages import Messages
from .places import SOURCE
from .values import Output

_OPEN_MAX = 64
_RECENT_MAX = 64


class Tools:
    """Writes the tool calls of one rollout into its log."""

    def __init__(self, log: RolloutLog, messages: Messages, *, max_bytes: int) -> None:
        self._log = log
        self._messages = messages
        self._max_bytes = max_bytes

    def called(self, call_id: str, name: str, arguments: str) -> None:
        """An API item calls a tool."""
        self._remember(call_id, name)
        self._write_call(call_id, name, arguments)

    def answered(self, call_id: str, found: Output) -> None:
        """An API item answers a call; the answer to one that an event reported whole is a repetition."""
        state = self._log.state
        name = state.calls.pop(call_id, None)
        if call_id in state.items and name is None:
            return
        self._note_answered(call_id)
        self._write_result(call_id, name, found)

    def performed(self, call_id: str, name: str, arguments: str, found: Output | None) -> None:
        """An event or item reports a whole call; `found` None when it does not say what came of it."""
        state = self._log.state
        if call_id in state.calls or call_id in state.items:
            return
        self._note_answered(call_id)
        self._write_call(call_id, name, arguments)
        if found is not None:
            self._write_result(call_id, name, found)

    def started_agent(self, call_id: str | None, thread_id: str) -> None:
        """A call became a session of its own; reported by its output and by an event, linked once."""
        children = self._log.state.children
        if thread_id in children:
            return
        self._messages.settle()
        self._log.state.children = [*children, thread_id][-_RECENT_MAX:]
        self._log.add(SubagentLink(call_id=call_id, child_session_id=f"{SOURCE}:{thread_id}"))

    def open_call(self, name: str) -> str | None:
        """The latest open call of a tool, for writers whose outputs name the tool instead of the call."""
        calls = self._log.state.calls
        return next((call_id for call_id in reversed(calls) if calls[call_id] == name), None)

    def is_open(self, call_id: str) -> bool:
        """Whether an API item made this call and nothing answered it yet."""
        return call_id in self._log.state.calls

    def is_reported(self, call_id: str) -> bool:
        """Whether an event or item reported this call whole, lately."""
        return call_id in self._log.state.items

    def _write_call(self, call_id: str, name: str, arguments: str) -> None:
        self._messages.called(call_id, name)
        self._log.add(ToolCall(call_id=call_id, name=name, arguments=arguments))

    def _write_result(self, call_id: str, name: str | None, found: Output) -> None:
        self._messages.settle()
        result = tool_result(
            call_id,
            found.text,
            max_bytes=self._max_bytes,
            name=name,
            is_error=found.is_error,
            images=found.images,
        )
        self._log.add_result(result)

    def _remember(self, call_id: str, name: str) -> None:
        calls = self._log.state.calls
        calls[call_id] = name
        if len(calls) > _OPEN_MAX:
            self._note_answered(next(iter(calls)))
            del calls[next(iter(calls))]

    def _note_answered(self, call_id: str) -> None:
        self._log.state.items = [*self._log.state.items, call_id][-_RECENT_MAX:]


__all__ = ["Tools"]
