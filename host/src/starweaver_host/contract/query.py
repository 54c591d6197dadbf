"""Seed 001's session query: the vocabulary over the live-preferred logical corpus.

Provisional until the session-query service is complete. Names are the seed's; two of them (`SessionSearchHit`,
`SessionSearchPage`) also exist in `contract.search` with seed 000's meaning: the module tells them apart.

`created_at` here is the header's (UTC microseconds); event times are UTC milliseconds. Ranges are inclusive, either
bound optional. Filters in an array are ANDed, values inside one clause ORed; an empty value list matches nothing, an
empty array everything.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, Literal, Protocol, TypeVar, runtime_checkable

import msgspec

from .events import Event
from .records import AccessScope, SessionHeader
from .values import Input, Value

SessionEventSurface = Literal["current", "shadowed", "log-only"]
SessionAvailability = Literal["live", "persisted"]
SessionSearchCursor = str
"""Opaque; bound to query, filters and limit. Stale when the corpus it stands on changed under it."""

READ_WINDOW_MAX = 50
"""Most neighbours on either side of a bounded event read."""

T = TypeVar("T")


class SessionRecord(Value, frozen=True, kw_only=True):
    """The listing value: live-preferred header, and where the session can be read from."""

    header: SessionHeader
    live: bool
    persisted: bool


class SessionEventRecord(Value, frozen=True, kw_only=True):
    """A lightweight projection of one event."""

    session_id: str
    seq: int
    type: str
    time: int
    surface: SessionEventSurface


class SessionEventSearchDocument(SessionEventRecord, frozen=True, kw_only=True):
    """An event with its semantic text."""

    text: str


class IdFilter(Input, frozen=True, kw_only=True, tag_field="kind", tag="id"):
    """Session id is one of `values`."""

    values: tuple[str, ...]


class CwdFilter(Input, frozen=True, kw_only=True, tag_field="kind", tag="cwd"):
    """Working directory is one of `values`; None stands for a session without one."""

    values: tuple[str | None, ...]


class CreatedAtFilter(Input, frozen=True, kw_only=True, tag_field="kind", tag="created-at"):
    """Creation time within the range."""

    start: float | None = msgspec.field(name="from", default=None)
    to: float | None = None


class ParentFilter(Input, frozen=True, kw_only=True, tag_field="kind", tag="parent"):
    """Parent is one of `values`; None selects root sessions."""

    values: tuple[str | None, ...]


class AvailabilityFilter(Input, frozen=True, kw_only=True, tag_field="kind", tag="availability"):
    """Any of the named availability flags is set."""

    values: tuple[SessionAvailability, ...]


SessionResultFilter = IdFilter | CwdFilter | CreatedAtFilter | ParentFilter | AvailabilityFilter


class SeqFilter(Input, frozen=True, kw_only=True, tag_field="kind", tag="seq"):
    """Seq within the range."""

    start: float | None = msgspec.field(name="from", default=None)
    to: float | None = None


class TimeFilter(Input, frozen=True, kw_only=True, tag_field="kind", tag="time"):
    """Event time within the range."""

    start: float | None = msgspec.field(name="from", default=None)
    to: float | None = None


class TypeFilter(Input, frozen=True, kw_only=True, tag_field="kind", tag="type"):
    """Event type is one of `values` (open vocabulary)."""

    values: tuple[str, ...]


class SurfaceFilter(Input, frozen=True, kw_only=True, tag_field="kind", tag="surface"):
    """Surface classification is one of `values`."""

    values: tuple[SessionEventSurface, ...]


class TextFilter(Input, frozen=True, kw_only=True, tag_field="kind", tag="text"):
    """Semantic text contains `text` under the one fold. Independent of full-text providers."""

    text: str


SessionEventMetadataFilter = SeqFilter | TimeFilter | TypeFilter | SurfaceFilter
SessionEventResultFilter = SessionEventMetadataFilter | TextFilter


class SessionSearchRequest(Input, frozen=True, kw_only=True):
    """Full-text search over the corpus, grouped by the strongest matching event of each session."""

    query: str
    session_filters: tuple[SessionResultFilter, ...] = ()
    event_filters: tuple[SessionEventMetadataFilter, ...] = ()
    limit: int | None = None
    cursor: SessionSearchCursor | None = None


class SessionEventSearchRequest(Input, frozen=True, kw_only=True):
    """Full-text search within one session."""

    session_id: str
    query: str
    filters: tuple[SessionEventMetadataFilter, ...] = ()
    limit: int | None = None
    cursor: SessionSearchCursor | None = None


class SessionEventSearchHit(SessionEventRecord, frozen=True, kw_only=True):
    """A matching event and a plain-text snippet."""

    snippet: str


class SessionSearchHit(SessionRecord, frozen=True, kw_only=True):
    """A session and its strongest match. `shared_with` lists sessions that inherited the same event."""

    best_match: SessionEventSearchHit
    shared_with: tuple[str, ...] = ()


class SessionSearchPage(Value, Generic[T], frozen=True, kw_only=True):
    """Items and where to go on. `omitted` names sessions that could not be read, with the reason."""

    items: tuple[T, ...]
    next_cursor: SessionSearchCursor | None = None
    omitted: tuple[tuple[str, str], ...] = ()


class SessionEventReadRequest(Input, frozen=True, kw_only=True):
    """One event and up to `READ_WINDOW_MAX` neighbours on either side."""

    session_id: str
    seq: int
    before: int = 0
    after: int = 0


class SessionEventWindow(Value, frozen=True, kw_only=True):
    """The result of a bounded read, from one observation; the window is clamped to the log."""

    session: SessionHeader
    target: Event
    events: tuple[Event, ...]
    start_seq: int
    end_seq: int


@runtime_checkable
class SessionEventSearchProvider(Protocol):
    """Full-text search over events, the optional half of session query."""

    async def search_sessions(
        self, scope: AccessScope, request: SessionSearchRequest
    ) -> SessionSearchPage[SessionSearchHit]:
        """Sessions by strongest matching event. Raises SessionQueryError."""
        ...

    async def search_events(
        self, scope: AccessScope, request: SessionEventSearchRequest
    ) -> SessionSearchPage[SessionEventSearchHit]:
        """Matching events of one session. Raises SessionQueryError."""
        ...


@runtime_checkable
class SessionQuery(Protocol):
    """Exact reads and filters. Holds no authority: the scope is the caller's, and the store applies it."""

    async def filter_sessions(
        self, scope: AccessScope, filters: Sequence[SessionResultFilter]
    ) -> tuple[SessionRecord, ...]:
        """Matching sessions, newest created first, ties by id."""
        ...

    async def filter_events(
        self, scope: AccessScope, session_id: str, filters: Sequence[SessionEventResultFilter]
    ) -> tuple[SessionEventSearchDocument, ...]:
        """Matching documents of one session, ascending by seq."""
        ...

    async def read_event(self, scope: AccessScope, request: SessionEventReadRequest) -> SessionEventWindow:
        """One event and its neighbours."""
        ...


__all__ = [
    "READ_WINDOW_MAX",
    "AvailabilityFilter",
    "CreatedAtFilter",
    "CwdFilter",
    "IdFilter",
    "ParentFilter",
    "SeqFilter",
    "SessionAvailability",
    "SessionEventMetadataFilter",
    "SessionEventReadRequest",
    "SessionEventRecord",
    "SessionEventResultFilter",
    "SessionEventSearchDocument",
    "SessionEventSearchHit",
    "SessionEventSearchProvider",
    "SessionEventSearchRequest",
    "SessionEventSurface",
    "SessionEventWindow",
    "SessionQuery",
    "SessionRecord",
    "SessionResultFilter",
    "SessionSearchCursor",
    "SessionSearchHit",
    "SessionSearchPage",
    "SessionSearchRequest",
    "SurfaceFilter",
    "TextFilter",
    "TimeFilter",
    "TypeFilter",
]
