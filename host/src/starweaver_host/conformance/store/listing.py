"""Rules of lists: order, keyset pages and filters."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest

from starweaver_host.conformance.context import START, ManualClock
from starweaver_host.conformance.memory.filters import sees_root, selects
from starweaver_host.contract.corpus import CorpusFilter, TimeRange
from starweaver_host.contract.records import AccessScope, ExternalSource, Session, SessionChange, Workspace
from starweaver_host.contract.store import PAGE_MAX, RunListQuery, SessionListQuery, SessionStore

from .samples import DAY, EVERYTHING, SCOPE, created, deleted, ended, ids, refused
from .suite import StoreSuite

FILTERS = {
    "nothing": CorpusFilter(),
    "active": CorpusFilter(statuses=("active",)),
    "archived_or_failed": CorpusFilter(statuses=("archived", "failed")),
    "deleted": CorpusFilter(statuses=("deleted",)),
    "deleted_or_active": CorpusFilter(statuses=("deleted", "active")),
    "profile": CorpusFilter(profiles=("work",)),
    "two_profiles": CorpusFilter(profiles=("work", "play")),
    "workspace_id": CorpusFilter(workspaces=("w1",)),
    "workspace_label": CorpusFilter(workspaces=("Label two",)),
    "workspaces": CorpusFilter(workspaces=("w1", "Label two", "nowhere")),
    "folder": CorpusFilter(cwd_prefix="/home/me"),
    "folder_with_slash": CorpusFilter(cwd_prefix="/home/me/"),
    "folder_with_pattern": CorpusFilter(cwd_prefix="/home/_e"),
    "ids": CorpusFilter(session_ids=("plain", "child", "absent")),
    "agent": CorpusFilter(agents=("codex",)),
    "root": CorpusFilter(roots=("parent",)),
    "no_children": CorpusFilter(include_children=False),
    "created": CorpusFilter(created=TimeRange(start=START + DAY, until=START + 2 * DAY)),
    "updated": CorpusFilter(updated=TimeRange(until=START + DAY)),
    "run_status": CorpusFilter(run_statuses=("completed",)),
    "run_statuses": CorpusFilter(run_statuses=("queued", "running")),
    "profile_in_folder": CorpusFilter(profiles=("work",), cwd_prefix="/home/me"),
    "agent_and_profile": CorpusFilter(agents=("codex",), profiles=("nobody",)),
}


async def fill_sessions(store: SessionStore) -> tuple[str, ...]:
    """Create sessions that differ in everything a filter looks at; return their ids."""
    await created(store, "plain")
    await created(store, "work", profile="work", workspace=Workspace(id="w1", label="Label one"), cwd="/home/me")
    await created(store, "play", profile="play", workspace=Workspace(id="w2", label="Label two"), cwd="/home/me/b")
    await created(store, "beside", profile="work", cwd="/home/me2", workspace=Workspace(id="w1x"))
    await created(store, "parent", created_at=START + DAY, cwd="/")
    await created(store, "child", parent_session_id="parent", created_at=START + 2 * DAY, cwd="/home/me/b/c")
    await created(store, "codex:1", external=ExternalSource(source="codex", native_id="1"), created_at=START + DAY - 1)
    await created(store, "late", created_at=START + 2 * DAY - 1)
    await created(store, "archived", profile="work")
    await store.update_session(SCOPE, "archived", SessionChange(archived=True))
    await ended(store, "r1", "work")
    await ended(store, "r1", "play")
    await created(store, "gone", profile="work", cwd="/home/me")
    await deleted(store, "gone")
    return ("plain", "work", "play", "beside", "parent", "child", "codex:1", "late", "archived", "gone")


async def _pages(store: SessionStore, query: SessionListQuery) -> list[Session]:
    """Every page of a query, one after the other."""
    found: list[Session] = []
    while True:
        page = await store.list_sessions(SCOPE, query)
        assert len(page.sessions) <= query.limit
        found += page.sessions
        if page.after is None:
            return found
        query = msgspec.structs.replace(query, after=page.after)


def _in_order(sessions: Sequence[Session]) -> list[str]:
    return ids(sorted(sessions, key=lambda each: (each.updated_at, each.header.session_id), reverse=True))


class ListingRules(StoreSuite):
    """Lists are newest first, cut by keyset, and filtered inside."""

    async def test_sessions_are_listed_newest_first_ties_by_id_descending(
        self, store: SessionStore, clock: ManualClock
    ) -> None:
        """Sessions come by `updated_at` descending, those of one time by `session_id` descending.

        If this fails: the order lacks its second key, or the id is compared ignoring case.
        """
        for session_id in ("b", "a", "B", "c"):
            await created(store, session_id)
        clock.advance(1)
        await store.update_session(SCOPE, "a", SessionChange(title="newest"))

        assert ids(await _pages(store, SessionListQuery())) == ["a", "c", "b", "B"]

    @pytest.mark.parametrize("limit", [1, 2, 3, 7])
    async def test_pages_of_tied_times_have_no_gap_and_no_repeat(self, store: SessionStore, limit: int) -> None:
        """Pages of any size together are the list, also where all times are equal.

        If this fails: the page goes on from the time alone, or from an offset.
        """
        wanted = sorted((f"s{number:02}" for number in range(7)), reverse=True)
        for session_id in (*wanted[3:], *wanted[:3]):
            await created(store, session_id)

        assert ids(await _pages(store, SessionListQuery(limit=limit))) == wanted

    async def test_page_after_a_moved_session_neither_repeats_nor_skips(
        self, store: SessionStore, clock: ManualClock
    ) -> None:
        """Sessions that move to the front between two pages do not shift what follows.

        If this fails: pages go on from an offset; go on from the key of the last row.
        """
        for session_id in ("a", "b", "c", "d"):
            await created(store, session_id)
        first = await store.list_sessions(SCOPE, SessionListQuery(limit=2))
        clock.advance(1)
        await store.update_session(SCOPE, "d", SessionChange(title="moved to the front"))
        await created(store, "e", created_at=clock.now())

        rest = await store.list_sessions(SCOPE, SessionListQuery(limit=2, after=first.after))

        assert (ids(first.sessions), ids(rest.sessions), rest.after) == (["d", "c"], ["b", "a"], None)

    async def test_full_last_page_says_that_it_is_the_last(self, store: SessionStore) -> None:
        """`after` is None on the last page, also when it is exactly full.

        If this fails: look one row further than the limit.
        """
        for session_id in ("a", "b"):
            await created(store, session_id)

        page = await store.list_sessions(SCOPE, SessionListQuery(limit=2))

        assert (len(page.sessions), page.after) == (2, None)

    @pytest.mark.parametrize("limit", [0, -1, PAGE_MAX + 1])
    async def test_limit_out_of_bounds_is_invalid(self, store: SessionStore, limit: int) -> None:
        """A page holds 1 to PAGE_MAX rows; other limits are refused, not corrected.

        If this fails: check the limit of `list_sessions` and of `list_runs` before reading.
        """
        await created(store)

        with refused("invalid"):
            await store.list_sessions(SCOPE, SessionListQuery(limit=limit))
        with refused("invalid"):
            await store.list_runs(SCOPE, "s1", RunListQuery(limit=limit))

    @pytest.mark.parametrize("name", FILTERS)
    async def test_list_holds_what_its_filter_selects(self, store: SessionStore, name: str) -> None:
        """A filter's conditions are ANDed, values within one ORed, and tombstones are selected by name only.

        If this fails: compare with `starweaver_host.conformance.memory.filters.selects`, which says each condition.
        """
        session_ids = await fill_sessions(store)
        every = await store.get_sessions(EVERYTHING, session_ids)
        runs = {each: (await store.list_runs(EVERYTHING, each, RunListQuery())).runs for each in session_ids}

        page = await store.list_sessions(EVERYTHING, SessionListQuery(filter=FILTERS[name]))

        roots = {each.header.session_id: each for each in every}
        wanted = [
            each
            for each in every
            if selects(
                FILTERS[name],
                each,
                runs[each.header.session_id],
                is_root_seen=sees_root(EVERYTHING, FILTERS[name], roots.get(each.root_session_id)),
            )
        ]
        assert ids(page.sessions) == _in_order(wanted)

    async def test_filters_are_applied_before_the_page_is_cut(self, store: SessionStore) -> None:
        """A page is full as long as enough sessions match, however many others stand between them.

        If this fails: the filter runs over a page that was cut before it.
        """
        for number in range(20):
            await created(store, f"s{number:02}", profile="rare" if number % 7 == 0 else "common")

        page = await store.list_sessions(SCOPE, SessionListQuery(filter=CorpusFilter(profiles=("rare",)), limit=3))

        assert ids(page.sessions) == ["s14", "s07", "s00"]

    @pytest.mark.parametrize("scope", [SCOPE, EVERYTHING])
    async def test_tombstones_need_both_a_name_and_permission(self, store: SessionStore, scope: AccessScope) -> None:
        """A deleted session is listed when the filter names `deleted` and the scope includes deleted ones.

        If this fails: one of the two conditions is taken for both.
        """
        await created(store)
        await deleted(store)
        by_name = SessionListQuery(filter=CorpusFilter(statuses=("deleted",)))

        unasked = await store.list_sessions(scope, SessionListQuery())
        asked = await store.list_sessions(scope, by_name)

        assert (ids(unasked.sessions), ids(asked.sessions)) == ([], ["s1"] if scope.include_deleted else [])


__all__ = ["FILTERS", "ListingRules", "fill_sessions"]
