"""What an agent may see of single events: found, read and traced, never with their payload.

Provisional until the agent tools are complete. Granted apart from the query handle. Text is what a replay would show:
visible message texts and terminal states. A tool event appears as name, status and size; reasoning, arguments, results
and native payloads do not appear, in snippets either.
"""

from __future__ import annotations

from typing import Literal, Protocol, runtime_checkable

from .agents import TRUST_LABEL, Page, SessionView, Trust
from .query_reads import SessionEventSurface
from .search import SearchCoverage, Snippet
from .values import Input, Value

EVENT_WINDOW_MAX = 20
"""Most neighbours on either side of an event that an agent reads."""


class ToolEventView(Value, frozen=True, kw_only=True):
    """A tool call or its result. `size_bytes` is that of the arguments or the result as the agent saw it."""

    name: str | None
    call_id: str | None = None
    status: Literal["called", "succeeded", "failed"]
    size_bytes: int


class EventView(Value, frozen=True, kw_only=True):
    """An event without its payload. `time` is UTC milliseconds; `text` is None where nothing of it is shown."""

    namespace_id: str
    session_id: str
    run_id: str | None = None
    seq: int
    type: str
    time: int
    surface: SessionEventSurface
    text: str | None = None
    tool: ToolEventView | None = None
    truncated: bool = False
    trust: Trust = TRUST_LABEL


class EventHitView(Value, frozen=True, kw_only=True):
    """A matching event; the snippet is of displayed text, and None where the match is not of any."""

    event: EventView
    session_title: str | None = None
    snippet: Snippet | None = None
    trust: Trust = TRUST_LABEL


class EventHitViews(Value, frozen=True, kw_only=True):
    """A page of hits, with the coverage it stands on."""

    hits: tuple[EventHitView, ...]
    next_page_token: str | None = None
    coverage: SearchCoverage


class EventWindowView(Value, frozen=True, kw_only=True):
    """An event between its neighbours, ascending by seq."""

    target: EventView
    events: tuple[EventView, ...]


class EventTraceView(Value, frozen=True, kw_only=True):
    """Where an event stands on its session's surface; seqs as in `query_reads.EventTrace`, at most a page of each."""

    target: EventView
    replaced_by: int | None = None
    replacement_chain: tuple[int, ...] = ()
    replaced_event_seqs: tuple[int, ...] = ()
    source_event_seqs: tuple[int, ...] = ()
    derived_event_seqs: tuple[int, ...] = ()
    truncated: tuple[str, ...] = ()


class LineageView(Value, frozen=True, kw_only=True):
    """Where a session stands: ancestors nearest first, then descendants in pre-order, at most a page of each.

    Relatives outside the scope do not appear, and the chain then is not `complete`.
    """

    target: SessionView
    ancestors: tuple[SessionView, ...] = ()
    descendants: tuple[SessionView, ...] = ()
    complete: bool
    truncated: tuple[str, ...] = ()


class EventSearchArguments(Input, frozen=True, kw_only=True):
    """What to find. Without a session: the strongest match of each session of the scope.

    `types` are event types; times are UTC milliseconds, both inclusive.
    """

    query: str
    session_id: str | None = None
    types: tuple[str, ...] = ()
    surfaces: tuple[SessionEventSurface, ...] = ()
    since: int | None = None
    until: int | None = None


@runtime_checkable
class AgentSessionEventHandle(Protocol):
    """Events under one scope. Raises AgentSessionError; what lies outside the scope is `not_found`."""

    async def search_session_events(self, arguments: EventSearchArguments, page: Page) -> EventHitViews:
        """Full-text search; `unsupported` where no event search is installed.

        Only displayed text decides, so that asking cannot find out what is not shown.
        """
        ...

    async def read_session_event(
        self, session_id: str, seq: int, *, before: int = 0, after: int = 0
    ) -> EventWindowView:
        """One event and up to EVENT_WINDOW_MAX neighbours on either side; more is `invalid_query`."""
        ...

    async def trace_session_event(self, session_id: str, seq: int) -> EventTraceView:
        """What replaced an event, what it replaced, and what was derived from it."""
        ...

    async def trace_session(self, session_id: str) -> LineageView:
        """The session's ancestors and descendants."""
        ...


__all__ = [
    "EVENT_WINDOW_MAX",
    "AgentSessionEventHandle",
    "EventHitView",
    "EventHitViews",
    "EventSearchArguments",
    "EventTraceView",
    "EventView",
    "EventWindowView",
    "LineageView",
    "ToolEventView",
]
