"""MemorySearchProvider: the reference search provider, as plain as the contract allows.

It answers from the brute-force oracle and keeps each search's answer in memory, so that its pages cannot move. It is
what the search suite is checked against; it is not made for large stores or for many searches.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import msgspec

from starweaver_host.contract.corpus import Attribution, DocumentRef
from starweaver_host.contract.errors import SearchError, StoreError
from starweaver_host.contract.records import Session
from starweaver_host.contract.registration import ProviderContext
from starweaver_host.contract.search import (
    SearchCapabilities,
    SessionSearchHit,
    SessionSearchPage,
    SessionSearchQuery,
    SessionSearchScope,
)
from starweaver_host.contract.store import SessionListQuery, SessionStore
from starweaver_host.services.cursors import CursorCodec, CursorInvalid
from starweaver_host.services.search_coverage import CoverageLog
from starweaver_host.services.search_hits import browse_hit, build_hits
from starweaver_host.services.search_order import Match, tail_key
from starweaver_host.services.search_reading import HitReader
from starweaver_host.services.search_rules import SearchPlan, plan_search

from .search_oracle import Expected, Spoken, expected_groups, owners_of, read_spoken

Answer = Sequence[Expected] | Sequence[Session]
"""Everything a search found: groups, or sessions when it browsed."""


class MemorySearchProvider:
    """Literal search over a store, by looking at every document."""

    def __init__(self, store: SessionStore) -> None:
        self.store = store
        self._answers: list[Answer] = []
        self._owners: dict[bytes, Attribution] = {}
        self._damaged: set[DocumentRef] = set()

    def capabilities(self) -> SearchCapabilities:
        """Everything, in mode literal."""
        return SearchCapabilities(provider="memory", query_modes=("literal",))

    async def search(self, scope: SessionSearchScope, query: SessionSearchQuery) -> SessionSearchPage:
        """Answer one query."""
        try:
            return await self._search(scope, query)
        except StoreError as error:
            raise SearchError("unavailable" if error.retryable else "failed", error.message) from error

    async def _search(self, scope: SessionSearchScope, query: SessionSearchQuery) -> SessionSearchPage:
        plan = self.plan(scope, query)
        binding = plan.fingerprint() + scope.fingerprint().encode()
        number, offset = await self.begin(plan, query, binding)
        answer = self._answers[number]
        page = answer[offset : offset + plan.limit]
        is_last = offset + plan.limit >= len(answer)
        coverage = CoverageLog(plan.sources, generation="memory-v1")
        coverage.malformed(*self._damaged)
        hits = [await self._hit(plan, each, coverage) for each in page]
        return SessionSearchPage(
            hits=tuple(hit for hit in hits if hit is not None),
            next_cursor=None if is_last else await self.seal(number, offset + plan.limit, binding),
            coverage=coverage.build(),
        )

    def plan(self, scope: SessionSearchScope, query: SessionSearchQuery) -> SearchPlan:
        """Check and normalise the query."""
        return plan_search(scope, query, capabilities=self.capabilities())

    async def begin(self, plan: SearchPlan, query: SessionSearchQuery, binding: bytes) -> tuple[int, int]:
        """The answer and the place in it that the query stands at."""
        if query.cursor is not None:
            return await self.unseal(query.cursor, binding)
        self._answers.append(await self.answer(plan, query))
        return len(self._answers) - 1, 0

    async def answer(self, plan: SearchPlan, query: SessionSearchQuery) -> Answer:
        """Everything the query finds now."""
        if plan.order == "browse":
            return await self._sessions(plan)
        spoken = await self.spoken(plan)
        self._owners = await owners_of(self.store, plan.access, spoken)
        return self.groups(spoken, query)

    async def spoken(self, plan: SearchPlan) -> list[Spoken]:
        """The documents that may be seen, without those that cannot be read."""
        found = await read_spoken(self.store, plan.access)
        reader = HitReader(self.store, plan.access, CoverageLog((), generation="memory-v1"))
        self._damaged = {each.ref for each in found if not each.text and await reader.is_damaged(each.ref)}
        return found

    def groups(self, spoken: Sequence[Spoken], query: SessionSearchQuery) -> Sequence[Expected]:
        """The groups in page order."""
        return expected_groups(spoken, query, self._owners)

    async def _sessions(self, plan: SearchPlan) -> list[Session]:
        sessions: list[Session] = []
        after: tuple[int, str] | None = None
        while True:
            query = SessionListQuery(filter=plan.filter, limit=100, after=after)
            page = await self.store.list_sessions(plan.access, query)
            sessions += page.sessions
            if (after := page.after) is None:
                return sessions

    async def _hit(self, plan: SearchPlan, found: Expected | Session, coverage: CoverageLog) -> SessionSearchHit | None:
        reader = HitReader(self.store, plan.access, coverage)
        if isinstance(found, Session):
            return self.dress(browse_hit(found, await reader.last_run(found.header.session_id)))
        matches = [self._match(document) for document in found.documents]

        async def others(_: Match) -> Sequence[Match]:
            return matches[1:]

        best = (tail_key(matches[0]), matches[0])
        hits = await build_hits(reader, plan, [best], others=others, coverage=coverage)
        return self.dress(hits[0]) if hits else None

    def _match(self, spoken: Spoken) -> Match:
        owner = self._owners.get(spoken.identity) if spoken.identity is not None else None
        return Match(
            ref=spoken.ref,
            root_session_id=spoken.session.root_session_id,
            time=spoken.time,
            also_in=owner.session_ids[1:] if owner is not None else (),
        )

    def dress(self, hit: SessionSearchHit) -> SessionSearchHit:
        """The hit as it is shown."""
        return hit

    async def seal(self, number: int, offset: int, binding: bytes) -> str:
        """The cursor of a place in an answer."""
        return CursorCodec(await self.store.cursor_key()).seal(msgspec.msgpack.encode((number, offset, binding)))

    async def unseal(self, cursor: str, binding: bytes) -> tuple[int, int]:
        """The place a cursor names, if it belongs to this search."""
        try:
            payload = CursorCodec(await self.store.cursor_key()).open(cursor)
        except CursorInvalid as error:
            raise SearchError("invalid_cursor", str(error)) from None
        number, offset, bound = msgspec.msgpack.decode(payload, type=tuple[int, int, bytes])
        if bound != binding or number >= len(self._answers):
            raise SearchError("invalid_cursor", "cursor belongs to another search")
        return number, offset


@asynccontextmanager
async def open_memory_search(context: ProviderContext) -> AsyncIterator[MemorySearchProvider]:
    """The reference provider over the context's store."""
    if context.store is None:
        raise SearchError("unavailable", "a search provider needs a store")
    yield MemorySearchProvider(context.store)


__all__ = ["Answer", "MemorySearchProvider", "open_memory_search"]
