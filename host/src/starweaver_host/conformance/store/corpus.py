"""Rules of the search corpus: what a scan yields and in which order."""

from __future__ import annotations

import msgspec
import pytest

from starweaver_host.conformance.context import START, ManualClock
from starweaver_host.contract.corpus import (
    SEARCH_SOURCES,
    CorpusBatch,
    CorpusFilter,
    CorpusQuery,
    DocumentRef,
    SearchSource,
)
from starweaver_host.contract.events import TurnEnd, new_event
from starweaver_host.contract.records import AccessScope
from starweaver_host.contract.store import SessionStore
from starweaver_host.projection.documents import identity_hash
from starweaver_host.projection.folding import fold

from .filled import fill_corpus, fill_interleaved
from .imports import batch, turn
from .listing import FILTERS
from .oracle import actual, expected
from .samples import (
    COMPLETED,
    EVERYTHING,
    SCOPE,
    admitted,
    asks,
    created,
    ended,
    key,
    refused,
    says,
    scanned,
    scanned_texts,
    text_input,
)
from .suite import StoreSuite

QUERY = CorpusQuery(scope=SCOPE)


async def _batches(store: SessionStore, query: CorpusQuery = QUERY) -> list[CorpusBatch]:
    return [each async for each in store.scan_corpus(query)]


class CorpusRules(StoreSuite):
    """Every document once, newest batches first, folded, filtered inside."""

    async def test_each_source_has_its_documents(self, store: SessionStore, clock: ManualClock) -> None:
        """A title, each text part of an input, a terminal run's preview and each display message are documents.

        If this fails: look at `projection.documents`; a title has the time it was set, an input when its run was
        made, an output its end.
        """
        await created(store, title="A  Title")
        clock.advance(10)
        made = clock.now()
        lease = (await admitted(store, input=text_input("First Part", "Second"))).lease
        clock.advance(10)
        await store.transition_run(lease, "running")
        failed = new_event(TurnEnd(turn=1, reason="failed", error_message="It Broke"), time=(START + 7_000) // 1000)
        await store.append(key(), [says("Straße", at=START + 5_000, run_id="r1", identity="m"), failed], lease=lease)
        clock.advance(10)
        await store.finalise_run(lease, COMPLETED)

        found = {
            (each.ref.source, each.ref.part, each.ref.seq): (text, each.time) for each, text in await scanned(store)
        }

        assert found == {
            ("session_metadata", 0, None): ("a title", START),
            ("run_input", 0, None): ("first part", made),
            ("run_input", 1, None): ("second", made),
            ("run_output_preview", 0, None): ("all done", clock.now()),
            ("display_message", 0, 0): ("strasse", START + 5_000),
            ("display_message", 0, 1): ("it broke", START + 7_000),
        }

    async def test_documents_name_root_and_identity(self, store: SessionStore) -> None:
        """A document carries its session's root, and the identity hash of the message it came from.

        If this fails: copies cannot be recognised, or subagents not folded under their root.
        """
        await created(store, "root")
        await created(store, "child", parent_session_id="root")
        await store.append(key("child"), [says("with", identity="m1"), says("without")])

        found = {text: (each.root_session_id, each.identity) for each, text in await scanned(store)}

        assert found == {"with": ("root", identity_hash("m1")), "without": ("root", None)}

    async def test_run_documents_carry_the_identity_of_their_message(self, store: SessionStore) -> None:
        """An imported run's input is its first user message's copy, its preview that of its last assistant message.

        If this fails: shared history is found once per copy, under different names.
        """
        run = turn(1, output="two")
        events = [asks("question 1", run_id="t1", identity="q"), says("one", run_id="t1", identity="a1")]
        last = says("two", run_id="t1", identity="a2")
        await store.import_batch(batch("x:1", *events, last, runs=(run,)))

        found = {each.ref.source: each.identity for each, _ in await scanned(store) if each.ref.seq is None}

        assert found == {"run_input": identity_hash("q"), "run_output_preview": identity_hash("a2")}

    async def test_every_document_comes_once_folded(self, store: SessionStore) -> None:
        """A scan yields every document exactly once, its text folded, its offsets at its own text.

        If this fails: documents at the border of two batches or blocks are lost or doubled.
        """
        texts = await fill_interleaved(store)

        assert await scanned_texts(store) == [fold(text) for text in texts]

    async def test_no_later_document_is_newer_than_its_batch(self, store: SessionStore) -> None:
        """No document of a batch, or of a later one, is newer than the batch's `newest`.

        If this fails: a search that stops early would miss newer matches.
        """
        await fill_interleaved(store)
        batches = await _batches(store)
        newest = [max((document.time for document in each.documents()), default=0) for each in batches]

        bounds = [each.newest for each in batches]

        assert bounds == sorted(bounds, reverse=True)
        assert all(time <= bound for time, bound in zip(newest, bounds, strict=True))

    async def test_a_nul_stands_between_documents(self, store: SessionStore) -> None:
        """Documents of a batch do not touch: a NUL byte separates them, and no folded text holds one.

        If this fails: a match could span two documents, or hit text that belongs to none.
        """
        await created(store, title="nul\0inside")
        await store.append(key(), [says("one"), says("t\0wo"), says("\0"), says("three")])

        for each in await _batches(store):
            documents = each.documents()
            ends = [(document.start, document.end) for document in documents]
            assert ends == sorted(ends)
            assert all(b"\0" not in each.text[start:end] for start, end in ends)
            assert all(each.text[end : end + 1] in (b"\0", b"") for _, end in ends)
            assert all(start == 0 or each.text[start - 1 : start] == b"\0" for start, _ in ends)

    async def test_blank_texts_make_no_document(self, store: SessionStore) -> None:
        """White space alone is no document.

        If this fails: empty documents match everything that is empty.
        """
        await created(store, title=" \n")
        await ended(store, input=text_input("", " \t"))
        await store.append(key(), [says(""), says("\u3000")])

        assert await scanned_texts(store) == ["all done"]

    async def test_active_run_has_no_preview_document(self, store: SessionStore) -> None:
        """A run's input is found while it runs, its output when it has ended.

        If this fails: documents are written at the wrong time.
        """
        await created(store)
        lease = (await admitted(store, input=text_input("do it"))).lease
        before = await scanned_texts(store)

        await store.finalise_run(lease, COMPLETED)

        assert (before, await scanned_texts(store)) == (["do it"], ["all done", "do it"])

    @pytest.mark.parametrize("name", FILTERS)
    async def test_scan_holds_what_its_filter_selects(self, store: SessionStore, clock: ManualClock, name: str) -> None:
        """A scan sees the documents of the sessions, and of the runs, that its filter selects.

        If this fails: compare with `starweaver_host.conformance.memory.filters`.
        """
        session_ids = await fill_corpus(store, clock)
        query = CorpusQuery(scope=EVERYTHING, filter=FILTERS[name])

        assert await actual(store, query) == await expected(store, query, session_ids)

    @pytest.mark.parametrize("source", SEARCH_SOURCES)
    async def test_scan_holds_the_sources_it_names(
        self, store: SessionStore, clock: ManualClock, source: SearchSource
    ) -> None:
        """`sources` selects documents, not sessions.

        If this fails: other sources show through, or their text is listed.
        """
        await fill_corpus(store, clock)

        found = await scanned(store, CorpusQuery(scope=SCOPE, filter=CorpusFilter(sources=(source,))))

        assert {each.ref.source for each, _ in found} == {source}

    async def test_older_than_leaves_newer_documents_out(self, store: SessionStore) -> None:
        """`older_than` is exclusive and looks at the document's time.

        If this fails: it is applied to batches, or to sessions.
        """
        await fill_interleaved(store)
        limit = START + 20 * 60_000_000 + 3

        found = [each.time for each, _ in await scanned(store, CorpusQuery(scope=SCOPE, older_than=limit))]
        every = [each.time for each, _ in await scanned(store)]

        assert sorted(found) == sorted(time for time in every if time < limit)

    async def test_texts_are_read_in_the_order_asked_for(self, store: SessionStore, clock: ManualClock) -> None:
        """`read_texts` gives the original texts in the order of its references, None where there is none.

        If this fails: folded text is returned, or the engine's order shows through.
        """
        await fill_corpus(store, clock)
        refs = [each.ref for each, _ in await scanned(store)]
        absent = [
            DocumentRef(session_id="absent", source="session_metadata"),
            DocumentRef(session_id="plain", source="run_input", run_id="absent"),
            DocumentRef(session_id="plain", source="display_message", seq=9999),
        ]

        texts = await store.read_texts(SCOPE, [*refs[::-1], *absent, refs[0]])

        originals = dict(zip(refs[::-1], texts[: len(refs)], strict=True))
        assert texts[len(refs) :] == (None, None, None, originals[refs[0]])
        assert "Title of Plain" in texts
        assert {each.ref: text for each, text in await scanned(store)} == {
            ref: fold(text) for ref, text in originals.items() if text is not None
        }

    async def test_identities_of_one_session_are_not_attributed(self, store: SessionStore) -> None:
        """Only messages that several visible sessions hold are attributed; order of the question is kept.

        If this fails: every identity gets an answer, or owners outside the scope are named.
        """
        await created(store, "b", created_at=START)
        await created(store, "a", created_at=START)
        await created(store, "older", created_at=START - 1)
        for session_id, names in (("a", "pqr"), ("b", "qr"), ("older", "r")):
            await store.append(key(session_id), [asks(name, identity=name) for name in names])
        narrow = AccessScope(session_ids=frozenset({"a", "b"}))

        wide = await store.attribute(SCOPE, [identity_hash(name) for name in "rqpx"])
        seen = await store.attribute(narrow, [identity_hash("r")])

        assert [(each.identity, each.owner_session_id, each.session_ids) for each in wide] == [
            (identity_hash("r"), "older", ("older", "a", "b")),
            (identity_hash("q"), "a", ("a", "b")),
        ]
        assert [(each.owner_session_id, each.session_ids) for each in seen] == [("a", ("a", "b"))]

    async def test_replaced_log_is_replaced_in_the_corpus(self, store: SessionStore) -> None:
        """Texts of an earlier incarnation are gone from scans of now and from `read_texts`.

        If this fails: the corpus keeps documents of a log that is no more.
        """
        await store.import_batch(batch("x:1", says("old"), says("older")))
        refs = [each.ref for each, _ in await scanned(store)]

        await store.import_batch(batch("x:1", says("new"), version=1, replace=True))

        gone = [ref for ref in refs if ref.seq == 1]
        assert (await scanned_texts(store), await store.read_texts(SCOPE, gone)) == (["new"], (None,))

    async def test_grown_run_has_its_newest_preview_only(self, store: SessionStore) -> None:
        """An imported run that grew shows its new input parts and its new preview, each once.

        If this fails: an upserted run leaves its old documents behind.
        """
        await store.import_batch(batch("x:1", asks("one", run_id="t1"), runs=(turn(1, output="half"),)))
        grown = msgspec.structs.replace(turn(1, output="whole", at=START), input=text_input("question 1", "and more"))

        await store.import_batch(batch("x:1", version=1, expected_next_seq=1, runs=(grown,)))

        assert await scanned_texts(store) == ["and more", "question 1", "whole"]

    async def test_position_of_another_kind_is_refused(self, store: SessionStore) -> None:
        """A scan as of something that is no position of this feed is `invalid`.

        If this fails: a forged or foreign position would be answered with somebody's guess.
        """
        await created(store, title="t")

        with refused("invalid"):
            await scanned(store, CorpusQuery(scope=SCOPE, as_of="not a position"))
        with refused("invalid"):
            await store.changes("local", after="not a position")


__all__ = ["CorpusRules"]
