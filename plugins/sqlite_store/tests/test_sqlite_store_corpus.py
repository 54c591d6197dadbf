"""The corpus: what a scan sees, in what order, as of when, and what a change takes off."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from typing import Any

import pytest
from msgspec.structs import replace

from starweaver_host.contract.corpus import CorpusBatch, CorpusFilter, CorpusQuery, DocumentRef, TimeRange
from starweaver_host.contract.errors import StoreError
from starweaver_host.contract.events import TurnEnd, new_event
from starweaver_host.contract.records import (
    AccessScope,
    ExternalSource,
    SessionChange,
    SessionDraft,
    TextPart,
    Workspace,
)
from starweaver_host.contract.store import RunOutcome

SCOPE = AccessScope()


def test_scan_yields_folded_texts_of_all_four_sources(bench: Any, store: Any, make: Any) -> None:
    """Title, run input, output preview and display message are each one document, folded."""
    run = make.imported_run(input=(TextPart(text="Straße"),), output_preview="ÜBER")
    bench.run(store.import_batch(make.imported("s1", make.said("Answer", run_id="r1"), title="Title", runs=(run,))))

    found = {document.ref.source: text for document, text in bench.scan(store)}

    assert found == {
        "session_metadata": "title",
        "run_input": "strasse",
        "run_output_preview": "über",
        "display_message": "answer",
    }


def test_batches_are_newest_first_and_hold_nothing_newer_than_they_say(bench: Any, store: Any, make: Any) -> None:
    """No document of this or a later batch is newer than the batch's `newest`, with many sessions interleaved."""
    rng = random.Random(7)
    for number in range(60):
        times = sorted(rng.randrange(1, 1_700_000_000) for _ in range(rng.randrange(1, 9)))
        events = [make.said("word " * rng.randrange(1, 9000), time=time) for time in times]
        title = f"title {number}" if number % 3 else None
        fields = {"created_at": rng.randrange(1, 1_700_000_000_000_000)}
        bench.run(store.import_batch(make.imported(f"s{number}", *events, title=title, header_fields=fields)))

    async def collect() -> list[CorpusBatch]:
        return [batch async for batch in store.scan_corpus(CorpusQuery(scope=SCOPE))]

    batches = bench.run(collect())

    limits = [batch.newest for batch in batches]
    assert len(batches) > 10
    assert sorted(limits, reverse=True) == limits
    assert all(document.time <= batch.newest for batch in batches for document in batch.documents())


@pytest.mark.parametrize("bounds", [{}, {"older_than": 9_000_000}], ids=["all", "older"])
def test_documents_at_places_are_those_a_batch_lists_there(bench: Any, store: Any, make: Any, bounds: Any) -> None:
    """Telling single documents decodes less and answers the same: in joined chunks, titles, and between documents."""
    for number in range(6):
        events = [make.said(f"word {number}.{at} " + "x" * at, time=1000 * (at + 3 * number) + 1) for at in range(9)]
        bench.run(store.import_batch(make.imported(f"s{number}", *events, title=f"title {number}")))

    async def collect() -> list[CorpusBatch]:
        return [batch async for batch in store.scan_corpus(CorpusQuery(scope=SCOPE, **bounds))]

    for batch in bench.run(collect()):
        listed = batch.documents()
        for step in (1, 7, 40):
            places = range(0, len(batch.text), step)
            held = tuple(each for each in listed if any(each.start <= place < each.end for place in places))
            assert batch.documents_at(places) == held
        assert batch.documents_at([each.start for each in listed]) == listed
        assert batch.documents_at(()) == ()


def test_documents_can_be_read_after_the_scan_was_closed(bench: Any, store: Any, make: Any) -> None:
    """A batch keeps what `documents()` needs."""
    bench.run(store.import_batch(make.imported("s1", make.said("hello"))))

    (found,) = bench.scan(store)
    bench.close_stores()

    assert found[0].ref == DocumentRef(session_id="s1", source="display_message", seq=0)


def test_scan_beyond_a_position_reads_the_texts_of_new_chunks_only(bench: Any, store: Any, make: Any) -> None:
    """What a long session has held before is not read again for one message that was added."""
    long = [make.said(f"{number} " + "word " * 20_000) for number in range(30)]
    bench.run(store.import_batch(make.imported("s1", *long)))
    position = bench.run(store.position("local"))
    bench.run(store.append(make.header().key, [make.said("new")]))

    async def collect() -> list[CorpusBatch]:
        return [batch async for batch in store.scan_corpus(CorpusQuery(scope=SCOPE, beyond=position))]

    batches = bench.run(collect())

    assert [document.ref.seq for batch in batches for document in batch.documents()] == [30]
    assert sum(len(batch.text) for batch in batches) < 300_000


def test_scan_as_of_sees_what_the_corpus_held_then(bench: Any, store: Any, make: Any) -> None:
    """Documents and titles that came later are left out; the title that was current then is seen."""
    bench.run(store.import_batch(make.imported("s1", make.said("old"), title="First")))
    then = bench.run(store.position("local"))
    bench.run(store.append(make.header().key, [make.said("new")]))
    bench.run(store.update_session(SCOPE, "s1", SessionChange(title="Second")))
    bench.run(store.import_batch(make.imported("s2", make.said("other"))))

    assert bench.texts(store, as_of=then) == ["first", "old"]
    assert bench.texts(store) == ["new", "old", "other", "second"]


def test_scan_older_than_leaves_out_documents_from_that_time_on(bench: Any, store: Any, make: Any) -> None:
    """The bound is exclusive and holds inside a chunk."""
    bench.run(store.import_batch(make.imported("s1", *(make.said(f"at {time}", time=time) for time in range(1, 6)))))

    assert bench.texts(store, older_than=3000) == ["at 1", "at 2"]


def test_position_of_another_form_is_invalid(bench: Any, store: Any, make: Any) -> None:
    """A token that this store did not hand out is refused."""
    for text in ("", "nonsense", "-1", "0x10", " 0000000000000001"):
        with pytest.raises(StoreError) as caught:
            bench.run(store.changes("local", after=text))
        assert caught.value.code == "invalid"


def test_growing_run_replaces_its_output_document(bench: Any, store: Any, make: Any) -> None:
    """A run that goes on in a later batch has one output document: the present one."""
    run = make.imported_run(output_preview="half")
    bench.run(store.import_batch(make.imported("s1", make.said("half", run_id="r1"), runs=(run,))))
    longer = replace(run, output_preview="whole", revision=2)
    batch = make.imported("s1", make.said("whole", run_id="r1"), version=1, expected_next_seq=1, runs=(longer,))
    bench.run(store.import_batch(batch))

    found = [(document.ref.source, text) for document, text in bench.scan(store)]

    assert sorted(found) == [
        ("display_message", "half"),
        ("display_message", "whole"),
        ("run_input", "question"),
        ("run_output_preview", "whole"),
    ]


def test_deleted_run_takes_its_documents_and_leaves_its_events(bench: Any, store: Any, make: Any) -> None:
    """Pruning removes the record and its two documents; what was said stays searchable."""
    bench.run(store.import_batch(make.imported("s1", make.said("said", run_id="r1"), runs=(make.imported_run(),))))
    bench.run(store.delete_run(SCOPE, "s1", "r1"))

    session = bench.run(store.get_session(SCOPE, "s1"))

    assert bench.texts(store) == ["said"]
    assert (session.counts.runs, session.head_run_id, session.next_seq) == (0, None, 1)


def test_replaced_log_leaves_nothing_of_the_old_one(bench: Any, store: Any, make: Any) -> None:
    """A rewritten source replaces events, runs, documents and counts under a new incarnation."""
    events = [make.said(f"old {number}", identity=f"m{number}") for number in range(5)]
    bench.run(store.import_batch(make.imported("s1", *events, runs=(make.imported_run(),))))
    batch = make.imported("s1", make.said("new", identity="n"), version=1, replace=True)
    receipt = bench.run(store.import_batch(batch))

    session = bench.run(store.get_session(SCOPE, "s1"))

    assert (receipt.incarnation, receipt.next_seq) == (1, 1)
    assert bench.texts(store) == ["new"]
    assert (session.counts.events, session.counts.messages, session.counts.runs) == (1, 1, 0)
    assert bench.run(store.check()).problems == ()


def test_run_status_filter_hides_documents_of_other_runs(bench: Any, store: Any, make: Any) -> None:
    """Documents of a run of another status are left out; what belongs to no run comes with its session."""
    runs = (make.imported_run(), make.imported_run(run_id="r2", number=2, status="cancelled", output_preview=None))
    events = [make.said("of r1", run_id="r1"), make.said("of r2", run_id="r2")]
    bench.run(store.import_batch(make.imported("s1", *events, title="Title", runs=runs)))
    bench.run(store.import_batch(make.imported("s2", make.said("elsewhere"))))

    found = bench.texts(store, filter=CorpusFilter(run_statuses=("cancelled",)))

    assert found == ["of r2", "question", "title"]


def test_tombstoned_session_leaves_scans_unless_named_and_allowed(bench: Any, store: Any, make: Any) -> None:
    """Deleted evidence is seen only by a scope that includes it and a filter that names it."""
    bench.run(store.import_batch(make.imported("s1", make.said("buried"))))
    bench.run(store.acquire_fence(SCOPE, "s1", fence_id="f", requested_by="me", expected_revision=None))
    bench.run(store.tombstone_session(SCOPE, "s1", fence_id="f"))
    wide, named = AccessScope(include_deleted=True), CorpusFilter(statuses=("deleted",))

    assert bench.texts(store) == []
    assert bench.texts(store, scope=wide) == []
    assert bench.texts(store, filter=named) == []
    assert bench.texts(store, scope=wide, filter=named) == ["buried"]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (CorpusFilter(cwd_prefix="/home/me"), ["exact", "inside"]),
        (CorpusFilter(cwd_prefix="/home/me/"), ["exact", "inside"]),
        (CorpusFilter(cwd_prefix="/home/m_"), []),
        (CorpusFilter(cwd_prefix="/home/me%"), []),
        (CorpusFilter(workspaces=("w1",)), ["exact"]),
        (CorpusFilter(workspaces=("Label",)), ["beside"]),
        (CorpusFilter(agents=("codex",)), ["inside"]),
        (CorpusFilter(session_ids=("inside", "beside")), ["beside", "inside"]),
        (CorpusFilter(roots=("exact",)), ["exact", "inside"]),
        (CorpusFilter(include_children=False), ["beside", "exact"]),
        (CorpusFilter(created=TimeRange(start=2, until=3)), ["inside"]),
        (CorpusFilter(sources=("session_metadata",)), []),
        (CorpusFilter(statuses=("archived",)), ["beside"]),
    ],
)
def test_filters_choose_sessions_by_their_columns(
    bench: Any, store: Any, make: Any, wanted: CorpusFilter, expected: list[str]
) -> None:
    """Every condition selects exactly; no character of a directory is a pattern."""
    headers = {
        "exact": {"created_at": 1, "cwd": "/home/me", "workspace": Workspace(id="w1")},
        "inside": {
            "created_at": 2,
            "cwd": "/home/me/x",
            "parent_session_id": "exact",
            "external": ExternalSource(source="codex", native_id="n"),
        },
        "beside": {"created_at": 3, "cwd": "/home/meadow", "workspace": Workspace(id="w2", label="Label")},
    }
    for name, fields in headers.items():
        bench.run(store.import_batch(make.imported(name, make.said(name), header_fields=fields)))
    bench.run(store.update_session(SCOPE, "beside", SessionChange(archived=True)))

    assert expected == bench.texts(store, filter=wanted)


def test_owner_and_allow_list_are_applied_inside(bench: Any, store: Any, make: Any) -> None:
    """A scope's owner and session list limit a scan."""
    for name, owner in (("a", "ann"), ("b", "bob")):
        bench.run(store.import_batch(make.imported(name, make.said(name), header_fields={"owner_id": owner})))

    assert bench.texts(store, scope=AccessScope(owner_id="ann")) == ["a"]
    assert bench.texts(store, scope=AccessScope(session_ids=frozenset({"b"}))) == ["b"]
    assert bench.texts(store, scope=AccessScope(session_ids=frozenset())) == []
    assert bench.texts(store, scope=AccessScope(namespace_id="other")) == []


def test_live_run_makes_input_at_admission_and_output_at_its_end(bench: Any, store: Any, make: Any) -> None:
    """The input is searchable as soon as the run is admitted, the output once it is terminal."""
    bench.run(store.create_session(SessionDraft(header=make.header())))
    lease = bench.run(store.admit_run(make.admission(input=(TextPart(text="Do it"),)))).lease
    assert bench.texts(store) == ["do it"]

    bench.run(store.finalise_run(lease, RunOutcome(status="completed", output_preview="Done")))

    assert bench.texts(store) == ["do it", "done"]


def test_read_texts_gives_originals_in_the_order_asked(bench: Any, store: Any, make: Any) -> None:
    """Each kind of document is read back as written; one that is gone or out of scope is None."""
    error = new_event(TurnEnd(turn=1, reason="failed", error_message="Broken Pipe"), time=9)
    events = [make.said("Ünïcode"), make.asked("not display"), error]
    bench.run(store.import_batch(make.imported("s1", *events, title="Title", runs=(make.imported_run(),))))
    refs = [
        DocumentRef(session_id="s1", source="display_message", seq=2),
        DocumentRef(session_id="s1", source="session_metadata"),
        DocumentRef(session_id="s1", source="run_input", run_id="r1", part=0),
        DocumentRef(session_id="s1", source="display_message", seq=0),
        DocumentRef(session_id="s1", source="run_output_preview", run_id="r1"),
        DocumentRef(session_id="s1", source="display_message", seq=77),
        DocumentRef(session_id="s9", source="session_metadata"),
    ]

    found = bench.run(store.read_texts(SCOPE, refs))

    assert found == ("Broken Pipe", "Title", "question", "Ünïcode", "answer", None, None)


def test_removed_document_is_gone_from_the_text_once_its_chunk_is_merged(bench: Any, store: Any, make: Any) -> None:
    """A text nobody owns any more does not stay for ever."""
    bench.run(store.import_batch(make.imported("s1", runs=(make.imported_run(output_preview="secret"),))))
    bench.run(store.delete_run(SCOPE, "s1", "r1"))
    bench.run(store.append(make.header().key, [make.said("a long enough message " * 20)]))

    with closing(sqlite3.connect(bench.folder / "starweaver.sqlite3")) as connection:
        texts = [row[0] for row in connection.execute("SELECT text FROM corpus_chunks")]

    assert not any(b"secret" in text for text in texts)
