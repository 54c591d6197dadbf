"""Cursor misuse of every kind is `invalid_cursor`, found before the store is asked for anything."""

from __future__ import annotations

from typing import Any

import pytest

from starweaver_host.contract.errors import SearchError
from starweaver_host.contract.search import SessionSearchFilter, SessionSearchScope

LOCAL = SessionSearchScope(namespace_id="local")


@pytest.fixture
def cursor(store: Any, search: Any) -> str:
    """The cursor of the first of two pages."""
    for count in range(3):
        store.add_session(f"s{count}", at=count, title="needle", owner_id="me")
    found = search("needle", limit=1).next_cursor
    assert found is not None
    store.calls.clear()
    return str(found)


MISUSE: dict[str, dict[str, Any]] = {
    "other text": {"text": "needles"},
    "other filter": {"filters": SessionSearchFilter(profile="p")},
    "other sources": {"sources": ("run_input",)},
    "other granularity": {"granularity": "run"},
    "other sort": {"sort": "updated_desc"},
    "other folding": {"fold_subagents": True},
    "browsing": {"text": None},
    "other namespace": {"scope": SessionSearchScope(namespace_id="other")},
    "other owner": {"scope": SessionSearchScope(namespace_id="local", owner_id="me")},
    "other allow-list": {"scope": SessionSearchScope(namespace_id="local", session_ids=frozenset({"s0"}))},
    "other policy": {"scope": SessionSearchScope(namespace_id="local", policy="stricter")},
    "other right": {"scope": SessionSearchScope(namespace_id="local", include_deleted=True)},
}


@pytest.mark.parametrize("name", MISUSE)
def test_local_search_refuses_cursor_of_another_search(store: Any, search: Any, cursor: str, name: str) -> None:
    """A cursor is good for its query and scope alone; nothing restarts in silence and nothing is read."""
    fields = {"text": "needle", **MISUSE[name]}

    with pytest.raises(SearchError) as caught:
        search(fields.pop("text"), cursor=cursor, **fields)

    assert caught.value.code == "invalid_cursor"
    assert store.calls == []


@pytest.mark.parametrize("text", ["", "x", "ssc1.", "ssc1.AAAA", "SSC1.AAAA", "ssc1." + "A" * 5000, "ssc1.\udcff"])
def test_local_search_refuses_text_that_is_no_cursor(store: Any, search: Any, cursor: str, text: str) -> None:
    """Malformed, foreign and endless cursors are refused alike."""
    with pytest.raises(SearchError) as caught:
        search("needle", cursor=text)

    assert caught.value.code == "invalid_cursor"
    assert store.calls == []


def test_local_search_refuses_altered_cursor(search: Any, cursor: str) -> None:
    """Flipping the last character is found out."""
    flipped = cursor[:-1] + ("A" if cursor[-1] != "A" else "B")

    with pytest.raises(SearchError) as caught:
        search("needle", cursor=flipped)

    assert caught.value.code == "invalid_cursor"


def test_local_search_refuses_cursor_of_another_generation(store: Any, new_search: Any, cursor: str) -> None:
    """A store whose epoch changed takes no cursor from before, though the key is the same."""
    store.epoch = "epoch-2"

    with pytest.raises(SearchError) as caught:
        new_search(store)("needle", cursor=cursor)

    assert caught.value.code == "invalid_cursor"
    assert "generation" in caught.value.message


def test_local_browse_refuses_cursor_of_a_store_that_was_set_back(store: Any, search: Any, cursor: str) -> None:
    """A restored backup has not reached the position of the first page: no page can follow it."""
    listed = search(None, limit=1).next_cursor
    store.now = 0

    with pytest.raises(SearchError) as caught:
        search(None, limit=1, cursor=listed)

    assert caught.value.code == "invalid_cursor"


def test_local_search_refuses_cursor_of_another_window(store: Any, new_search: Any, cursor: str) -> None:
    """Another window is another order."""
    with pytest.raises(SearchError) as caught:
        new_search(store, relevance_window=7)("needle", cursor=cursor)

    assert caught.value.code == "invalid_cursor"


def test_local_search_cursor_survives_writes_and_another_page_size(store: Any, search: Any, cursor: str) -> None:
    """Unrelated writes and another limit leave a cursor valid."""
    store.add_session("new", at=99, title="needle")
    store.rename("s2", "renamed", at=100)

    page = search("needle", limit=50, cursor=cursor)

    assert [hit.session.session_id for hit in page.hits] == ["s1", "s0"]


def test_local_search_cursor_shows_no_text_and_stays_within_its_cap(store: Any, search: Any) -> None:
    """However long ids are and however far one pages, a cursor is short and does not hold the query."""
    for count in range(400):
        store.add_session(f"{'x' * 500}{count}", at=count, title="needle")

    pages = search.all("needle", limit=100)

    assert sum(len(page.hits) for page in pages) == 400
    assert all(len(page.next_cursor) <= 2048 for page in pages[:-1])


def test_local_browse_cursor_with_long_ids_stays_within_its_cap(store: Any, search: Any) -> None:
    """A browse cursor forgets shown sessions before it grows too long."""
    for count in range(400):
        store.add_session(f"{count:03}{'x' * 500}", at=count)

    pages = search.all(None, limit=100)

    assert len({hit.session.session_id for page in pages for hit in page.hits}) == 400
    assert all(len(page.next_cursor) <= 2048 for page in pages[:-1])
