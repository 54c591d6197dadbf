"""Turns a stream of matches into one page: stops early, honours the budget, and never shows a group twice.

Shared by every provider: a provider brings a `MatchSource` (a scan, an index and its tail) and gets ranked matches and
the position of the next page. What a page emits was matching as of the first page's corpus position.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from contextlib import aclosing
from typing import Protocol

import msgspec

from starweaver_host.contract.store import SessionStore

from .search_coverage import CoverageLog
from .search_cursor import SHOWN_MAX, SearchPosition
from .search_order import TAIL, Match, OrderKey, Recency, before, group_hash, key_of
from .search_ranking import MatchRanking, Ranked
from .search_reading import HitReader
from .search_rules import SearchPlan

_VERIFY_GROUPS = 64
_OTHERS_MAX = 32


IsWanted = Callable[[Match], bool]
"""Tells from a match's document alone whether it can matter; `is_inside_word` need not be known yet."""


class MatchBatch(msgspec.Struct, frozen=True, kw_only=True):
    """A step of a stream: nothing from here on is newer than `newest`.

    `find` does the work: it returns the wanted matches, complete, and spends as little as it can on others.
    """

    newest: int
    find: Callable[[IsWanted], Iterable[Match]]


class MatchRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What to stream. `sessions` or `roots` narrow it; `older_than` leaves out documents of that time and newer."""

    as_of: str
    older_than: int | None = None
    sessions: tuple[str, ...] = ()
    roots: tuple[str, ...] = ()


class MatchSource(Protocol):
    """Where a provider's matches come from."""

    def stream(self, request: MatchRequest) -> AsyncGenerator[MatchBatch, None]:
        """Batches newest first, of documents the corpus held at `as_of`. Closing the generator frees it."""
        ...


class Budget(Protocol):
    """What a page may spend."""

    def is_spent(self) -> bool:
        """Tell whether the page should stop as soon as it can be continued from where it is."""
        ...


class RankedPage(msgspec.Struct, frozen=True, kw_only=True):
    """The matches to show, in order, and where the next page begins (None: this is the last)."""

    matches: tuple[tuple[OrderKey, Match], ...]
    next: SearchPosition | None
    is_cut: bool


class PageWalk:
    """One page's walk through a MatchSource.

    Past the window a group is shown where its newest match is; that no newer one was passed on an earlier page is
    known from the cursor, or, when it had to forget groups, looked up in that group's own documents.
    """

    def __init__(
        self,
        store: SessionStore,
        source: MatchSource,
        plan: SearchPlan,
        *,
        start: SearchPosition | None,
        as_of: str,
        window: int,
        coverage: CoverageLog,
    ) -> None:
        self._store = store
        self._coverage = coverage
        self._source = source
        self._plan = plan
        self._start = start
        self._as_of = as_of
        self._ranking = MatchRanking(plan, start, window=window)
        self._verdicts: dict[str, bool] = {}
        self._floor: Recency = before(0)
        self._looked_at_roots: set[str] = set()
        self._budget: Budget | None = None
        self._is_short = False

    async def page(self, budget: Budget) -> RankedPage:
        """Walk until the page is full, the budget is spent or the matches end.

        A spent budget ends the walk only below the point where it began, so that every page gets further than the
        one before, and never inside the window that the first page already read.
        """
        self._budget = budget
        bound, is_cut = await self._collect(budget)
        ranked = self._ranking.rank(bound)
        self._floor = ranked.floor
        shown = ranked.matches[: self._plan.limit]
        return RankedPage(matches=shown, next=self._next(ranked, bound, is_cut=is_cut), is_cut=is_cut)

    async def others(self, match: Match) -> tuple[Match, ...]:
        """Other matches of the group of `match`, best first, a bounded number: for when its text is gone.

        A corpus may show documents that were replaced after the first page's moment; a group is then shown by one
        that still stands.
        """
        if self._plan.granularity == "occurrence":
            return ()
        group = self._ranking.group(match)
        best: list[Match] = []
        async with aclosing(self._source.stream(self._group_request([match]))) as batches:
            async for batch in batches:
                same = batch.find(lambda m: self._ranking.group(m) == group and m.recency != match.recency)
                best = sorted(best + await self._owned(list(same)), key=lambda m: key_of(m, self._floor))[:_OTHERS_MAX]
                if self._must_stop():
                    break
        return tuple(best)

    @property
    def is_short(self) -> bool:
        """Whether the budget ended before a group could be looked at as a whole: it may be missed, or shown again."""
        return self._is_short

    def _must_stop(self) -> bool:
        """Tell whether looking at one group must end; at least one batch of it was looked at."""
        is_spent = self._budget is not None and self._budget.is_spent()
        self._is_short = self._is_short or is_spent
        return is_spent

    async def _collect(self, budget: Budget) -> tuple[int | None, bool]:
        """Offer matches to the ranking; returns the bound above which they are final and whether the budget cut it."""
        edge = self._edge()
        request = MatchRequest(as_of=self._as_of, older_than=self._older_than())
        waiting: list[Match] = []
        async with aclosing(self._source.stream(request)) as batches:
            async for batch in batches:
                if waiting and not self._ranking.needs_more_than(len(waiting)):
                    waiting = await self._settle(waiting)
                if self._ranking.is_complete(batch.newest):
                    return batch.newest, False
                edge = batch.newest if edge is None else edge
                if batch.newest < edge and budget.is_spent():
                    await self._settle(waiting)
                    return batch.newest, True
                waiting += batch.find(self._is_wanted)
        await self._settle(waiting)
        return None, False

    def _edge(self) -> int | None:
        """The time below which a page may end for want of budget; None: below its first batch."""
        if self._start is None:
            return None
        return -self._start.after[2] if self._start.is_in_tail else -self._start.floor[0]

    def _older_than(self) -> int | None:
        is_in_tail = self._start is not None and self._start.is_in_tail
        return 1 - self._start.after[2] if self._start is not None and is_in_tail else None

    async def _settle(self, found: Sequence[Match]) -> list[Match]:
        """Offer what was found, less copies of others' messages; answers with what then waits, nothing.

        Asks the store, so matches wait for this until they can decide whether the page is complete.
        """
        owned = await self._owned(found)
        await self._look_at_roots(owned)
        for match in await self._unseen(owned):
            self._ranking.offer(match)
        return []

    async def _look_at_roots(self, found: Sequence[Match]) -> None:
        """Find out which roots the scope does not show: what would be folded under them is shown for itself."""
        if not self._plan.fold_subagents:
            return
        roots = {match.root_session_id for match in found if match.root_session_id != match.ref.session_id}
        if fresh := sorted(roots - self._looked_at_roots):
            seen = await HitReader(self._store, self._plan.access, self._coverage).sessions(fresh)
            self._looked_at_roots.update(fresh)
            self._ranking.hidden_roots.update(root for root in fresh if root not in seen)

    def _is_wanted(self, match: Match) -> bool:
        if self._ranking.is_redundant(match):
            return False
        return self._is_past_start(match) and not self._is_tail_shown(match)

    def _is_past_start(self, match: Match) -> bool:
        start = self._start
        return start is None or not start.is_in_tail or match.recency > start.after[2:]

    def _is_tail_shown(self, match: Match) -> bool:
        is_in_tail = self._start is not None and self._start.is_in_tail
        return is_in_tail and self._ranking.is_shown(self._ranking.group(match))

    async def _owned(self, found: Sequence[Match]) -> list[Match]:
        """Leave out copies of messages that an earlier session owns; tell the owners who shares them."""
        identities = list({match.identity for match in found if match.identity is not None})
        if not identities:
            return list(found)
        shared = await self._store.attribute(self._plan.access, identities)
        owners = {entry.identity: entry for entry in shared}
        owned = []
        for match in found:
            entry = owners.get(match.identity) if match.identity is not None else None
            if entry is None:
                owned.append(match)
            elif entry.owner_session_id == match.ref.session_id:
                match.also_in = tuple(s for s in entry.session_ids if s != entry.owner_session_id)
                owned.append(match)
        return owned

    async def _unseen(self, found: list[Match]) -> list[Match]:
        """In the tail, leave out groups that have a match at or before the page's start."""
        start = self._start
        if start is None or not start.is_in_tail or start.shown_all or self._plan.granularity == "occurrence":
            return found
        fresh = {self._ranking.group(match): match for match in found}
        fresh = {group: match for group, match in fresh.items() if group not in self._verdicts}
        groups = list(fresh)
        for at in range(0, len(groups), _VERIFY_GROUPS):
            await self._look_up({group: fresh[group] for group in groups[at : at + _VERIFY_GROUPS]}, start)
        return [match for match in found if self._verdicts[self._ranking.group(match)]]

    async def _look_up(self, groups: dict[str, Match], start: SearchPosition) -> None:
        """Decide for each group whether its newest match lies past `start`."""
        self._verdicts.update(dict.fromkeys(groups, True))
        undecided = set(groups)

        def is_newer(match: Match) -> bool:
            return match.recency <= start.after[2:] and self._ranking.group(match) in undecided

        async with aclosing(self._source.stream(self._group_request(groups.values()))) as batches:
            async for batch in batches:
                if batch.newest < -start.after[2] or not undecided:
                    return
                for match in await self._owned(list(batch.find(is_newer))):
                    undecided.discard(group := self._ranking.group(match))
                    self._verdicts[group] = False
                if self._must_stop():
                    return

    def _group_request(self, matches: Iterable[Match]) -> MatchRequest:
        if self._plan.fold_subagents and self._plan.granularity == "session":
            return MatchRequest(as_of=self._as_of, roots=tuple({match.root_session_id for match in matches}))
        return MatchRequest(as_of=self._as_of, sessions=tuple({match.ref.session_id for match in matches}))

    def _next(self, ranked: Ranked, bound: int | None, *, is_cut: bool) -> SearchPosition | None:
        shown = ranked.matches[: self._plan.limit]
        if len(ranked.matches) > self._plan.limit:
            after = shown[-1][0]
        elif is_cut and bound is not None:
            after = (TAIL, 0, *before(bound))
        else:
            return None
        hashes = self._hashes(shown)
        is_forgetful = len(hashes) > SHOWN_MAX or (self._start is not None and not self._start.shown_all)
        return SearchPosition(
            as_of=self._as_of,
            after=after,
            floor=ranked.floor,
            shown=hashes[-SHOWN_MAX:],
            shown_all=not is_forgetful,
        )

    def _hashes(self, shown: Sequence[tuple[OrderKey, Match]]) -> tuple[bytes, ...]:
        """Hashes of the groups shown so far, latest last. Occurrences are documents and need no memory."""
        if self._plan.granularity == "occurrence":
            return ()
        earlier = self._start.shown if self._start is not None else ()
        return (*earlier, *(group_hash(self._ranking.group(match)) for _, match in shown))


__all__ = ["Budget", "IsWanted", "MatchBatch", "MatchRequest", "MatchSource", "PageWalk", "RankedPage"]
