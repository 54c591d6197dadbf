"""Rules of paging and cursors: nothing twice, nothing missed, and no cursor for another search."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from starweaver_host.contract.records import LOCAL_NAMESPACE, AccessScope, RunKey, SessionChange, TextPart
from starweaver_host.contract.search import (
    SessionSearchFilter,
    SessionSearchPage,
    SessionSearchProvider,
    SessionSearchScope,
)
from starweaver_host.contract.store import RunAdmission, SessionStore

from .context import START, ManualClock
from .search_base import SearchSuite
from .search_samples import MINUTE, SCOPE, ask, ask_all, refusal, rewritten, said, sessions_of, told
from .suite import capability

COUNT = 7
SESSIONS = [f"s{number}" for number in range(COUNT)]
SHAPES: dict[str, dict[str, Any]] = {
    "relevance": {"sort": "relevance"},
    "newest_first": {"sort": "updated_desc"},
    "browsing": {},
}
OTHER_SEARCHES: dict[str, dict[str, Any]] = {
    "text": {"text": "needles"},
    "blank_text": {"text": None},
    "filter": {"filters": SessionSearchFilter(profile="p")},
    "sources": {"sources": ("run_input",)},
    "granularity": {"granularity": "run"},
    "sort": {"sort": "updated_desc"},
    "folding": {"fold_subagents": True},
    "namespace": {"scope": SessionSearchScope(namespace_id="elsewhere")},
    "owner": {"scope": SessionSearchScope(namespace_id=LOCAL_NAMESPACE, owner_id="me")},
    "allow_list": {"scope": SessionSearchScope(namespace_id=LOCAL_NAMESPACE, session_ids=frozenset(SESSIONS))},
    "policy": {"scope": SessionSearchScope(namespace_id=LOCAL_NAMESPACE, policy="another")},
}
NO_CURSORS = {
    "empty": "",
    "word": "next",
    "prefix_alone": "ssc1.",
    "short": "ssc1.AAAA",
    "foreign_prefix": "ssc9.AAAA",
    "endless": "ssc1." + "A" * 100_000,
    "not_ascii": "ssc1.日本",
}


async def _fill(store: SessionStore) -> None:
    for number, session_id in enumerate(SESSIONS):
        await told(store, session_id, title=f"needle {number}", asked="a needle too", minute=number)


def _text(shape: str) -> str | None:
    return None if shape == "browsing" else "needle"


def _require_all_or_a_warning(pages: list[SessionSearchPage]) -> None:
    shown = sessions_of(*pages)
    assert len(set(shown)) == len(shown)
    missed = set(SESSIONS) - set(shown)
    assert not missed or pages[-1].coverage.state != "complete", f"{missed} were missed and nothing was said"


class PagingRules(SearchSuite):
    """Pages are pieces of one answer, and a cursor belongs to one search."""

    @pytest.mark.parametrize("shape", SHAPES)
    @pytest.mark.parametrize("limit", [1, 2, COUNT, COUNT + 1])
    async def test_pages_repeat_and_skip_nothing(
        self, store: SessionStore, provider: SessionSearchProvider, shape: str, limit: int
    ) -> None:
        """All pages together are what one large page shows, in the same order, none longer than the limit.

        If this fails: continue after the last group shown, by its sort key.
        """
        await _fill(store)

        pages = await ask_all(provider, _text(shape), limit=limit, **SHAPES[shape])

        assert sessions_of(*pages) == sessions_of(await ask(provider, _text(shape), limit=100, **SHAPES[shape]))
        assert sorted(sessions_of(*pages)) == SESSIONS
        assert all(len(page.hits) <= limit for page in pages)

    async def test_last_page_has_no_cursor(self, store: SessionStore, provider: SessionSearchProvider) -> None:
        """The cursor is null exactly when there is no more, also when the last page is full.

        If this fails: look one group beyond the page before offering a cursor.
        """
        await _fill(store)

        assert (await ask(provider, "needle", limit=COUNT)).next_cursor is None
        assert (await ask(provider, "needle", limit=COUNT - 1)).next_cursor is not None
        assert (await ask(provider, "absent")).next_cursor is None

    async def test_cursor_allows_another_page_size(self, store: SessionStore, provider: SessionSearchProvider) -> None:
        """The limit is no part of a search: a cursor goes on with any.

        If this fails: leave the limit out of what a cursor binds.
        """
        await _fill(store)
        first = await ask(provider, "needle", limit=2)

        rest = await ask(provider, "needle", limit=100, cursor=first.next_cursor)

        assert len(rest.hits) == COUNT - 2
        assert not set(sessions_of(first)) & set(sessions_of(rest))

    async def test_cursor_may_be_used_again(self, store: SessionStore, provider: SessionSearchProvider) -> None:
        """The same cursor gives the same page.

        If this fails: keep no position outside the cursor.
        """
        await _fill(store)
        first = await ask(provider, "needle", limit=2)

        one, other = [await ask(provider, "needle", limit=2, cursor=first.next_cursor) for _ in range(2)]

        assert sessions_of(one) == sessions_of(other) != []

    @capability("repeatable_pages")
    @pytest.mark.parametrize("shape", ["relevance", "newest_first"])
    async def test_pages_stand_still_while_sessions_are_added(
        self, store: SessionStore, provider: SessionSearchProvider, shape: str
    ) -> None:
        """New matches between pages neither repeat nor push out what matched when the first page was read.

        If this fails: position by sort key, not by offset, and bind the moment of the first page.
        """
        await _fill(store)

        async def write(page: int) -> None:
            await told(store, f"new-{page}", title="needle", minute=50 + page)

        pages = await ask_all(provider, "needle", between=write, limit=2, **SHAPES[shape])

        assert sorted(sessions_of(*pages)) == SESSIONS

    @capability("repeatable_pages")
    async def test_pages_stand_still_while_titles_change(
        self, store: SessionStore, provider: SessionSearchProvider
    ) -> None:
        """A session whose title changed after it was shown is not shown again by its other text, nor another missed.

        If this fails: a cursor must know what was shown, or what had been.
        """
        await _fill(store)
        shown: list[str] = []

        async def rename(page: int) -> None:
            session_id = SESSIONS[-2 * page]
            shown.append(session_id)
            await store.update_session(AccessScope(), session_id, SessionChange(title="another"))

        pages = await ask_all(provider, "needle", between=rename, limit=2)

        assert shown != []
        assert sorted(sessions_of(*pages)) == SESSIONS

    @capability("repeatable_pages")
    @pytest.mark.parametrize("text", ["needle and more", "nothing of it"])
    async def test_pages_miss_no_output_that_grew_without_saying_so(
        self, store: SessionStore, provider: SessionSearchProvider, text: str
    ) -> None:
        """A session whose run's output was rewritten while it waited is shown, or the page is not `complete`.

        If this fails: what a transcript's extension replaces must stay for the pages of before, or be told.
        """
        for number, session_id in enumerate(SESSIONS):
            await told(store, session_id, answered="needle", minute=number)

        async def extend(page: int) -> None:
            run = await store.get_run(AccessScope(), SESSIONS[0], f"run-of-{SESSIONS[0]}")
            later = {"ended_at": START + 50 * MINUTE + page, "updated_at": START + 50 * MINUTE + page}
            await rewritten(store, SESSIONS[0], runs=(replace(run, output_preview=text, **later),))

        pages = await ask_all(provider, "needle", between=extend, limit=2, sources=("run_output_preview",))

        _require_all_or_a_warning(pages)

    @capability("repeatable_pages")
    async def test_pages_miss_no_replaced_log_without_saying_so(
        self, store: SessionStore, provider: SessionSearchProvider
    ) -> None:
        """A session whose log was replaced while it waited is shown, or the page is not `complete`.

        If this fails: ask the store whether something was rewritten since the first page (`rewritten`).
        """
        for number, session_id in enumerate(SESSIONS):
            await told(store, session_id, answered="needle", minute=number)

        async def rewrite(page: int) -> None:
            if page == 1:
                await rewritten(store, SESSIONS[0], replace=True, expected_next_seq=0)
                await said(store, SESSIONS[0], "needle", at=START)

        pages = await ask_all(provider, "needle", between=rewrite, limit=2)

        _require_all_or_a_warning(pages)

    @capability("repeatable_pages")
    async def test_pages_miss_no_run_that_began_to_work(
        self, store: SessionStore, provider: SessionSearchProvider, clock: ManualClock
    ) -> None:
        """What a person asked for is found where it was while its run goes from queued to running.

        If this fails: the time of an input is that of the run's making, which does not move.
        """
        leases = []
        for session_id in SESSIONS:
            clock.advance(1)
            await told(store, session_id)
            key = RunKey(namespace_id=LOCAL_NAMESPACE, session_id=session_id, run_id="r")
            asked = RunAdmission(
                key=key, admission_id="a", host_instance_id="h", lease_seconds=3600, input=(TextPart(text="needle"),)
            )
            leases.append((await store.admit_run(asked)).lease)

        async def start(page: int) -> None:
            clock.advance(1)
            await store.transition_run(leases[0], "running" if page == 1 else "waiting")

        pages = await ask_all(provider, "needle", between=start, limit=2, sort="updated_desc")

        assert sorted(sessions_of(*pages)) == SESSIONS
        assert {page.coverage.state for page in pages} == {"complete"}

    @capability("repeatable_pages")
    async def test_browsing_stands_still_while_sessions_move(
        self, store: SessionStore, provider: SessionSearchProvider, clock: ManualClock
    ) -> None:
        """A session that is written to while it waits for its page is shown once all the same.

        If this fails: the position is a time that moves; look at what changed since the first page.
        """
        await _fill(store)

        async def touch(page: int) -> None:
            clock.advance(3600)
            for session_id in (SESSIONS[0], SESSIONS[-1]):
                await said(store, session_id, f"moved {page}", at=clock.now())

        pages = await ask_all(provider, None, between=touch, limit=2)

        assert sorted(sessions_of(*pages)) == SESSIONS

    @pytest.mark.parametrize("other", OTHER_SEARCHES)
    async def test_cursor_of_another_search_is_refused(
        self, store: SessionStore, provider: SessionSearchProvider, other: str
    ) -> None:
        """A cursor is good for the query and the scope it was made for; with others it is `invalid_cursor`.

        If this fails: bind the fingerprints of query and scope, and compare them before anything is read.
        """
        await _fill(store)
        cursor = (await ask(provider, "needle", limit=1)).next_cursor
        fields = {"text": "needle", "scope": SCOPE, **OTHER_SEARCHES[other]}

        assert await refusal(provider, cursor=cursor, **fields) == "invalid_cursor"

    async def test_cursor_that_was_altered_is_refused(
        self, store: SessionStore, provider: SessionSearchProvider
    ) -> None:
        """A changed character anywhere behind the prefix is `invalid_cursor`.

        If this fails: authenticate the whole cursor and compare in constant time.
        """
        await _fill(store)
        cursor = (await ask(provider, "needle", limit=1)).next_cursor or ""

        for at in range(5, len(cursor), max(1, len(cursor) // 24)):
            altered = cursor[:at] + ("A" if cursor[at] != "A" else "B") + cursor[at + 1 :]
            assert await refusal(provider, "needle", cursor=altered) == "invalid_cursor", f"character {at} was changed"

    @pytest.mark.parametrize("name", NO_CURSORS)
    async def test_text_that_is_no_cursor_is_refused(
        self, store: SessionStore, provider: SessionSearchProvider, name: str
    ) -> None:
        """What no provider made is `invalid_cursor`; the search never begins again in silence.

        If this fails: decode cursors strictly, and map every failure to this code.
        """
        await _fill(store)

        assert await refusal(provider, "needle", cursor=NO_CURSORS[name]) == "invalid_cursor"

    async def test_cursor_is_short_and_prefixed(self, store: SessionStore, provider: SessionSearchProvider) -> None:
        """A cursor begins with `ssc1.`, has at most 2048 characters and does not show the query in clear.

        If this fails: put hashes and positions into a cursor, never text.
        """
        await _fill(store)

        cursor = (await ask(provider, "needle", limit=1)).next_cursor or ""

        assert cursor.startswith("ssc1.")
        assert len(cursor) <= 2048
        assert "needle" not in cursor


__all__ = ["PagingRules"]
