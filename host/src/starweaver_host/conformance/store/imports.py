"""Rules of import: batches, incarnations, titles and times of sessions that were written elsewhere."""

from __future__ import annotations

import itertools
from typing import Any

import msgspec

from starweaver_host.conformance.context import START, ManualClock
from starweaver_host.contract.corpus import Attribution, CorpusQuery
from starweaver_host.contract.events import NewEvent, TitleChange, new_event
from starweaver_host.contract.records import AccessScope, ExternalSource, Run, SessionChange, TextPart
from starweaver_host.contract.store import RunListQuery, SessionStore
from starweaver_host.contract.transcripts import ImportBatch, LedgerEntry
from starweaver_host.projection.documents import identity_hash

from .samples import DAY, EVERYTHING, SCOPE, asks, created, deleted, header, refused, says, scanned, scanned_texts
from .suite import StoreSuite


def entry(item_key: str = "item", version: int = 0, **fields: Any) -> LedgerEntry:
    """A ledger entry read against `version`."""
    return LedgerEntry(**{"item_key": item_key, "fingerprint": "f", "reader_version": 1, "version": version, **fields})


def batch(session_id: str | None = "x:1", *events: NewEvent, version: int = 0, **fields: Any) -> ImportBatch:
    """A batch of source `x` that appends at `expected_next_seq` (0 unless given) to a session of the same name."""
    native = ExternalSource(source="x", native_id=(session_id or "").partition(":")[2])
    session = header(session_id, origin="import", external=native) if session_id is not None else None
    defaults = {"namespace_id": "local", "source": "x", "session": session, "ledger": entry(session_id or "i", version)}
    return ImportBatch(**{**defaults, "events": events, **fields})


def turn(number: int, session_id: str = "x:1", *, output: str | None = None, at: int = START) -> Run:
    """A completed run of an import."""
    return Run(
        namespace_id="local",
        session_id=session_id,
        run_id=f"t{number}",
        sequence_no=number,
        status="completed",
        trigger="import",
        input=(TextPart(text=f"question {number}"),),
        output_preview=output,
        created_at=at,
        started_at=at,
        ended_at=at + 1,
        updated_at=at + 1,
    )


async def content(store: SessionStore, session_id: str) -> list[Any]:
    """Everything a session shows that does not depend on when or in which order it was stored."""
    session = await store.get_session(EVERYTHING, session_id)
    window = await store.read_events(EVERYTHING, session_id)
    runs = (await store.list_runs(EVERYTHING, session_id, RunListQuery())).runs
    query = CorpusQuery(scope=AccessScope(session_ids=frozenset({session_id})))
    documents = sorted((each.ref, each.time, each.identity, text) for each, text in await scanned(store, query))
    return [msgspec.structs.replace(session, activity_revision=0), window, runs, documents]


class ImportRules(StoreSuite):
    """A batch is stored whole, and the result does not depend on the order of sessions."""

    async def test_first_batch_creates_the_session(self, store: SessionStore, clock: ManualClock) -> None:
        """The first batch of a session creates it with log, runs, documents, title, and the transcript's times.

        If this fails: `updated_at` is the transcript's newest time, `imported_at` the store's now.
        """
        clock.advance(5)
        first = batch(
            "x:1",
            asks("question 1", run_id="t1"),
            says("answer", run_id="t1"),
            runs=(turn(1, output="answer"),),
            title="a title",
            title_source="source",
            updated_at=START - DAY,
        )

        receipt = await store.import_batch(first)

        session = await store.get_session(SCOPE, "x:1")
        assert (receipt.created, receipt.next_seq, receipt.incarnation, receipt.session_id) == (True, 2, 0, "x:1")
        assert (session.header, session.title, session.title_source) == (first.session, "a title", "source")
        assert (session.updated_at, session.imported_at) == (START - DAY, clock.now())
        assert (session.counts.runs, session.counts.messages, session.head_run_id) == (1, 2, "t1")
        assert (await store.list_runs(SCOPE, "x:1", RunListQuery())).runs == first.runs
        assert await scanned_texts(store) == ["a title", "answer", "answer", "question 1"]

    async def test_later_batch_appends(self, store: SessionStore) -> None:
        """A batch goes on behind the log's end in the same incarnation; runs are upserted by id.

        If this fails: appended events get wrong seqs, or a run that grew is stored twice.
        """
        await store.import_batch(batch("x:1", asks("one"), runs=(turn(1),)))

        later = batch("x:1", says("two"), version=1, expected_next_seq=1, runs=(turn(1, output="two"), turn(2)))
        receipt = await store.import_batch(later)

        runs = (await store.list_runs(SCOPE, "x:1", RunListQuery())).runs
        assert (receipt.created, receipt.next_seq, receipt.incarnation) == (False, 2, 0)
        assert runs == later.runs
        assert await scanned_texts(store) == ["question 1", "question 2", "two", "two"]

    async def test_append_at_another_end_is_a_conflict(self, store: SessionStore) -> None:
        """A batch that expects another end of the log writes nothing, its ledger entry included.

        If this fails: the ledger is written in a transaction of its own.
        """
        await store.import_batch(batch("x:1", asks("one")))
        before = await content(store, "x:1")

        with refused("conflict"):
            await store.import_batch(batch("x:1", says("two"), version=1, expected_next_seq=0))

        assert await content(store, "x:1") == before
        assert (await store.ledger("local", "x"))["x:1"].version == 1

    async def test_malformed_event_refuses_the_whole_batch(self, store: SessionStore) -> None:
        """Nothing of a batch with a malformed surface operation is stored: no session, no event, no ledger entry.

        If this fails: session, events and ledger are several transactions.
        """
        malformed = NewEvent(type="user/message", time=0, data={})

        with refused("invalid"):
            await store.import_batch(batch("x:1", asks("good"), malformed))

        assert await store.get_sessions(EVERYTHING, ["x:1"]) == ()
        assert (await store.ledger("local", "x"), await scanned(store)) == ({}, [])

    async def test_replacing_batch_begins_a_new_incarnation(self, store: SessionStore) -> None:
        """`replace` gives the log anew under the next incarnation; nothing of the old log is found any more.

        If this fails: old events, runs, documents or counts survive, or the incarnation stays.
        """
        old = batch("x:1", asks("old question", identity="m0"), says("old answer"), runs=(turn(1), turn(2)))
        await store.import_batch(old)

        new = batch("x:1", says("new answer"), version=1, replace=True, runs=(turn(1, output="new answer"),))
        receipt = await store.import_batch(new)

        session = await store.get_session(SCOPE, "x:1")
        window = await store.read_events(SCOPE, "x:1")
        assert (receipt.incarnation, receipt.next_seq, receipt.created) == (1, 1, False)
        assert (window.incarnation, window.next_seq, len(window.events)) == (1, 1, 1)
        assert (session.counts.events, session.counts.messages, session.counts.runs) == (1, 1, 1)
        assert await scanned_texts(store) == ["new answer", "new answer", "question 1"]

    async def test_replacing_an_unknown_session_begins_it(self, store: SessionStore) -> None:
        """For a session the store does not hold, `replace` and append both begin it at incarnation 0.

        If this fails: `replace` looks for a log that must be there.
        """
        receipt = await store.import_batch(batch("x:1", says("hello"), replace=True))

        assert (receipt.created, receipt.incarnation, receipt.next_seq) == (True, 0, 1)

    async def test_deleted_session_stays_deleted(self, store: SessionStore) -> None:
        """A tombstoned session is skipped and reported, and its ledger entry is written so that it is not read again.

        If this fails: what a person deleted here comes back with the next import.
        """
        await store.import_batch(batch("x:1", asks("one")))
        await deleted(store, "x:1")
        before = await store.get_session(EVERYTHING, "x:1")

        for number, replace in enumerate((False, True), start=1):
            again = batch("x:1", says("two"), version=number, replace=replace, expected_next_seq=1)
            receipt = await store.import_batch(again)
            assert (receipt.skipped_tombstone, receipt.created, receipt.ledger_version) == (True, False, number + 1)

        assert await store.get_session(EVERYTHING, "x:1") == before
        assert (await store.read_events(EVERYTHING, "x:1")).next_seq == 1

    async def test_title_a_person_set_here_wins(self, store: SessionStore) -> None:
        """No import replaces a title that was set here, neither a guess nor one a person gave in the other tool.

        If this fails: only the title's source is compared; one set here and one imported may both say `user`.
        """
        await store.import_batch(batch("x:1", asks("one"), title="theirs", title_source="user"))
        await store.update_session(SCOPE, "x:1", SessionChange(title="mine"))

        await store.import_batch(batch("x:1", version=1, expected_next_seq=1, title="new", title_source="user"))
        replaced = batch("x:1", asks("one"), version=2, replace=True, title="newer", title_source="user")
        await store.import_batch(replaced)

        assert (await store.get_session(SCOPE, "x:1")).title == "mine"

    async def test_better_title_replaces_a_guess(self, store: SessionStore) -> None:
        """Until a person set one, the transcript's newest title counts; a person's there beats a later guess.

        If this fails: the first title sticks, or a generated one replaces a chosen one.
        """
        titles = [("guess", "rule"), ("better", "model"), ("chosen", "user"), ("guess again", "model")]
        seen = []

        for version, (title, source) in enumerate(titles):
            await store.import_batch(batch("x:1", version=version, title=title, title_source=source))
            seen.append((await store.get_session(SCOPE, "x:1")).title)

        assert seen == ["guess", "better", "chosen", "chosen"]

    async def test_time_of_an_imported_session_is_its_transcripts(
        self, store: SessionStore, clock: ManualClock
    ) -> None:
        """Importing later, or renaming, does not make an old conversation new.

        If this fails: `updated_at` is taken from the clock. Only `imported_at` is.
        """
        await store.import_batch(batch("x:1", asks("one"), updated_at=START - DAY))
        clock.advance(60)
        await store.import_batch(batch("x:1", says("two"), version=1, expected_next_seq=1, updated_at=START - 5))

        session = await store.update_session(SCOPE, "x:1", SessionChange(title="renamed"))

        assert (session.updated_at, session.imported_at) == (START - 5, clock.now())

    async def test_batch_that_says_nothing_new_moves_nothing(self, store: SessionStore) -> None:
        """A batch without events, runs, or a newer title or time, writes its ledger entry and leaves the feed alone.

        If this fails: every refresh of unchanged sources would make every index look at every session.
        """
        await store.import_batch(batch("x:1", asks("one"), title="t", title_source="source", updated_at=START))
        before = await content(store, "x:1"), await store.position("local")

        same = batch("x:1", version=1, expected_next_seq=1, title="t", title_source="source", updated_at=START)
        receipt = await store.import_batch(same)

        assert receipt.ledger_version == 2
        assert (await content(store, "x:1"), await store.position("local")) == before

    async def test_any_order_of_sessions_gives_the_same_content(self, store: SessionStore) -> None:
        """Importing the same sessions in any order gives the same sessions, events, runs, documents and counts.

        If this fails: roots, message counts or titles depend on what was there first.
        """
        spaces = []
        for number, order in enumerate(itertools.permutations(_family())):
            spaces.append(f"space{number}")
            for one in order:
                await store.import_batch(_moved(one, spaces[-1]))

        contents = [await _space(store, space) for space in spaces]

        assert all(each == contents[0] for each in contents[1:])
        assert [root for _, root, *_ in contents[0][0]] == ["x:early", "x:early", "x:early"]

    async def test_shared_history_counts_once_and_belongs_to_the_earliest(self, store: SessionStore) -> None:
        """A message that several sessions carry is counted in the earliest of them, and attributed to it.

        If this fails: copies made by resuming or forking are counted again.
        """
        await store.import_batch(_family()[2])
        await store.import_batch(_family()[0])

        counts = [session.counts.messages for session in await store.get_sessions(SCOPE, ["x:early", "x:late"])]
        found = await store.attribute(SCOPE, [identity_hash("m1"), identity_hash("m2"), identity_hash("m3")])

        assert counts == [2, 1]
        assert [(each.identity, each.owner_session_id, each.session_ids) for each in found] == [
            (identity_hash("m1"), "x:early", ("x:early", "x:late"))
        ]

    async def test_replaced_log_gives_its_shared_messages_up(self, store: SessionStore) -> None:
        """When the owner of a message no longer carries it, the next earliest session owns and counts it.

        If this fails: identities of a replaced log are kept.
        """
        for one in _family():
            await store.import_batch(one)

        await store.import_batch(batch("x:early", says("all new", identity="m9"), version=1, replace=True))

        found = await store.attribute(SCOPE, [identity_hash("m1")])
        late = await store.get_session(SCOPE, "x:late")
        assert ([each.owner_session_id for each in found], late.counts.messages) == (["x:child"], 1)

    async def test_title_event_dates_the_title_document(self, store: SessionStore) -> None:
        """The time of an imported title is when the transcript set it, else the session's beginning: never now.

        If this fails: an old conversation's title sorts as the newest document.
        """
        named = new_event(TitleChange(title="named", source="model"), time=(START + DAY) // 1000)
        await store.import_batch(batch("x:1", named, title="named", title_source="model"))
        await store.import_batch(batch("x:2", asks("hello"), title="plain", title_source="rule"))

        times = {text: each.time for each, text in await scanned(store) if each.ref.source == "session_metadata"}

        assert times == {"named": START + DAY, "plain": START}

    async def test_imported_session_goes_on_live(self, store: SessionStore) -> None:
        """An imported session takes live edits and, as a known id, cannot be created.

        If this fails: imported sessions live in tables of their own.
        """
        await store.import_batch(batch("x:1", asks("one")))

        archived = await store.update_session(SCOPE, "x:1", SessionChange(archived=True), expected_revision=1)
        with refused("already_exists"):
            await created(store, "x:1")

        assert (archived.status, archived.revision) == ("archived", 2)


def _family() -> tuple[ImportBatch, ...]:
    """An early session, its child and grandchild; all carry message m1, in files of their own."""
    early = batch("x:early", asks("shared", identity="m1"), says("answer", identity="m2"), title="t")
    child = batch("x:child", asks("shared", identity="m1"), runs=(turn(1, "x:child"),))
    late = batch("x:late", asks("shared", identity="m1"), says("other", identity="m3"), title="t")
    return (
        early,
        _later(child, START + DAY, "x:early"),
        _later(late, START + 2 * DAY, "x:child"),
    )


def _later(one: ImportBatch, created_at: int, parent: str) -> ImportBatch:
    assert one.session is not None
    session = msgspec.structs.replace(one.session, created_at=created_at, parent_session_id=parent)
    return msgspec.structs.replace(one, session=session)


def _moved(one: ImportBatch, space: str) -> ImportBatch:
    assert one.session is not None
    session = msgspec.structs.replace(one.session, namespace_id=space)
    runs = tuple(msgspec.structs.replace(run, namespace_id=space) for run in one.runs)
    return msgspec.structs.replace(one, namespace_id=space, session=session, runs=runs)


async def _space(store: SessionStore, space: str) -> tuple[list[Any], tuple[Attribution, ...]]:
    """What the family looks like in a namespace, and who owns its messages."""
    scope = AccessScope(namespace_id=space)
    found = []
    for session in await store.get_sessions(scope, ["x:early", "x:child", "x:late"]):
        session_id = session.header.session_id
        query = CorpusQuery(scope=msgspec.structs.replace(scope, session_ids=frozenset({session_id})))
        documents = sorted((each.ref, each.time, text) for each, text in await scanned(store, query))
        window = await store.read_events(scope, session_id)
        found.append((session_id, session.root_session_id, session.counts, session.updated_at, window, documents))
    return found, await store.attribute(scope, [identity_hash(f"m{number}") for number in range(4)])


__all__ = ["ImportRules", "batch", "content", "entry", "turn"]
