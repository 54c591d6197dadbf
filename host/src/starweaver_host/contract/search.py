"""Session Search: query in, page of hits with provenance and coverage out.

A provider is optional and read-only. A hit is a discovery projection: not proof of existence, resumability or
authority. Fields are camelCase on the wire.
"""

from __future__ import annotations

from typing import Annotated, Literal, Protocol, get_args, runtime_checkable

import msgspec

from .corpus import SEARCH_SOURCES, SearchSource
from .records import AccessScope, SessionStatus
from .values import Input, Value

QueryMode = Literal["literal", "terms", "phrase", "prefix", "semantic"]
Granularity = Literal["session", "run", "occurrence"]
SortOrder = Literal["auto", "relevance", "updated_desc"]
FilterKind = Literal[
    "session_status",
    "run_status",
    "profile",
    "workspace",
    "created_time",
    "updated_time",
    "session_ids",
    "display_visibility",
    "agent",
    "role",
]
Consistency = Literal["read_through", "transactional_index", "eventual_index"]
CoverageState = Literal["complete", "partial", "eventually_consistent", "degraded"]
WarningKind = Literal[
    "missing_source", "malformed_source", "limit_reached", "unavailable_source", "unverified_source", "fallback"
]
Role = Literal["user", "assistant"]
Visibility = Literal["public", "diagnostic", "internal"]

QUERY_MODES: tuple[QueryMode, ...] = get_args(QueryMode)
GRANULARITIES: tuple[Granularity, ...] = get_args(Granularity)
SORT_ORDERS: tuple[SortOrder, ...] = get_args(SortOrder)
FILTER_KINDS: tuple[FilterKind, ...] = get_args(FilterKind)
COVERAGE_STATES: tuple[CoverageState, ...] = get_args(CoverageState)
WARNING_KINDS: tuple[WarningKind, ...] = get_args(WarningKind)

DEFAULT_POLICY = "local-user-visible-v1"
MAX_WARNINGS = 16
SNIPPET_MAX_BYTES = 320


class SessionSearchScope(Value, frozen=True, kw_only=True):
    """The authority of a search; built by the host, never decoded from input.

    `include_deleted` lets an explicit `deleted` status filter see tombstones.
    """

    namespace_id: str
    owner_id: str | None = None
    session_ids: frozenset[str] | None = None
    policy: str = DEFAULT_POLICY
    include_deleted: bool = False

    def access(self) -> AccessScope:
        """The store scope of this search."""
        return AccessScope(
            namespace_id=self.namespace_id,
            owner_id=self.owner_id,
            session_ids=self.session_ids,
            include_deleted=self.include_deleted,
        )

    def fingerprint(self) -> str:
        """A hash that differs whenever authority differs and reveals none of it."""
        ids = None if self.session_ids is None else sorted(self.session_ids)
        body = msgspec.json.encode([self.namespace_id, self.owner_id, ids, self.policy, self.include_deleted])
        import hashlib  # OpenSSL; most searches end on their first page

        return hashlib.sha256(b"starweaver.session-search.scope.v1\0" + body).hexdigest()


class SearchTimeRange(Input, frozen=True, kw_only=True):
    """UTC microseconds; `from` inclusive, `until` exclusive."""

    start: int | None = msgspec.field(name="from", default=None)
    until: int | None = None


class SessionSearchFilter(Input, frozen=True, kw_only=True):
    """Conditions, ANDed; values within a list ORed; an empty list is no constraint.

    `workspace` equals the id or label of the session's workspace; with a trailing `/` it selects by `cwd`, that
    directory and everything below. `agents` are importer names, `roles` who said the matching text.
    """

    status: tuple[SessionStatus, ...] = ()
    run_status: tuple[str, ...] = ()
    profile: str | None = None
    workspace: str | None = None
    created: SearchTimeRange | None = None
    updated: SearchTimeRange | None = None
    session_ids: tuple[str, ...] = ()
    display_visibilities: tuple[Visibility, ...] = ()
    agents: tuple[str, ...] = ()
    roles: tuple[Role, ...] = ()


class SessionSearchQuery(Input, frozen=True, kw_only=True):
    """One search. No `text` browses sessions newest first. No `sources` means the provider's defaults.

    `limit` counts hits. `cursor` continues a page of the same query. `fold_subagents` shows a hit in a subagent's
    session under its root session (the subagent stays in `location`).
    """

    text: str | None = msgspec.field(name="query", default=None)
    mode: QueryMode = "literal"
    filters: SessionSearchFilter = SessionSearchFilter()
    sources: tuple[SearchSource, ...] = ()
    granularity: Granularity = "session"
    sort: SortOrder = "auto"
    limit: Annotated[int, msgspec.Meta(ge=1)] = 20
    cursor: str | None = None
    fold_subagents: bool = False


class SearchCapabilities(Value, frozen=True, kw_only=True):
    """What a provider answers. `provider` is a stable kind and reveals no topology."""

    provider: str
    query_modes: tuple[QueryMode, ...]
    sources: tuple[SearchSource, ...] = SEARCH_SOURCES
    filters: tuple[FilterKind, ...] = FILTER_KINDS
    granularities: tuple[Granularity, ...] = GRANULARITIES
    sorts: tuple[SortOrder, ...] = SORT_ORDERS
    occurrence_locations: bool = True
    snippets: bool = True
    scores: bool = True
    freshness_watermarks: bool = False
    highlight_unit: Literal["codepoint"] = "codepoint"
    max_page_size: int = 100
    max_query_bytes: int = 4096
    consistency: Consistency = "read_through"


class Highlight(Value, frozen=True, kw_only=True):
    """Half-open range in Unicode code points of the snippet's text."""

    start: int
    end: int


class Snippet(Value, frozen=True, kw_only=True):
    """Plain text, at most 320 UTF-8 bytes, control and bidi-format characters replaced by spaces."""

    text: str
    highlights: tuple[Highlight, ...] = ()


class SessionSummary(Value, frozen=True, kw_only=True):
    """The session a hit belongs to, as far as it is shown. Times are UTC microseconds."""

    namespace_id: str
    session_id: str
    title: str | None = None
    status: SessionStatus
    profile: str | None = None
    workspace: str | None = None
    agent: str | None = None
    native_id: str | None = None
    cwd: str | None = None
    parent_session_id: str | None = None
    created_at: int
    updated_at: int
    run_status: str | None = None
    run_preview: str | None = None


class ReplayPosition(Value, frozen=True, kw_only=True):
    """Where a display message stands in its session's replay."""

    family: Literal["display"] = "display"
    scope: str
    sequence: int


class SearchLocation(Value, frozen=True, kw_only=True):
    """Where the text was found. The display fields are set on display hits only.

    `document_id` is `doc1.` and a hash: stable for one document of one store, and says nothing. `also_in` lists other
    sessions that share the message (forks and resumed copies).
    """

    session_id: str
    run_id: str | None = None
    source: SearchSource
    document_id: str
    archive_scope: str | None = None
    source_agent_id: str | None = None
    source_run_id: str | None = None
    display_sequence: int | None = None
    cursor: ReplayPosition | None = None
    also_in: tuple[str, ...] = ()


class SessionSearchHit(Value, frozen=True, kw_only=True):
    """One hit. `score` is in (0, 1] and comparable only within one query and generation; None when browsing."""

    session: SessionSummary
    run_id: str | None = None
    source: SearchSource
    location: SearchLocation
    snippet: Snippet | None = None
    score: float | None = None
    matched_at: int


class CoverageWarning(Value, frozen=True, kw_only=True):
    """A safe, fixed text about what was not reached; no path, id or content."""

    kind: WarningKind
    message: str


class SearchCoverage(Value, frozen=True, kw_only=True):
    """How much of the truth the page stands on. An empty page that is not `complete` is not "no matches"."""

    state: CoverageState
    searched_sources: tuple[SearchSource, ...] = ()
    unavailable_sources: tuple[SearchSource, ...] = ()
    indexed_through: str | None = None
    generation: str | None = None
    warnings: tuple[CoverageWarning, ...] = ()


class SessionSearchPage(Value, frozen=True, kw_only=True):
    """A page. `next_cursor` is null on the last page, and only there."""

    hits: tuple[SessionSearchHit, ...]
    next_cursor: str | None = None
    coverage: SearchCoverage


@runtime_checkable
class SessionSearchProvider(Protocol):
    """Finds sessions by what was said in them."""

    def capabilities(self) -> SearchCapabilities:
        """What this provider answers; constant while it is open."""
        ...

    async def search(self, scope: SessionSearchScope, query: SessionSearchQuery) -> SessionSearchPage:
        """Answer one query.

        Raises SearchError: `invalid_query` (bad limit, length, range), `invalid_cursor` (malformed, or bound to
        another query, scope, provider or generation), `unsupported` (mode, source, filter or granularity not
        advertised), `unavailable` (retry may help), `permission_denied`, `failed`. Bounds degrade coverage, they do
        not raise.
        """
        ...


__all__ = [
    "COVERAGE_STATES",
    "DEFAULT_POLICY",
    "FILTER_KINDS",
    "GRANULARITIES",
    "MAX_WARNINGS",
    "QUERY_MODES",
    "SNIPPET_MAX_BYTES",
    "SORT_ORDERS",
    "WARNING_KINDS",
    "Consistency",
    "CoverageState",
    "CoverageWarning",
    "FilterKind",
    "Granularity",
    "Highlight",
    "QueryMode",
    "ReplayPosition",
    "Role",
    "SearchCapabilities",
    "SearchCoverage",
    "SearchLocation",
    "SearchTimeRange",
    "SessionSearchFilter",
    "SessionSearchHit",
    "SessionSearchPage",
    "SessionSearchProvider",
    "SessionSearchQuery",
    "SessionSearchScope",
    "SessionSummary",
    "Snippet",
    "SortOrder",
    "Visibility",
    "WarningKind",
]
