"""The provider `local`: answers a search by reading through the store, and keeps nothing between searches."""

from __future__ import annotations

from pathlib import Path

from starweaver_host.contract.corpus import CorpusQuery, StoreIdentity
from starweaver_host.contract.errors import SearchError, SearchErrorCode, StoreError
from starweaver_host.contract.registration import Clock, Offload
from starweaver_host.contract.search import (
    SearchCapabilities,
    SessionSearchHit,
    SessionSearchPage,
    SessionSearchQuery,
    SessionSearchScope,
)
from starweaver_host.contract.store import SessionStore
from starweaver_host.projection.casefold import FOLD_VERSION
from starweaver_host.projection.versions import PROJECTION_VERSION
from starweaver_host.services.cursors import CursorCodec
from starweaver_host.services.search_coverage import CoverageLog
from starweaver_host.services.search_cursor import SearchCursors, SearchPosition
from starweaver_host.services.search_order import Match
from starweaver_host.services.search_paging import PageWalk, RankedPage
from starweaver_host.services.search_reading import HitReader
from starweaver_host.services.search_rules import SearchPlan, plan_search

from .budget import ScanBudget
from .config import LocalSearchConfig
from .scan import CorpusScan

PROVIDER = "local"
_Answer = tuple[tuple[SessionSearchHit, ...], SearchPosition | None]
_LIMIT_REACHED = "the search stopped at a limit; the cursor goes on from there"
_REWRITTEN = "some sessions were rewritten after the first page; begin again to search them as they are now"
_STALE = "the stored search text was made by another version, and matches may be missing until it is rebuilt"
_MOVED = "more sessions changed meanwhile than a page can follow; begin again to see them"
_GROUP_CUT = "the search stopped at a limit while it looked at one session; that may be missing or be shown again"


class LocalSearchProvider:
    """Bounded literal search over any SessionStore; complete as of the moment a search's first page is read."""

    def __init__(
        self,
        store: SessionStore,
        config: LocalSearchConfig,
        *,
        clock: Clock,
        offload: Offload,
        display_root: Path | None = None,
    ) -> None:
        self._store = store
        self._config = config
        self._clock = clock
        self._offload = offload
        self._display_root = display_root
        self._known_cursors: SearchCursors | None = None
        self._is_stale = False
        self._capabilities = SearchCapabilities(
            provider=PROVIDER,
            query_modes=("literal",),
            max_page_size=config.max_page_size,
            max_query_bytes=config.max_query_bytes,
        )

    def capabilities(self) -> SearchCapabilities:
        """Literal search in every source, with every filter, granularity and sort."""
        return self._capabilities

    async def search(self, scope: SessionSearchScope, query: SessionSearchQuery) -> SessionSearchPage:
        """Answer one query; see the contract. A busy store is `unavailable`, any other store error `failed`.

        A cursor of a store that was set back before the cursor's position is `invalid_cursor`.
        """
        try:
            return await self._search(scope, plan_search(scope, query, capabilities=self._capabilities))
        except StoreError as error:
            raise SearchError(_search_code(error, query), error.message, hint=error.hint) from error

    async def _search(self, scope: SessionSearchScope, plan: SearchPlan) -> SessionSearchPage:
        cursors = await self._cursors()
        start = None if plan.cursor is None else cursors.decode(plan, scope.fingerprint(), plan.cursor)
        as_of = start.as_of if start is not None else await self._store.position(plan.access.namespace_id)
        coverage = CoverageLog(plan.sources, generation=cursors.generation)
        make = self._browse if plan.order == "browse" else self._matches
        hits, position = await make(plan, start, as_of, coverage)
        return SessionSearchPage(
            hits=hits,
            next_cursor=None if position is None else cursors.encode(plan, scope.fingerprint(), position),
            coverage=coverage.build(),
        )

    async def _browse(
        self, plan: SearchPlan, start: SearchPosition | None, as_of: str, coverage: CoverageLog
    ) -> _Answer:
        from starweaver_host.services.search_browse import Browse

        page = await Browse(self._store, plan, start=start, as_of=as_of, coverage=coverage).page()
        if page.is_cut:
            coverage.warn("limit_reached", _MOVED)
        return page.hits, page.next

    async def _matches(
        self, plan: SearchPlan, start: SearchPosition | None, as_of: str, coverage: CoverageLog
    ) -> _Answer:
        if not plan.sources:
            return (), None
        if start is not None and await self._store.rewritten(
            CorpusQuery(scope=plan.access, filter=plan.filter, as_of=as_of)
        ):
            coverage.warn("missing_source", _REWRITTEN)
        if self._is_stale:
            coverage.degraded(_STALE)
        budget = ScanBudget(self._config, self._clock)
        mirrored = await self._mirrored(plan, coverage, budget)
        scan = CorpusScan(self._store, plan, coverage=coverage, budget=budget, mirrored=mirrored)
        window = self._config.relevance_window
        walk = PageWalk(self._store, scan, plan, start=start, as_of=as_of, window=window, coverage=coverage)
        page = await walk.page(budget)
        if page.is_cut:
            coverage.warn("limit_reached", _LIMIT_REACHED)
        hits = await self._hits(plan, walk, page, coverage) if page.matches else ()
        if walk.is_short:
            coverage.warn("limit_reached", _GROUP_CUT)
        return hits, page.next

    async def _look_for_rewrites(self, plan: SearchPlan, as_of: str, coverage: CoverageLog) -> None:
        """Say so when the store no longer holds all that the first page saw."""
        if await self._store.rewritten(CorpusQuery(scope=plan.access, filter=plan.filter, as_of=as_of)):
            coverage.warn("missing_source", _REWRITTEN)

    async def _hits(
        self, plan: SearchPlan, walk: PageWalk, page: RankedPage, coverage: CoverageLog
    ) -> tuple[SessionSearchHit, ...]:
        from starweaver_host.services.search_hits import build_hits

        reader = HitReader(self._store, plan.access, coverage)
        return await build_hits(reader, plan, page.matches, others=walk.others, coverage=coverage)

    async def _mirrored(self, plan: SearchPlan, coverage: CoverageLog, budget: ScanBudget) -> list[Match]:
        """Matches of the display mirrors; nothing is imported or opened unless a root is configured."""
        if self._display_root is None or "display_message" not in plan.sources:
            return []
        from .mirror_scan import MirrorScan

        scan = MirrorScan(self._store, plan, self._config, coverage=coverage, budget=budget, offload=self._offload)
        return await scan.matches(self._display_root)

    async def _cursors(self) -> SearchCursors:
        """The cursor rules of this store; its key and identity are read once."""
        if self._known_cursors is None:
            identity = await self._store.identity()
            self._is_stale = (identity.fold_version, identity.projection_version) != (FOLD_VERSION, PROJECTION_VERSION)
            self._known_cursors = SearchCursors(
                codec=CursorCodec(await self._store.cursor_key()),
                provider=PROVIDER,
                generation=_generation(identity, has_mirrors=self._display_root is not None),
                window=self._config.relevance_window,
            )
        return self._known_cursors


def _generation(identity: StoreIdentity, *, has_mirrors: bool) -> str:
    """Derived from the store's versions and epoch and from what is searched, never from writes."""
    versions = f"{identity.schema_version}.{identity.fold_version}.{identity.projection_version}"
    return f"local-v1-{identity.epoch}-{versions}{'-mirrored' if has_mirrors else ''}"


def _search_code(error: StoreError, query: SessionSearchQuery) -> SearchErrorCode:
    if error.retryable:
        return "unavailable"
    return "invalid_cursor" if error.code == "invalid" and query.cursor is not None else "failed"


__all__ = ["PROVIDER", "LocalSearchProvider"]
