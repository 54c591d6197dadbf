"""Keeps the matches a page can need while they arrive, and puts them in page order.

Memory is bounded by the window and the page, whatever matches. Knows the order (`search_order`) and the position a
page begins at, and nothing of where matches come from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from .search_cursor import SearchPosition
from .search_order import Match, OrderKey, Recency, before, group_hash, group_of, key_of
from .search_rules import SearchPlan

_EVERYTHING: Recency = (1 << 62, 0, "")
_NOTHING: Recency = (-(1 << 62), 0, "")
_SLACK = 64


class Ranked(msgspec.Struct, frozen=True, kw_only=True):
    """Best matches of their groups in page order, and the recency of the window's last document."""

    matches: tuple[tuple[OrderKey, Match], ...]
    floor: Recency


class MatchRanking:
    """Collects matches in any order; `rank` orders those that are final.

    A match is final when the scan can bring nothing newer: its time is above the scan's bound. `window` is how many
    of the newest matches relevance reorders; from the second page on the window is what lies at or above the first
    page's floor. `hidden_roots` are the roots that the scope does not show; to be known before a match is offered.
    """

    def __init__(self, plan: SearchPlan, start: SearchPosition | None, *, window: int) -> None:
        self._plan = plan
        self._start = start
        has_window = plan.order == "relevance" and not (start is not None and start.is_in_tail)
        self._window = window if has_window else 0
        self._capacity = self._window + plan.limit + 1
        self._shown = frozenset(start.shown) if start is not None else frozenset()
        self.hidden_roots: set[str] = set()
        self._kept: list[Match] = []
        self._newest: dict[str, int] = {}
        self._edge: int | None = None
        self._pending: int | None = None
        self._is_changed = True
        self._was_complete = False

    def __len__(self) -> int:
        return len(self._kept)

    def group(self, match: Match) -> str:
        """The group `match` would be shown in; where its root is hidden, nothing is folded under that."""
        if match.root_session_id in self.hidden_roots and self._plan.granularity == "session":
            return match.ref.session_id
        return group_of(match, self._plan.granularity, fold_subagents=self._plan.fold_subagents)

    def is_shown(self, group: str) -> bool:
        """Tell whether an earlier page showed `group`, as far as the cursor remembers."""
        return bool(self._shown) and group_hash(group) in self._shown

    def is_redundant(self, match: Match) -> bool:
        """Tell whether offering `match` cannot change the page: behind the window, its group kept with a newer one."""
        newest = self._newest.get(self.group(match))
        if newest is None or newest <= match.time:
            return False
        return self._window == 0 or (self._edge is not None and match.time < self._edge)

    def offer(self, match: Match) -> None:
        """Take a match of the page's search; in the tail it must lie past the page's start."""
        group = self.group(match)
        self._kept.append(match)
        self._newest[group] = max(match.time, self._newest.get(group, match.time))
        self._is_changed = True
        if len(self._kept) > 2 * self._capacity + _SLACK:
            self._compact()

    def is_complete(self, bound: int) -> bool:
        """Tell whether the page cannot change any more when everything newer than `bound` has been offered."""
        if len(self._newest) <= self._plan.limit:
            return False
        if self._is_changed or (self._pending is not None and bound < self._pending):
            self._was_complete = self._fills_page(bound)
        return self._was_complete

    def needs_more_than(self, count: int) -> bool:
        """Tell whether the window of a first page stays open even if `count` more matches are offered."""
        return self._start is None and len(self._kept) + count < self._window

    def rank(self, bound: int | None) -> Ranked:
        """Order the final matches (all when `bound` is None); the best of each group that lies past the start."""
        final = self._final(bound)
        floor = self._floor(final, bound)
        keyed = sorted((key_of(match, floor), index) for index, match in enumerate(final))
        best = self._best((key, final[index]) for key, index in keyed)
        return Ranked(matches=tuple(best), floor=floor)

    def _final(self, bound: int | None) -> list[Match]:
        """The final matches, newest first."""
        return sorted((m for m in self._kept if bound is None or m.time > bound), key=_recency)

    def _floor(self, final: list[Match], bound: int | None) -> Recency:
        if self._window == 0:
            return _NOTHING
        if self._start is not None:
            return self._start.floor
        if len(final) >= self._window:
            return final[self._window - 1].recency
        return _EVERYTHING if bound is None else before(bound)

    def _best(self, keyed: Iterable[tuple[OrderKey, Match]]) -> Iterator[tuple[OrderKey, Match]]:
        groups: set[str] = set()
        for key, match in keyed:
            group = self.group(match)
            if group in groups:
                continue
            groups.add(group)
            is_past = self._start is None or key > self._start.after
            if is_past and not self.is_shown(group):
                yield key, match

    def _fills_page(self, bound: int) -> bool:
        self._is_changed = False
        self._pending = max((m.time for m in self._kept if m.time <= bound), default=None)
        return self._has_window(bound) and len(self.rank(bound).matches) > self._plan.limit

    def _has_window(self, bound: int) -> bool:
        """Whether every document of the window is final."""
        if self._window == 0:
            return True
        if self._start is not None:
            return bound < -self._start.floor[0]
        return sum(m.time > bound for m in self._kept) >= self._window

    def _compact(self) -> None:
        """Keep the newest documents that can be in the window, and the newest of as many groups as can matter."""
        newest_first = sorted(self._kept, key=_recency)
        kept = newest_first[: self._window]
        groups = {self.group(match) for match in kept}
        most = len(groups) + self._capacity
        for match in newest_first[self._window :]:
            if len(groups) >= most:
                break
            if (group := self.group(match)) not in groups:
                groups.add(group)
                kept.append(match)
        self._edge = kept[self._window - 1].time if 0 < self._window <= len(kept) else None
        self._kept = kept
        self._newest = {}
        for match in kept:
            self._newest.setdefault(self.group(match), match.time)


def _recency(match: Match) -> Recency:
    return match.recency


__all__ = ["MatchRanking", "Ranked"]
