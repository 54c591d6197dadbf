"""Runs out of an imported log: a run is a turn, whose input is what the person typed.

A turn begins with `turn/start` and ends with `turn/end`. An import has no live owner, so a run is always in a terminal
state: a turn whose end the log does not hold is `completed` when the model had the last word (visible text that calls
no tool and was not interrupted), else `cancelled`. Its `revision` is 1 until its end was read, then 2, and later events
change nothing. Everything that decides the next row is in the row, so a log gives the same rows folded at once or in
pieces. Not for live runs: those are admitted and finalised through the store.
"""

from __future__ import annotations

import msgspec

from starweaver_host.contract.events import (
    AssistantMessage,
    Event,
    ImageBlock,
    NewEvent,
    TextBlock,
    ToolCall,
    ToolCallBlock,
    ToolResult,
    TurnEnd,
    TurnStart,
    UserMessage,
)
from starweaver_host.contract.records import (
    OUTPUT_PREVIEW_MAX,
    BinaryPart,
    InputPart,
    Run,
    RunStatus,
    TerminalError,
    TextPart,
)

from .display import HUMAN_SOURCES
from .text import decode_payload, visible_text

OPEN, ENDED = 1, 2
"""The revision of an imported run before and after its `turn/end` was read."""


_CANCELLED_REASONS = frozenset({"cancelled", "interrupted"})
_WORK_TYPES = frozenset({ToolCall.event_type, ToolResult.event_type})


class RunFold:
    """Folds the events of one session, in log order, into its runs. `last` is the session's newest run so far.

    Events without a run id, or of another run than the newest, change nothing; a log starts each run once.
    """

    def __init__(self, namespace_id: str, session_id: str, *, last: Run | None = None) -> None:
        self._namespace_id = namespace_id
        self._session_id = session_id
        self._run = last
        self._draft: _Draft | None = None
        self._changed: dict[str, Run] = {}

    @property
    def last(self) -> Run | None:
        """The newest run; what the fold goes on from."""
        self._settle()
        return self._run

    def apply(self, event: Event | NewEvent) -> None:
        """Take the next event."""
        if event.run_id is None:
            return
        if event.type == TurnStart.event_type:
            if self._run is None or self._run.run_id != event.run_id:
                self._settle()
                self._put(self._start(event, event.run_id))
        elif self._run is not None and self._run.run_id == event.run_id and self._run.revision == OPEN:
            if self._draft is None:
                self._draft = _Draft(self._run)
            self._draft.apply(event)
            if self._draft.revision == ENDED:
                self._settle()

    def take(self) -> tuple[Run, ...]:
        """Return the rows that changed since the last call, whole, by sequence."""
        self._settle()
        changed = tuple(self._changed.values())
        self._changed = {}
        return changed

    def _settle(self) -> None:
        """Make the row of what was gathered."""
        draft, self._draft = self._draft, None
        if draft is not None and draft.is_changed:
            self._put(draft.row())

    def _put(self, run: Run) -> None:
        self._run = self._changed[run.run_id] = run

    def _start(self, event: Event | NewEvent, run_id: str) -> Run:
        time = event.time * 1000
        return Run(
            namespace_id=self._namespace_id,
            session_id=self._session_id,
            run_id=run_id,
            sequence_no=1 if self._run is None else self._run.sequence_no + 1,
            status="cancelled",
            trigger="import",
            revision=OPEN,
            created_at=time,
            started_at=time,
            ended_at=time,
            updated_at=time,
        )


class _Draft:
    """An open run while its events arrive: a row per event would cost more than the events do."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._time = run.updated_at
        self._status = run.status
        self._input = run.input
        self._preview = run.output_preview
        self._error = run.terminal_error
        self.revision = run.revision
        self.is_changed = False

    def row(self) -> Run:
        """The run as it is now."""
        return msgspec.structs.replace(
            self._run,
            status=self._status,
            input=self._input,
            output_preview=self._preview,
            terminal_error=self._error,
            revision=self.revision,
            ended_at=self._time,
            updated_at=self._time,
        )

    def apply(self, event: Event | NewEvent) -> None:
        """Take the next event of the run."""
        if event.type in _WORK_TYPES:
            self._touch(event, "cancelled")
            return
        match decode_payload(event):
            case UserMessage() as message if message.source in HUMAN_SOURCES:
                self._touch(event, "cancelled")
                self._input = (*self._input, *_input_parts(message))
            case AssistantMessage() as message:
                text = visible_text(message)
                self._touch(event, _open_status(message, text))
                if text.strip():
                    self._preview = text[:OUTPUT_PREVIEW_MAX]
            case TurnEnd() as end:
                self._touch(event, _end_status(self._status, end))
                self._error = _end_error(self._status, end)
                self.revision = ENDED

    def _touch(self, event: Event | NewEvent, status: RunStatus) -> None:
        self._time = max(event.time * 1000, self._time)
        self._status = status
        self.is_changed = True


def _end_error(status: RunStatus, end: TurnEnd) -> TerminalError | None:
    if status != "failed":
        return None
    code = end.error_code or "failed"
    return TerminalError(code=code, message=end.error_message or code)


def _end_status(status: RunStatus, end: TurnEnd) -> RunStatus:
    if end.reason == "failed":
        return "failed"
    if end.reason in _CANCELLED_REASONS:
        return "cancelled"
    return status if end.reason == "unknown" else "completed"


def _open_status(message: AssistantMessage, text: str) -> RunStatus:
    calls = any(isinstance(block, ToolCallBlock) for block in message.content)
    return "completed" if text.strip() and not calls and not message.interrupted else "cancelled"


def _input_parts(message: UserMessage) -> list[InputPart]:
    parts: list[InputPart] = []
    for block in message.content:
        if isinstance(block, TextBlock) and block.text.strip():
            parts.append(TextPart(text=block.text))
        elif isinstance(block, ImageBlock):
            parts.append(BinaryPart(media_type=block.media_type, size_bytes=block.size_bytes))
    return parts


__all__ = ["ENDED", "OPEN", "RunFold"]
