"""Rules of the search corpus over time: scans as of a position, tombstones, and the snapshot a scan holds."""

from __future__ import annotations

import pytest

from starweaver_host.conformance.context import START, ManualClock
from starweaver_host.contract.corpus import CorpusFilter, CorpusQuery
from starweaver_host.contract.records import SessionChange
from starweaver_host.contract.store import SessionStore

from .filled import fill_corpus, fill_interleaved
from .samples import (
    DAY,
    SCOPE,
    created,
    deleted,
    ended,
    imported,
    key,
    says,
    scanned,
    scanned_texts,
    text_input,
)
from .suite import StoreSuite

QUERY = CorpusQuery(scope=SCOPE)


class SnapshotRules(StoreSuite):
    """A scan sees the corpus as it was at one moment, whatever is written meanwhile."""

    async def test_scan_as_of_a_position_does_not_see_what_came_later(
        self, store: SessionStore, clock: ManualClock
    ) -> None:
        """A scan as of a position sees the documents of that moment, however much was added since.

        If this fails: a document needs the position at which it became visible.
        """
        session_ids = await fill_corpus(store, clock)
        as_of = await store.position("local")
        before = await scanned_texts(store)
        for session_id in session_ids[:3]:
            await store.append(key(session_id), [says("added later")])
        await created(store, "new", title="a new one")
        await ended(store, "r9", "work", input=text_input("another run"))

        seen = await scanned_texts(store, CorpusQuery(scope=SCOPE, as_of=as_of))

        assert seen == before
        assert len(await scanned_texts(store)) == len(before) + 6

    async def test_scan_beyond_a_position_sees_only_what_came_later(
        self, store: SessionStore, clock: ManualClock
    ) -> None:
        """A scan beyond a position sees the documents added or rewritten since, and none that were there.

        If this fails: an index that has read up to a position would read everything again, or miss the tail.
        """
        session_ids = await fill_corpus(store, clock)
        beyond = await store.position("local")
        nothing = await scanned_texts(store, CorpusQuery(scope=SCOPE, beyond=beyond))
        await store.append(key(session_ids[0]), [says("added later")])
        await store.update_session(SCOPE, session_ids[1], SessionChange(title="named later"))
        between = await store.position("local")
        await created(store, "new")
        await ended(store, "r9", "new", input=text_input("asked last"))

        seen = await scanned_texts(store, CorpusQuery(scope=SCOPE, beyond=beyond))
        window = await scanned_texts(store, CorpusQuery(scope=SCOPE, beyond=beyond, as_of=between))

        assert nothing == []
        assert sorted(seen) == ["added later", "all done", "asked last", "named later"]
        assert sorted(window) == ["added later", "named later"]
        assert await scanned_texts(store, CorpusQuery(scope=SCOPE, beyond=await store.position("local"))) == []

    async def test_renamed_title_is_seen_as_it_was(self, store: SessionStore) -> None:
        """A scan as of a position sees the title of that moment, a scan of now the current one, never both.

        If this fails: a rename overwrites, or adds without superseding.
        """
        await created(store, title="first")
        positions = [await store.position("local")]
        for title in ("second", None, "third"):
            await store.update_session(SCOPE, "s1", SessionChange(title=title))
            positions.append(await store.position("local"))

        seen = [await scanned_texts(store, CorpusQuery(scope=SCOPE, as_of=position)) for position in positions]

        assert seen == [["first"], ["second"], [], ["third"]]
        assert await scanned_texts(store) == ["third"]

    async def test_rewritten_preview_is_seen_as_it_was(self, store: SessionStore) -> None:
        """A scan as of a position sees the preview of that moment, a scan of now the current one, never both.

        A store that gave the older one up says so by `rewritten`.

        If this fails: a run that is imported again takes its documents off the corpus instead of superseding them.
        """
        positions = []
        for version, text in enumerate(("first", "second", "third")):
            await store.import_batch(imported("s1", version, run=(f"{text} preview", version)))
            positions.append(await store.position("local"))

        for position, text in zip(positions, ("first", "second", "third"), strict=True):
            query = CorpusQuery(scope=SCOPE, as_of=position)
            seen = await scanned_texts(store, query)
            assert seen == [f"{text} preview"] or (seen == [] and await store.rewritten(query) == 1)
        assert await scanned_texts(store) == ["third preview"]

    async def test_replaced_log_is_a_rewrite_of_scans_as_of_before(self, store: SessionStore) -> None:
        """A scan as of before a log was replaced sees its old documents, or `rewritten` counts the session.

        Only where the query selects it, and not for scans as of the replacement or later.

        If this fails: who pages through the older moment is told that nothing is missing.
        """
        for session_id in ("s1", "s2"):
            await store.import_batch(imported(session_id, 0, says("before")))
        before = CorpusQuery(scope=SCOPE, as_of=await store.position("local"))
        await store.import_batch(imported("s1", 1, says("after"), replace=True))
        after = CorpusQuery(scope=SCOPE, as_of=await store.position("local"))
        other = CorpusQuery(scope=SCOPE, as_of=before.as_of, filter=CorpusFilter(session_ids=("s2",)))

        lost = await store.rewritten(before)

        assert len(await scanned_texts(store, before)) == 2 - lost
        assert [await store.rewritten(query) for query in (after, other, QUERY)] == [0, 0, 0]

    async def test_rename_dates_the_title_when_it_was_set(self, store: SessionStore, clock: ManualClock) -> None:
        """A title's time is when it was set; an edit of something else, or to the same title, does not move it.

        If this fails: the document is rewritten with every edit.
        """
        await created(store, title="first")
        clock.advance(10)
        await store.update_session(SCOPE, "s1", SessionChange(title="second"))
        renamed = clock.now()
        clock.advance(10)
        await store.update_session(SCOPE, "s1", SessionChange(profile="work"))

        assert [(text, each.time) for each, text in await scanned(store)] == [("second", renamed)]

    async def test_tombstone_takes_its_documents_out_of_every_scan(self, store: SessionStore) -> None:
        """A session deleted since is not seen, also as of a position at which it was there.

        If this fails: old pages of a search would show what a person deleted.
        """
        await created(store, title="a title")
        await store.append(key(), [says("hello")])
        as_of = await store.position("local")

        await deleted(store)

        assert await scanned_texts(store) == []
        assert await scanned_texts(store, CorpusQuery(scope=SCOPE, as_of=as_of)) == []

    async def test_running_scan_sees_one_snapshot(self, store: SessionStore) -> None:
        """What is written while a scan runs is not part of it.

        If this fails: keep the read transaction, or the state, of the scan until it is closed.
        """
        texts = await fill_interleaved(store)
        found: list[str] = []
        scan = store.scan_corpus(QUERY)

        async for each in scan:
            if not found:
                await created(store, "late", title="late", created_at=START - DAY)
                await store.append(key("x:1"), [says("late as well", at=START - DAY)])
            found += [each.text[document.start : document.end].decode() for document in each.documents()]

        assert sorted(found) == texts

    async def test_closed_scan_frees_its_snapshot(self, store: SessionStore) -> None:
        """A scan may be left at any batch: it ends, gives back what it held, and the next is of the store of then.

        If this fails: closing the iterator must end its transaction, and not only put the connection back.
        """
        texts = await fill_interleaved(store)

        for number in range(20):  # more than a store keeps connections
            scan = store.scan_corpus(QUERY)
            left = await anext(scan)
            await scan.aclose()
            await created(store, f"n{number}", title=f"named {number}")
            with pytest.raises(StopAsyncIteration):
                await anext(scan)

        assert left.documents()
        assert await scanned_texts(store) == sorted([*texts, *(f"named {number}" for number in range(20))])


__all__ = ["SnapshotRules"]
