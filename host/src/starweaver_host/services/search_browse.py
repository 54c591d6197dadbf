"""Browsing: a search without text lists sessions, newest first, with the same filters, cursors and page shape.

A session moves when it is written to, so pages after the first also look at what changed since: a session that moved
above the position before it was shown comes at the head of the next page, and none is shown twice; past SHOWN_MAX
sessions such a one may be missed, and the page says so. A session that is
imported meanwhile with an older time may join a later page.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from starweaver_host.contract.records import Run, Session
from starweaver_host.contract.search import SessionSearchHit
from starweaver_host.contract.store import PAGE_MAX, SessionListQuery, SessionStore

from .search_coverage import CoverageLog
from .search_cursor import SHOWN_MAX, SearchPosition
from .search_hits import browse_hit
from .search_order import TAIL, group_hash
from .search_reading import HitReader
from .search_rules import SearchPlan

CHANGED_MAX = 2000
"""Most changed sessions a page looks at."""


class BrowsePage(msgspec.Struct, frozen=True, kw_only=True):
    """Hits, where the next page begins, and whether sessions that changed may have been missed."""

    hits: tuple[SessionSearchHit, ...]
    next: SearchPosition | None
    is_cut: bool


class Browse:
    """One page of sessions.

    `floor` of its positions is the newest update time when the first page was read: what was created later is new.
    """

    def __init__(
        self,
        store: SessionStore,
        plan: SearchPlan,
        *,
        start: SearchPosition | None,
        as_of: str,
        coverage: CoverageLog,
    ) -> None:
        self._store = store
        self._reader = HitReader(store, plan.access, coverage)
        self._plan = plan
        self._start = start
        self._as_of = as_of
        self._newest = 0 if start is None else -start.floor[0]
        self._shown = frozenset(start.shown) if start is not None else frozenset()

    async def page(self) -> BrowsePage:
        """Read the page. Cost: the page, and what changed since the first one."""
        moved, is_cut = await self._moved()
        listed = await self._listed(self._plan.limit + 1)
        if self._start is None and listed:
            self._newest = listed[0].updated_at
        sessions = (moved + listed)[: self._plan.limit]
        has_more = len(moved) + len(listed) > self._plan.limit
        hits = [browse_hit(session, await self._last_run(session)) for session in sessions]
        position = self._position(sessions, moved=len(moved)) if has_more else None
        return BrowsePage(hits=tuple(hits), next=position, is_cut=is_cut)

    async def _listed(self, count: int) -> list[Session]:
        """Up to `count` sessions past the position that were not shown."""
        after = None if self._start is None else self._edge()
        listed: list[Session] = []
        while len(listed) < count:
            query = SessionListQuery(filter=self._plan.filter, limit=min(count, PAGE_MAX), after=after)
            page = await self._store.list_sessions(self._plan.access, query)
            listed += [session for session in page.sessions if not self._was_shown(session)]
            if page.after is None:
                break
            after = page.after
        return listed[:count]

    def _edge(self) -> tuple[int, str]:
        """The place of the last listed session that was shown."""
        return (0, "") if self._start is None else (-self._start.after[2], self._start.after_id)

    def _is_moved(self, session: Session) -> bool:
        """Whether a changed session stands above the position, was there before, and still waits to be shown."""
        is_new = session.header.created_at > self._newest
        return _place(session) > self._edge() and not is_new and not self._was_shown(session)

    def _was_shown(self, session: Session) -> bool:
        return group_hash(session.header.session_id) in self._shown

    async def _moved(self) -> tuple[list[Session], bool]:
        """Sessions that moved above the position since the first page and were not shown before; newest first."""
        if self._start is None:
            return [], False
        changed, is_cut = await self._changed()
        moved: list[Session] = []
        for ids in _chunks(changed):
            narrowed = msgspec.structs.replace(self._plan.filter, session_ids=ids)
            query = SessionListQuery(filter=narrowed, limit=PAGE_MAX)
            page = await self._store.list_sessions(self._plan.access, query)
            moved += [session for session in page.sessions if self._is_moved(session)]
        if not self._start.shown_all:
            # which of them were shown is forgotten: none is shown again, and one that waited may be missed
            return [], is_cut or bool(moved)
        return sorted(moved, key=_place, reverse=True), is_cut

    async def _changed(self) -> tuple[tuple[str, ...], bool]:
        asked = frozenset(self._plan.filter.session_ids)
        changed: list[str] = []
        after: str | None = self._as_of
        while len(changed) < CHANGED_MAX:
            page = await self._store.changes(self._plan.access.namespace_id, after=after)
            if not page.rows:
                return tuple(changed), False
            changed += [row.session_id for row in page.rows if not asked or row.session_id in asked]
            after = page.position
        return tuple(changed[:CHANGED_MAX]), True

    async def _last_run(self, session: Session) -> Run | None:
        if session.counts.runs == 0:
            return None
        return await self._reader.last_run(session.header.session_id)

    def _position(self, sessions: list[Session], *, moved: int) -> SearchPosition:
        earlier = self._start.shown if self._start is not None else ()
        shown = (*earlier, *(group_hash(session.header.session_id) for session in sessions))
        updated_at, session_id = self._edge() if len(sessions) <= moved else _place(sessions[-1])
        return SearchPosition(
            as_of=self._as_of,
            after=(TAIL, 0, -updated_at, 0, ""),
            after_id=session_id,
            floor=(-self._newest, 0, ""),
            shown=shown[-SHOWN_MAX:],
            shown_all=len(shown) <= SHOWN_MAX and (self._start is None or self._start.shown_all),
        )


def _place(session: Session) -> tuple[int, str]:
    return (session.updated_at, session.header.session_id)


def _chunks(ids: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    return (ids[at : at + PAGE_MAX] for at in range(0, len(ids), PAGE_MAX))


__all__ = ["CHANGED_MAX", "Browse", "BrowsePage"]
