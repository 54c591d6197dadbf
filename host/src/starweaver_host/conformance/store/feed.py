"""Rules of the change feed: level-triggered, one row per changed session, safe to resume from any position."""

from __future__ import annotations

from starweaver_host.contract.corpus import CorpusQuery, FeedRow
from starweaver_host.contract.records import SessionChange
from starweaver_host.contract.store import SessionStore

from .imports import batch
from .samples import COMPLETED, SCOPE, admitted, asks, created, deleted, ended, key, refused, says, scanned
from .suite import StoreSuite


async def _rows(store: SessionStore, after: str | None = None, limit: int = 1000) -> list[FeedRow]:
    """Every row beyond a position, page by page."""
    found: list[FeedRow] = []
    while True:
        page = await store.changes("local", after=after, limit=limit)
        assert len(page.rows) <= limit
        if not page.rows:
            return found
        found += page.rows
        after = page.position


class FeedRules(StoreSuite):
    """Whoever remembers a position learns what changed since."""

    async def test_empty_store_has_a_position_to_begin_from(self, store: SessionStore) -> None:
        """Before the first commit the feed is empty, and its position sees everything that follows.

        If this fails: the first change is missed, or the position of an empty store is not accepted.
        """
        start = await store.position("local")
        page = await store.changes("local", after=start)
        await created(store)

        assert page.rows == ()
        assert [row.session_id for row in await _rows(store, start)] == ["s1"]
        assert [row.session_id for row in await _rows(store, page.position)] == ["s1"]

    async def test_row_holds_the_latest_state_of_its_session(self, store: SessionStore) -> None:
        """A session that changed many times has one row, with its newest revisions, incarnation and last seq.

        If this fails: the feed is a queue of events; it is a level.
        """
        await created(store)
        await store.append(key(), [says("one"), says("two")])
        await store.update_session(SCOPE, "s1", SessionChange(title="new"))
        await ended(store)

        rows = await _rows(store)

        session = await store.get_session(SCOPE, "s1")
        assert [(row.session_id, row.last_seq, row.incarnation, row.tombstone) for row in rows] == [("s1", 1, 0, False)]
        assert (rows[0].revision, rows[0].activity_revision) == (session.revision, session.activity_revision)

    async def test_every_kind_of_change_moves_the_feed(self, store: SessionStore) -> None:
        """Creating, editing, fencing, running, appending, importing, pruning and deleting move a session's row.

        If this fails: the operation that is named does not touch the feed in its transaction.
        """
        silent = []
        after = await store.position("local")

        async def changed(what: str) -> None:
            nonlocal after
            rows = (await store.changes("local", after=after)).rows
            after = await store.position("local")
            if [row.session_id for row in rows] != ["s1"]:
                silent.append(what)

        await created(store)
        await changed("create_session")
        await store.update_session(SCOPE, "s1", SessionChange(title="new"))
        await changed("update_session")
        lease = (await admitted(store)).lease
        await changed("admit_run")
        await store.transition_run(lease, "running")
        await changed("transition_run")
        await store.append(key(), [says("hello")], lease=lease)
        await changed("append")
        await store.finalise_run(lease, COMPLETED)
        await changed("finalise_run")
        await store.delete_run(SCOPE, "s1", "r1")
        await changed("delete_run")
        await store.import_batch(batch("s1", asks("more"), expected_next_seq=1))
        await changed("import_batch")
        await store.acquire_fence(SCOPE, "s1", fence_id="f", requested_by="x", expected_revision=None)
        await changed("acquire_fence")
        await store.release_fence(SCOPE, "s1", fence_id="f")
        await changed("release_fence")
        await deleted(store)
        await changed("tombstone_session")

        assert silent == []

    async def test_reading_moves_nothing(self, store: SessionStore) -> None:
        """Reads leave the feed alone.

        If this fails: a position is taken by something that changed no session.
        """
        await created(store)
        before = await store.position("local")

        await store.get_session(SCOPE, "s1")
        await store.read_events(SCOPE, "s1")
        await store.changes("local")

        assert await store.position("local") == before
        assert await _rows(store, before) == []

    async def test_rows_come_in_the_order_of_the_last_change(self, store: SessionStore) -> None:
        """Rows ascend by position: the session that changed last comes last, in pages of any size.

        If this fails: rows are ordered by id or time, or a page goes on from the wrong row.
        """
        for session_id in ("a", "b", "c", "d"):
            await created(store, session_id)
        for session_id in ("c", "a"):
            await store.append(key(session_id), [says("hello")])

        for limit in (1, 2, 3, 1000):
            assert [row.session_id for row in await _rows(store, limit=limit)] == ["b", "d", "c", "a"]

    async def test_change_between_two_pages_is_not_lost(self, store: SessionStore) -> None:
        """A session that changes while the feed is read comes again later; none is skipped.

        If this fails: the position of a page is beyond rows it did not hold.
        """
        for session_id in ("a", "b", "c"):
            await created(store, session_id)
        page = await store.changes("local", limit=1)
        await store.append(key("b"), [says("hello")])
        await store.append(key("a"), [says("hello")])

        rest = await _rows(store, page.position, limit=1)

        assert [row.session_id for row in page.rows] == ["a"]
        assert [row.session_id for row in rest] == ["c", "b", "a"]

    async def test_every_change_has_a_higher_source_revision(self, store: SessionStore) -> None:
        """What orders the mutations of a session grows with edits, runs, appends, imports and deletions alike.

        If this fails: number changes by the feed, not by one of the two revisions.
        """
        after = await store.position("local")
        seen: list[int] = []

        async def look() -> None:
            nonlocal after
            page = await store.changes("local", after=after)
            after = page.position
            seen.extend(row.source_revision for row in page.rows)

        await created(store)
        await look()
        await ended(store)
        await look()
        await store.append(key(), [says("hello")])
        await look()
        await store.update_session(SCOPE, "s1", SessionChange(title="new"))
        await look()
        await store.import_batch(batch("s1", asks("more"), expected_next_seq=1))
        await look()
        await deleted(store)
        await look()

        assert len(seen) == 6
        assert seen == sorted(set(seen))

    async def test_page_names_the_epoch_of_its_positions(self, store: SessionStore) -> None:
        """Every page names the store's epoch, also an empty one.

        If this fails: a reader cannot tell this store from another one at the same place.
        """
        empty = await store.changes("local")
        await created(store)
        page = await store.changes("local", after=empty.position)

        assert {empty.epoch, page.epoch} == {(await store.identity()).epoch}

    async def test_position_past_the_head_is_refused(self, store: SessionStore) -> None:
        """A reader that is ahead of the store is told so: the store was set back to an earlier state.

        If this fails: rows of sessions that a restored backup does not hold would stay in an index for ever.
        """
        await created(store, "here")
        for session_id in ("a", "b", "c"):
            await created(store, session_id, namespace_id="longer")
        ahead = await store.position("longer")

        with refused("invalid"):
            await store.changes("local", after=ahead)
        with refused("invalid"):
            await scanned(store, CorpusQuery(scope=SCOPE, beyond=ahead))

    async def test_positions_can_be_asked_again(self, store: SessionStore) -> None:
        """There is nothing to acknowledge: the same position gives the same rows again.

        If this fails: reading consumes.
        """
        await created(store, "a")
        middle = await store.position("local")
        await created(store, "b")

        first, second = await _rows(store, middle), await _rows(store, middle)

        assert [row.session_id for row in first] == ["b"]
        assert first == second

    async def test_append_answers_a_position_that_covers_it(self, store: SessionStore) -> None:
        """Whoever has seen the feed up to an append's position has seen the append; from before it, it is to come.

        The head may be further on already, and positions need not follow each other.

        If this fails: the position answered is read before the commit.
        """
        await created(store)
        before = await store.position("local")

        result = await store.append(key(), [says("hello")])

        assert [(row.session_id, row.last_seq) for row in await _rows(store, before)] == [("s1", 0)]
        assert await _rows(store, result.position) == []
        await store.append(key(), [says("again")])
        assert [row.last_seq for row in await _rows(store, result.position)] == [1]

    async def test_tombstone_stays_in_the_feed(self, store: SessionStore) -> None:
        """A deleted session has a row that says so, for indexes to forget it.

        If this fails: tombstones are filtered out like in lists.
        """
        await created(store)
        after = await store.position("local")
        await deleted(store)

        assert [(row.session_id, row.tombstone) for row in await _rows(store, after)] == [("s1", True)]

    async def test_namespaces_have_feeds_of_their_own(self, store: SessionStore) -> None:
        """A feed shows its namespace only.

        If this fails: the namespace is not in the query.
        """
        await created(store, "here")
        await created(store, "there", namespace_id="other")

        assert [row.session_id for row in await _rows(store)] == ["here"]
        assert [row.session_id for row in (await store.changes("other")).rows] == ["there"]

    async def test_new_incarnation_shows_in_the_feed(self, store: SessionStore) -> None:
        """A replaced log has a row with the new incarnation and its own last seq.

        If this fails: an index would keep what it knows of the old log.
        """
        await store.import_batch(batch("x:1", asks("one"), says("two")))
        after = await store.position("local")

        await store.import_batch(batch("x:1", asks("anew"), version=1, replace=True))

        assert [(row.incarnation, row.last_seq) for row in await _rows(store, after)] == [(1, 0)]


__all__ = ["FeedRules"]
