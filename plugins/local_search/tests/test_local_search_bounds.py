"""Bounds degrade a page and never a search: what a cut page leaves, its cursor finds."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from starweaver_host.contract.errors import SearchError, StoreError
from starweaver_local_search.config import LocalSearchConfig

DISPLAYS = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from(["needle", "inneedles", "other"]), st.integers(0, 5)), max_size=14
)


def stored(new_store: Any, displays: list[tuple[int, str, int]]) -> Any:
    store = new_store(2)
    for count in range(4):
        store.add_session(f"s{count}")
    for seq, (session, text, at) in enumerate(displays):
        store.add_display(f"s{session}", seq, text, at=at)
    return store


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    displays=DISPLAYS,
    limit=st.integers(1, 3),
    sort=st.sampled_from(["relevance", "updated_desc"]),
    granularity=st.sampled_from(["session", "occurrence"]),
    window=st.integers(1, 3),
)
def test_local_search_cut_by_time_still_finds_everything(
    new_store: Any, new_search: Any, new_clock: Any, displays: Any, limit: int, sort: str, granularity: str, window: int
) -> None:
    """With a deadline that has always passed, the pages end, repeat nothing and find what an unhurried one does."""
    store = stored(new_store, displays)
    shape = {"limit": limit, "sort": sort, "granularity": granularity}
    unhurried = new_search(store, relevance_window=window)
    hurried = new_search(store, relevance_window=window, clock=new_clock(step=1000.0))

    pages = hurried.all("needle", **shape)

    found = [hit.location.document_id for page in pages for hit in page.hits]
    assert len(set(found)) == len(found)
    groups = {hit.session.session_id if granularity == "session" else hit.location.document_id for hit in hits(pages)}
    expected = hits(unhurried.all("needle", **shape))
    assert groups == {h.session.session_id if granularity == "session" else h.location.document_id for h in expected}
    if sort == "updated_desc":
        assert [hit.matched_at for hit in expected] == [hit.matched_at for hit in hits(pages)]


def hits(pages: Any) -> list[Any]:
    return [hit for page in pages for hit in page.hits]


def test_local_search_cut_page_is_partial_and_says_so(store: Any, new_search: Any) -> None:
    """A page that stopped at a bound has state partial, the warning limit_reached and a cursor, and is no error."""
    for count in range(5):
        store.add_session(f"s{count}", at=count, title="nothing here")
    store.add_session("old", at=-1, title="needle")
    search = new_search(store, max_scan_bytes=1)

    page = search("needle")

    assert page.hits == ()
    assert page.coverage.state == "partial"
    assert [warning.kind for warning in page.coverage.warnings] == ["limit_reached"]
    assert page.next_cursor is not None
    assert [hit.session.session_id for hit in hits(search.all("needle"))] == ["old"]


def test_local_search_window_is_whole_again_on_its_second_page(store: Any, new_search: Any, new_clock: Any) -> None:
    """The deadline counts only below the window that the first page read: its order does not depend on luck."""
    for count in range(6):
        store.add_session(f"s{count}")
        store.add_display(f"s{count}", 0, "xneedle" if count % 2 else "needle", at=count)
    clock = new_clock()
    search = new_search(store, clock=clock)
    first = search("needle", limit=2)
    clock.step = 1000.0

    second = search("needle", limit=4, cursor=first.next_cursor)

    assert [h.session.session_id for h in (*first.hits, *second.hits)] == ["s4", "s2", "s0", "s5", "s3", "s1"]
    assert second.coverage.state == "complete"


@pytest.mark.parametrize("name", LocalSearchConfig.__struct_fields__)
def test_local_search_config_refuses_a_bound_of_zero(name: str) -> None:
    """Every numeric bound must be at least one."""
    if name == "display_root":
        return

    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({name: 0}, LocalSearchConfig)


def test_local_search_config_has_the_documented_defaults() -> None:
    """The bounds without configuration are the documented ones; one page may scan for ten seconds."""
    config = LocalSearchConfig()

    assert (
        config.max_query_bytes,
        config.max_page_size,
        config.max_display_files,
        config.max_total_display_bytes,
        config.max_display_hits,
    ) == (4096, 100, 1000, 67_108_864, 10_000)
    assert (config.scan_timeout_ms, config.relevance_window) == (10_000, 500)


def test_local_search_locked_store_is_unavailable(store: Any, search: Any) -> None:
    """A busy store is `unavailable` and may be tried again."""
    store.failing = StoreError("unavailable", "the store is locked")

    with pytest.raises(SearchError) as caught:
        search("needle")

    assert (caught.value.code, caught.value.retryable) == ("unavailable", True)


def test_local_search_corrupt_store_is_failed(store: Any, search: Any) -> None:
    """Any other store error is `failed`, which trying again does not mend."""
    store.failing = StoreError("corrupt", "a page of the store is damaged")

    with pytest.raises(SearchError) as caught:
        search("needle")

    assert (caught.value.code, caught.value.retryable) == ("failed", False)


def test_local_search_isolates_an_undecodable_record(store: Any, search: Any) -> None:
    """One record that cannot be decoded makes the page partial, and hides no other."""
    store.add_session("good", at=1, title="needle")
    store.add_session("bad", at=2, title="needle too")
    store.damaged.add("bad")

    page = search("needle")

    assert [hit.session.session_id for hit in page.hits] == ["good"]
    assert (page.coverage.state, page.coverage.warnings[0].kind) == ("partial", "malformed_source")


def test_local_search_reads_texts_of_shown_hits_only(store: Any, search: Any) -> None:
    """Originals are read once per page, and a miss reads none."""
    store.add_session("s", at=1, title="needle")

    search("absent")
    assert "read_texts" not in store.calls
    search("needle")

    assert store.calls.count("read_texts") == 1


@pytest.mark.parametrize(("loss", "state"), [("document", "partial"), ("session", "complete"), ("changed", "partial")])
def test_local_search_drops_a_hit_that_vanished_meanwhile(store: Any, search: Any, loss: str, state: str) -> None:
    """What is gone or reads otherwise when its text is fetched is left out, which the page says of a session that is
    still there."""
    store.add_session("stays", at=1, title="needle")
    store.add_session("goes", at=2, title="needle gone")
    read = store.read_texts

    async def losing(scope: Any, refs: Any) -> Any:
        if loss == "session":
            del store.sessions["goes"]
        texts = await read(scope, refs)
        swapped = {"document": None, "session": "needle gone", "changed": "renamed"}[loss]
        return tuple(swapped if text == "needle gone" else text for text in texts)

    store.read_texts = losing

    page = search("needle")

    assert [hit.session.session_id for hit in page.hits] == ["stays"]
    assert page.coverage.state == state


def test_local_search_keeps_memory_to_window_and_page(store: Any, new_search: Any) -> None:
    """However many documents match, the ranking holds no more than a few windows and pages of them."""
    from starweaver_host.services.search_ranking import MatchRanking

    store.add_session("s")
    for seq in range(3000):
        store.add_display("s", seq, "needle", at=seq % 7)
    held = []
    offer = MatchRanking.offer

    def counting(self: MatchRanking, match: Any) -> None:
        offer(self, match)
        held.append(len(self))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(MatchRanking, "offer", counting)
        page = new_search(store, relevance_window=10)("needle", granularity="occurrence", limit=5)

    assert len(page.hits) == 5
    assert max(held) <= 2 * (10 + 5 + 1) + 64


def test_local_search_says_that_the_corpus_is_of_another_version(store: Any, new_search: Any) -> None:
    """Text folded or cut by other rules may miss matches: pages over it are degraded, and name no version or path."""
    store.add_session("s", at=1, title="needle")
    store.fold_version += 1

    page = new_search(store)("needle")
    listed = new_search(store)(None)

    assert [hit.session.session_id for hit in page.hits] == ["s"]
    assert (page.coverage.state, [warning.kind for warning in page.coverage.warnings]) == ("degraded", ["fallback"])
    assert listed.coverage.state == "complete"


def test_local_search_says_on_later_pages_that_sessions_were_rewritten(store: Any, search: Any) -> None:
    """What the store no longer holds of the first page's moment makes a later page partial, and only a later one."""
    for at, session_id in enumerate(("a", "b")):
        store.add_session(session_id, at=at, title="needle")
    store.rewrites = 1

    first = search("needle", limit=1)
    second = search("needle", limit=1, cursor=first.next_cursor)

    assert first.coverage.state == "complete"
    assert (second.coverage.state, second.coverage.warnings[0].kind) == ("partial", "missing_source")


def test_local_search_says_when_a_group_could_not_be_looked_at_whole(store: Any, new_search: Any) -> None:
    """The other texts of a session are looked for within the budget too, and what that cuts short is said."""
    store.keeps_dead = True
    for at, session_id in enumerate(("a", "b")):
        store.add_session(session_id, at=at)
        store.add_display(session_id, 0, "needle from before", at=at)
        store.add_display(session_id, 1, "needle replaced", at=at + 10)
    first = new_search(store)("needle", limit=1)
    store.remove(next(ref for ref in store.documents if ref.session_id == "a" and ref.seq == 1))

    page = new_search(store, max_scan_bytes=1)("needle", limit=1, cursor=first.next_cursor)

    assert page.coverage.state == "partial"
    assert any("looked at one session" in warning.message for warning in page.coverage.warnings)


def test_local_browse_says_when_it_may_have_missed_a_session_that_moved(
    store: Any, search: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cursor that forgot what was shown cannot tell a session that moved from a shown one: the page is partial."""
    monkeypatch.setattr("starweaver_host.services.search_browse.SHOWN_MAX", 2)
    for at in range(6):
        store.add_session(f"s{at}", at=at)
    first = search(None, limit=3)
    still = search(None, limit=3, cursor=first.next_cursor)
    store.add_display("s0", 0, "moved", at=50)

    moved = search(None, limit=3, cursor=first.next_cursor)

    assert still.coverage.state == "complete"
    assert [hit.session.session_id for hit in moved.hits] == ["s2", "s1"]
    assert (moved.coverage.state, moved.coverage.warnings[0].kind) == ("partial", "limit_reached")
