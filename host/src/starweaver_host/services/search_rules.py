"""What every search provider checks before it touches storage, and the plan a valid query becomes.

Validation against the provider's capabilities, normalisation (fold of the needle, sources by role, sorted lists) and
the query's fingerprint. Not for how a plan is answered.
"""

from __future__ import annotations

from typing import Literal, TypeVar

import msgspec

from starweaver_host.contract.corpus import SEARCH_SOURCES, CorpusFilter, SearchSource, TimeRange
from starweaver_host.contract.errors import SearchError
from starweaver_host.contract.records import RUN_STATUSES, AccessScope
from starweaver_host.contract.search import (
    FilterKind,
    Granularity,
    Role,
    SearchCapabilities,
    SearchTimeRange,
    SessionSearchFilter,
    SessionSearchQuery,
    SessionSearchScope,
)
from starweaver_host.projection.casefold import WHITE_SPACE, fold_needle

T = TypeVar("T", bound=str)
PlanOrder = Literal["browse", "relevance", "updated_desc"]

ROLE_SOURCES: dict[Role, tuple[SearchSource, ...]] = {
    "user": ("run_input",),
    "assistant": ("run_output_preview", "display_message"),
}
"""Who said the text of a source; a title is said by nobody."""


class SearchPlan(msgspec.Struct, frozen=True, kw_only=True):
    """A valid, normalised query. `needle` is folded, and empty when browsing.

    `sources` are what the answer stands on, in the contract's order; `access` and `filter` go to the store as they
    are.
    """

    access: AccessScope
    filter: CorpusFilter
    needle: str
    mode: str
    sources: tuple[SearchSource, ...]
    granularity: Granularity
    order: PlanOrder
    limit: int
    fold_subagents: bool
    cursor: str | None

    def fingerprint(self) -> bytes:
        """A hash of what is asked for; page size, cursor, case and order of lists make no difference."""
        import hashlib  # OpenSSL; most searches end on their first page

        asked = [self.needle, self.mode, self.filter, self.sources, self.granularity, self.order, self.fold_subagents]
        body = ascii(msgspec.to_builtins(asked)).encode("ascii")
        return hashlib.sha256(b"starweaver.session-search.query.v1\0" + body).digest()


def plan_search(
    scope: SessionSearchScope, query: SessionSearchQuery, *, capabilities: SearchCapabilities
) -> SearchPlan:
    """Check `query` and normalise it.

    Raises SearchError `invalid_query` (limit, length, time range, run status) or `unsupported` (mode, source, filter,
    granularity or sort that is not advertised, or a visibility other than public).
    """
    _check_supported(query, capabilities)
    _check_limit(query.limit, capabilities.max_page_size)
    needle = fold_needle(_checked_text(query.text, capabilities.max_query_bytes))
    sources = _effective_sources(query, capabilities) if needle else ("session_metadata",)
    return SearchPlan(
        access=_access(scope, query.filters),
        filter=_corpus_filter(query, sources=sources, is_browse=not needle),
        needle=needle,
        mode=query.mode,
        sources=sources,
        granularity=query.granularity,
        order=_order(query, has_text=bool(needle)),
        limit=query.limit,
        fold_subagents=query.fold_subagents,
        cursor=query.cursor,
    )


def used_filters(filters: SessionSearchFilter) -> tuple[FilterKind, ...]:
    """The kinds of the filters that constrain something."""
    uses: dict[FilterKind, object] = {
        "session_status": filters.status,
        "run_status": filters.run_status,
        "profile": filters.profile is not None,
        "workspace": filters.workspace is not None,
        "created_time": filters.created,
        "updated_time": filters.updated,
        "session_ids": filters.session_ids,
        "display_visibility": filters.display_visibilities,
        "agent": filters.agents,
        "role": filters.roles,
    }
    return tuple(kind for kind, used in uses.items() if used)


def _check_supported(query: SessionSearchQuery, capabilities: SearchCapabilities) -> None:
    _require("mode", (query.mode,), capabilities.query_modes)
    _require("source", query.sources, capabilities.sources)
    _require("granularity", (query.granularity,), capabilities.granularities)
    _require("sort", (query.sort,), capabilities.sorts)
    _require("filter", used_filters(query.filters), capabilities.filters)
    _require("display visibility", query.filters.display_visibilities, ("public",))


def _require(what: str, wanted: tuple[str, ...], offered: tuple[str, ...]) -> None:
    for value in wanted:
        if value not in offered:
            choice = ", ".join(offered) or "none"
            raise SearchError("unsupported", f"{what} {value!r} is not supported", hint=f"choose from: {choice}")


def _check_limit(limit: int, most: int) -> None:
    if not 1 <= limit <= most:
        raise SearchError("invalid_query", f"limit must be between 1 and {most}, found {limit}")


def _checked_text(text: str | None, most: int) -> str:
    trimmed = (text or "").strip(WHITE_SPACE)
    size = len(trimmed.encode("utf-8", "surrogatepass"))
    if size > most:
        raise SearchError("invalid_query", f"query must have at most {most} bytes, found {size}")
    return trimmed


def _effective_sources(query: SessionSearchQuery, capabilities: SearchCapabilities) -> tuple[SearchSource, ...]:
    asked = query.sources or capabilities.sources
    said = {source for role in query.filters.roles for source in ROLE_SOURCES[role]}
    return tuple(s for s in SEARCH_SOURCES if s in asked and (s in said or not query.filters.roles))


def _access(scope: SessionSearchScope, filters: SessionSearchFilter) -> AccessScope:
    """The store's scope; tombstones only where they are asked for by name and allowed."""
    access = scope.access()
    wanted = access.include_deleted and "deleted" in filters.status
    return msgspec.structs.replace(access, include_deleted=wanted)


def _corpus_filter(query: SessionSearchQuery, *, sources: tuple[SearchSource, ...], is_browse: bool) -> CorpusFilter:
    filters = query.filters
    workspaces, cwd_prefix = _workspace(filters.workspace)
    return CorpusFilter(
        statuses=_sorted(filters.status),
        run_statuses=_run_statuses(filters.run_status),
        profiles=() if filters.profile is None else (filters.profile,),
        workspaces=workspaces,
        cwd_prefix=cwd_prefix,
        session_ids=_sorted(filters.session_ids),
        agents=_sorted(filters.agents),
        include_children=not (is_browse and query.fold_subagents),
        created=_time_range("created", filters.created),
        updated=_time_range("updated", filters.updated),
        sources=sources,
    )


def _sorted(values: tuple[T, ...]) -> tuple[T, ...]:
    return tuple(sorted(set(values)))


def _workspace(workspace: str | None) -> tuple[tuple[str, ...], str | None]:
    """An exact id or label, or a directory prefix when it ends in `/`."""
    if workspace is None:
        return (), None
    if workspace.endswith("/"):
        return (), workspace.rstrip("/") or "/"
    return (workspace,), None


def _run_statuses(values: tuple[str, ...]) -> tuple[str, ...]:
    for value in values:
        if value not in RUN_STATUSES:
            raise SearchError("invalid_query", f"run status must be one of {', '.join(RUN_STATUSES)}, found {value!r}")
    return _sorted(values)


def _time_range(name: str, given: SearchTimeRange | None) -> TimeRange:
    if given is None:
        return TimeRange()
    if given.start is not None and given.until is not None and given.start >= given.until:
        raise SearchError(
            "invalid_query", f"{name} range must begin before it ends, found {given.start} to {given.until}"
        )
    return TimeRange(start=given.start, until=given.until)


def _order(query: SessionSearchQuery, *, has_text: bool) -> PlanOrder:
    if not has_text:
        return "browse"
    return "updated_desc" if query.sort == "updated_desc" else "relevance"


__all__ = ["ROLE_SOURCES", "PlanOrder", "SearchPlan", "plan_search", "used_filters"]
