"""Rules of paging and cursors: nothing twice, nothing missed, and no cursor for another search."""

from __future__ import annotations

from typing import Any

import pytest

from starweaver_host.contract.records import LOCAL_NAMESPACE, AccessScope, SessionChange
from starweaver_host.contract.search import SessionSearchFilter, SessionSearchProvider, SessionSearchScope
from starweaver_host.contract.store import SessionStore

from .context import ManualClock
from .search_base import SearchSuite
from .search_samples import SCOPE, ask, ask_all, refusal, said, sessions_of, told
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
