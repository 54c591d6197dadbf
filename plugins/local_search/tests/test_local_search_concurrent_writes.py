"""Hypothesis: paging is repeatable while the store is written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

SESSIONS = [f"s{count}" for count in range(6)]
WRITES = st.lists(
    st.tuples(
        st.sampled_from(["append", "rename", "prune", "create"]),
        st.sampled_from(SESSIONS),
        st.sampled_from(["needle", "a needled", "other"]),
        st.integers(0, 30),
    ),
    max_size=12,
)
SHAPES = st.fixed_dictionaries(
    {
        "granularity": st.sampled_from(["session", "run", "occurrence"]),
        "sort": st.sampled_from(["auto", "updated_desc"]),
        "limit": st.integers(1, 3),
    }
)
COMMON = settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def write(store: Any, kind: str, session_id: str, text: str, at: int) -> None:
    count = store.now
    if kind == "append":
        store.add_display(session_id, count, text, at=at)
    elif kind == "rename":
        store.rename(session_id, text, at=at)
    elif kind == "create":
        store.add_session(f"n{count}", at=at, title=text)
    elif kind == "prune":
        displays = [ref for ref in store.documents if ref.session_id == session_id and ref.source != "session_metadata"]
        for ref in displays[:1]:
            store.remove(ref)


def writer(store: Any, writes: list[Any], kinds: set[str]) -> Callable[[], None]:
    pending = [entry for entry in writes if entry[0] in kinds]

    def step() -> None:
        for entry in pending[:2]:
            write(store, *entry)
        del pending[:2]

    return step


def group_key(hit: Any, granularity: str) -> Any:
    if granularity == "occurrence":
        return hit.location.document_id
    return (hit.session.session_id, hit.run_id if granularity == "run" else None)


def stored(new_store: Any, seeds: list[Any]) -> Any:
    store = new_store(2)
    for session_id in SESSIONS:
        store.add_session(session_id, at=0)
    for kind, session_id, text, at in seeds:
        write(store, "append" if kind in {"prune", "create"} else kind, session_id, text, at)
    return store


@COMMON
@given(seeds=WRITES, writes=WRITES, shape=SHAPES, window=st.integers(1, 4), keeps_dead=st.booleans())
def test_local_search_paging_is_repeatable_under_writes(
    new_store: Any, new_search: Any, seeds: Any, writes: Any, shape: Any, window: int, keeps_dead: bool
) -> None:
    """No group is shown twice, none is new, and none is missed that still holds a match of the first page's moment."""
    store = stored(new_store, seeds)
    store.keeps_dead = keeps_dead
    before = dict(store.documents)
    search = new_search(store, relevance_window=window)
    granularity = shape["granularity"]
    at_first = {group_key(hit, granularity) for page in search.all("needle", **shape) for hit in page.hits}

    pages = search.all("needle", between=writer(store, writes, {"append", "rename", "prune", "create"}), **shape)

    shown = [group_key(hit, granularity) for page in pages for hit in page.hits]
    assert len(set(shown)) == len(shown)
    assert set(shown) <= at_first
    remaining = {ref for ref, document in before.items() if store.documents.get(ref) is document}
    untouched = {
        ref.session_id for ref in remaining if all(r in remaining for r in before if r.session_id == ref.session_id)
    }
    if granularity == "session":
        kept = {ref.session_id for ref in remaining if "needle" in before[ref].text}
        assert {key for key in at_first if key[0] in kept} <= set(shown)
    elif granularity == "run":
        assert {key for key in at_first if key[0] in untouched} <= set(shown)


@COMMON
@given(seeds=WRITES, writes=WRITES, shape=SHAPES)
def test_local_search_looks_up_groups_its_cursor_forgot(
    new_store: Any, new_search: Any, seeds: Any, writes: Any, shape: Any
) -> None:
    """A cursor that had to forget shown groups finds out from their documents, and paging stays exact."""
    store = stored(new_store, seeds)
    search = new_search(store, relevance_window=1)
    granularity = shape["granularity"]
    expected = [group_key(hit, granularity) for page in search.all("needle", **shape) for hit in page.hits]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("starweaver_host.services.search_paging.SHOWN_MAX", 1)
        pages = search.all("needle", between=writer(store, writes, {"append"}), **shape)

    assert expected == [group_key(hit, granularity) for page in pages for hit in page.hits]


@COMMON
@given(writes=WRITES, limit=st.integers(1, 3))
def test_local_browse_is_repeatable_under_writes(new_store: Any, new_search: Any, writes: Any, limit: int) -> None:
    """Sessions that move while they are listed are shown once, and new ones are not mixed in."""
    store = new_store()
    for at, session_id in enumerate(SESSIONS):
        store.add_session(session_id, at=at)
    search = new_search(store)
    moves = [(kind, session, text, at + 20) for kind, session, text, at in writes]

    pages = search.all(None, between=writer(store, moves, {"append", "rename", "create"}), limit=limit)

    shown = [hit.session.session_id for page in pages for hit in page.hits]
    assert sorted(shown) == sorted(SESSIONS)


@COMMON
@given(seeds=WRITES, shape=SHAPES)
def test_local_search_gives_the_same_page_for_the_same_cursor(
    new_store: Any, new_search: Any, seeds: Any, shape: Any
) -> None:
    """A cursor can be used again, with another page size too, and goes on from the same place."""
    store = stored(new_store, seeds)
    search = new_search(store, relevance_window=2)
    first = search("needle", **shape)
    if first.next_cursor is None:
        return

    second = search("needle", cursor=first.next_cursor, **shape)
    wide = search("needle", cursor=first.next_cursor, **{**shape, "limit": 100})

    assert second == search("needle", cursor=first.next_cursor, **shape)
    assert wide.hits[: len(second.hits)] == second.hits


@pytest.mark.parametrize("granularity", ["session", "run"])
def test_local_search_shows_a_group_by_what_still_stands(store: Any, search: Any, granularity: str) -> None:
    """A group whose best document was replaced since the first page is shown by its next best, in its place."""
    store.keeps_dead = True
    for at, session_id in enumerate(["a", "b", "c"]):
        store.add_session(session_id, at=at)
        store.add_display(session_id, 0, "needle from before", at=at)
        store.add_display(session_id, 1, "needle replaced", at=at + 10)
    first = search("needle", granularity=granularity, limit=1)
    store.remove(next(ref for ref in store.documents if ref.session_id == "b" and ref.seq == 1))

    second = search("needle", granularity=granularity, limit=2, cursor=first.next_cursor)

    assert [hit.session.session_id for hit in second.hits] == ["b", "a"]
    assert [hit.snippet.text for hit in second.hits] == ["needle from before", "needle replaced"]
