"""What the exact reads of Session Query return: records, windows, surfaces, titles and traces.

Provisional until the session-query service is complete. Every value is of one observation and detached from its
source. Creation times are UTC microseconds, event times UTC milliseconds.
"""

from __future__ import annotations

from typing import Literal

from .errors import SessionQueryErrorCode
from .events import Event
from .records import SessionHeader
from .values import Value

SessionEventSurface = Literal["current", "shadowed", "log-only"]
SessionAvailability = Literal["live", "persisted"]


class SessionRecord(Value, frozen=True, kw_only=True):
    """The listing value: live-preferred header, and where the session can be read from."""

    header: SessionHeader
    live: bool
    persisted: bool


class OmittedSession(Value, frozen=True, kw_only=True):
    """A session that was left out of a corpus-wide answer, and the error that reading it alone would raise."""

    session_id: str
    code: SessionQueryErrorCode
    message: str


class SessionRecords(Value, frozen=True, kw_only=True):
    """Sessions newest created first, ties by id, and those that had to be left out."""

    sessions: tuple[SessionRecord, ...]
    omitted: tuple[OmittedSession, ...] = ()


class SessionEventRecord(Value, frozen=True, kw_only=True):
    """A lightweight projection of one event."""

    session_id: str
    seq: int
    type: str
    time: int
    surface: SessionEventSurface


class SessionLog(Value, frozen=True, kw_only=True):
    """A whole log, ascending by seq."""

    session: SessionHeader
    events: tuple[Event, ...]


class SessionEventWindow(Value, frozen=True, kw_only=True):
    """The result of a bounded read; the window is clamped to the log, `start_seq` and `end_seq` are inclusive."""

    session: SessionHeader
    target: Event
    events: tuple[Event, ...]
    start_seq: int
    end_seq: int


class SurfaceRead(Value, frozen=True, kw_only=True):
    """The current surface in model order. `captured_through_seq` is the log's last seq, None for an empty log."""

    session: SessionHeader
    captured_through_seq: int | None
    events: tuple[Event, ...]


class TitleRead(Value, tag_field="status", tag="fulfilled", frozen=True, kw_only=True):
    """A title that was read; None for a session without one."""

    session_id: str
    session: SessionHeader
    title: str | None


class TitleFailed(Value, tag_field="status", tag="rejected", frozen=True, kw_only=True):
    """A title that could not be read, and the error that reading it alone would raise."""

    session_id: str
    code: SessionQueryErrorCode
    message: str


TitleSettlement = TitleRead | TitleFailed


class LineageDescendant(Value, frozen=True, kw_only=True):
    """A session below the target; `depth` is 1 for its children."""

    session: SessionRecord
    parent_session_id: str
    depth: int


class LineageTrace(Value, frozen=True, kw_only=True):
    """Where a session stands.

    `ancestors` are nearest first. `descendants` are the tree in pre-order, siblings by creation time ascending, then
    id: flat, so that no depth exhausts a stack. `complete` says that the chain of parents ends at a `root` (the target
    itself when it has none above); otherwise `root` is None and `unresolved_parent_id` names the parent that is absent
    or outside the scope.
    """

    target: SessionRecord
    ancestors: tuple[SessionRecord, ...] = ()
    descendants: tuple[LineageDescendant, ...] = ()
    complete: bool
    root: SessionRecord | None = None
    unresolved_parent_id: str | None = None


class EventTrace(Value, frozen=True, kw_only=True):
    """Where an event stands on the surface; all but `target` are seqs of the same log.

    `replaced_by` took it off the surface; `replacement_chain` follows from that one to the last. `replaced_event_seqs`
    are what it took off itself, in surface order, `source_event_seqs` as it recorded them, `derived_event_seqs` the
    later events that name it, in log order.
    """

    session: SessionHeader
    target: SessionEventRecord
    replaced_by: int | None = None
    replacement_chain: tuple[int, ...] = ()
    replaced_event_seqs: tuple[int, ...] = ()
    source_event_seqs: tuple[int, ...] = ()
    derived_event_seqs: tuple[int, ...] = ()


__all__ = [
    "EventTrace",
    "LineageDescendant",
    "LineageTrace",
    "OmittedSession",
    "SessionAvailability",
    "SessionEventRecord",
    "SessionEventSurface",
    "SessionEventWindow",
    "SessionLog",
    "SessionRecord",
    "SessionRecords",
    "SurfaceRead",
    "TitleFailed",
    "TitleRead",
    "TitleSettlement",
]
