"""Session Query: the vocabulary over the live-preferred logical corpus.

Provisional until the session-query service is complete. Two names, `SessionSearchHit` and `SessionSearchPage`, also
exist in `contract.search`, where they belong to Session Search: the module tells them apart. What exact reads return
is in `contract.query_reads`; who holds running sessions, in `contract.live`.

`created_at` here is the header's (UTC microseconds); event times are UTC milliseconds. Ranges are inclusive, either
bound optional. Filters in an array are ANDed, values inside one clause ORed; an empty value list matches nothing, an
empty array everything.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar, runtime_checkable

import msgspec

from .query_reads import (
    EventTrace,
    LineageTrace,
    OmittedSession,
    SessionAvailability,
    SessionEventRecord,
    SessionEventSurface,
    SessionEventWindow,
    SessionLog,
    SessionRecord,
    SessionRecords,
    SurfaceRead,
    TitleSettlement,
)
from .records import AccessScope, SessionHeader
from .search import CoverageState
from .values import Input, Value

SessionSearchCursor = str
"""Opaque; bound to query, filters and limit. Stale when the corpus it stands on changed under it."""

READ_WINDOW_MAX = 50
"""Most neighbours on either side of a bounded event read."""

T = TypeVar("T")


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
    """Items and where to go on. `omitted` names sessions that could not be read; `coverage` says what was reached."""

    items: tuple[T, ...]
    next_cursor: SessionSearchCursor | None = None
    omitted: tuple[OmittedSession, ...] = ()
    coverage: CoverageState = "complete"


class SessionEventSearchPage(SessionSearchPage[SessionEventSearchHit], frozen=True, kw_only=True):
    """Hits of one session. `session` is there with no hit too, of the generation that was searched."""

    session: SessionHeader


class SessionEventReadRequest(Input, frozen=True, kw_only=True):
    """One event and up to `READ_WINDOW_MAX` neighbours on either side."""

    session_id: str
    seq: int
    before: int = 0
    after: int = 0


class AbortSignal(Protocol):
    """How a caller stops a query without cancelling its task; an `asyncio.Event` is one."""

    def is_set(self) -> bool:
        """Whether the caller wants no answer any more."""
        ...

    async def wait(self) -> bool:
        """Return when it is set."""
        ...


class EventSearchCapabilities(Value, frozen=True, kw_only=True):
    """What an event search covers. Text of a tool result beyond `tool_result_bytes` is found by `TextFilter` only."""

    provider: str
    max_page_size: int = 100
    max_query_bytes: int = 4096
    tool_result_bytes: int | None = None


@runtime_checkable
class SessionEventSearchProvider(Protocol):
    """Full-text search over events, the optional half of session query.

    An object may be a `contract.search.SessionSearchProvider` as well: no operation shares a name. Raises
    SessionQueryError; a cursor of other bindings is SESSION_QUERY_INVALID_CURSOR, one whose corpus changed under it
    SESSION_QUERY_STALE_CURSOR.
    """

    def event_capabilities(self) -> EventSearchCapabilities:
        """What this provider covers; constant while it is open."""
        ...

    async def search_sessions(
        self, scope: AccessScope, request: SessionSearchRequest, *, abort: AbortSignal | None = None
    ) -> SessionSearchPage[SessionSearchHit]:
        """Sessions by strongest matching event."""
        ...

    async def search_events(
        self, scope: AccessScope, request: SessionEventSearchRequest, *, abort: AbortSignal | None = None
    ) -> SessionEventSearchPage:
        """Matching events of one session."""
        ...


@runtime_checkable
class SessionQuery(Protocol):
    """Exact reads, filters and search over running and stored sessions; the running copy wins.

    Holds no authority: the scope is the caller's; the store and `LiveSessions` apply it. Requests are copied before the
    first await, results are detached. Raises SessionQueryError: SESSION_QUERY_SESSION_NOT_FOUND outside the scope too,
    SESSION_QUERY_PERSISTENCE_FAILED for a store that cannot be read (`reason` `corrupt` for a damaged log),
    SESSION_QUERY_SOURCE_CONFLICT where the running and the stored header contradict each other. A broken store does
    not touch a session that is known to run. Requests are validated before anything is read. With `abort` set, started
    work is awaited and SESSION_QUERY_ABORTED raised; a cancelled task ends with CancelledError as ever.

    One bad session never fails `list_sessions`, `filter_sessions` or a search: it is left out and named.
    """

    async def list_sessions(self, scope: AccessScope, *, abort: AbortSignal | None = None) -> SessionRecords:
        """Every session, newest created first, ties by id."""
        ...

    async def filter_sessions(
        self, scope: AccessScope, filters: Sequence[SessionResultFilter], *, abort: AbortSignal | None = None
    ) -> SessionRecords:
        """Matching sessions, in the order of `list_sessions`. SESSION_QUERY_INVALID_FILTER before any read."""
        ...

    async def read_session(
        self, scope: AccessScope, session_id: str, *, abort: AbortSignal | None = None
    ) -> SessionLog:
        """The whole log. Cost is the log's; for export and replay, not for a page."""
        ...

    async def list_events(
        self, scope: AccessScope, session_id: str, *, abort: AbortSignal | None = None
    ) -> tuple[SessionEventRecord, ...]:
        """The whole log as records, ascending by seq. SESSION_QUERY_INVALID_SURFACE when it does not fold."""
        ...

    async def filter_events(
        self,
        scope: AccessScope,
        session_id: str,
        filters: Sequence[SessionEventResultFilter],
        *,
        abort: AbortSignal | None = None,
    ) -> tuple[SessionEventSearchDocument, ...]:
        """Matching documents of one session, ascending by seq. SESSION_QUERY_INVALID_FILTER before any read."""
        ...

    async def read_event(
        self, scope: AccessScope, request: SessionEventReadRequest, *, abort: AbortSignal | None = None
    ) -> SessionEventWindow:
        """One event and its neighbours; the surface is not looked at.

        SESSION_QUERY_INVALID_WINDOW first, then SESSION_QUERY_SESSION_NOT_FOUND, then SESSION_QUERY_EVENT_NOT_FOUND.
        """
        ...

    async def read_surface(
        self, scope: AccessScope, session_id: str, *, abort: AbortSignal | None = None
    ) -> SurfaceRead:
        """The current surface, from one observation. SESSION_QUERY_INVALID_SURFACE when the log does not fold."""
        ...

    async def read_titles(
        self, scope: AccessScope, session_ids: Sequence[str], *, abort: AbortSignal | None = None
    ) -> tuple[TitleSettlement, ...]:
        """One settlement per id, in the order asked for, repeats included; one bad id does not fail the others."""
        ...

    async def trace_session(
        self, scope: AccessScope, session_id: str, *, abort: AbortSignal | None = None
    ) -> LineageTrace:
        """Ancestors and descendants, from one listing. SESSION_QUERY_INVALID_LINEAGE for a cycle through the target."""
        ...

    async def trace_event(
        self, scope: AccessScope, session_id: str, seq: int, *, abort: AbortSignal | None = None
    ) -> EventTrace:
        """What replaced an event, what it replaced, and what was derived from it; nothing transitive.

        SESSION_QUERY_EVENT_NOT_FOUND before SESSION_QUERY_INVALID_SURFACE.
        """
        ...

    async def search_sessions(
        self, scope: AccessScope, request: SessionSearchRequest, *, abort: AbortSignal | None = None
    ) -> SessionSearchPage[SessionSearchHit]:
        """Sessions by strongest matching event; SearchError `unsupported` where no event search is installed."""
        ...

    async def search_events(
        self, scope: AccessScope, request: SessionEventSearchRequest, *, abort: AbortSignal | None = None
    ) -> SessionEventSearchPage:
        """Matching events of one session; SearchError `unsupported` where no event search is installed."""
        ...


__all__ = [
    "READ_WINDOW_MAX",
    "AbortSignal",
    "AvailabilityFilter",
    "CreatedAtFilter",
    "CwdFilter",
    "EventSearchCapabilities",
    "IdFilter",
    "ParentFilter",
    "SeqFilter",
    "SessionEventMetadataFilter",
    "SessionEventReadRequest",
    "SessionEventResultFilter",
    "SessionEventSearchDocument",
    "SessionEventSearchHit",
    "SessionEventSearchPage",
    "SessionEventSearchProvider",
    "SessionEventSearchRequest",
    "SessionQuery",
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
