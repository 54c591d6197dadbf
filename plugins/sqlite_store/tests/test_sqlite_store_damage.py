"""Damaged values: named to who asks for them, left out where others are asked for too, reported by the check."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

import pytest

from starweaver_host.contract.corpus import CorpusBatch, CorpusQuery, DocumentRef
from starweaver_host.contract.errors import StoreError
from starweaver_host.contract.records import AccessScope
from starweaver_host.contract.store import RunListQuery, SessionListQuery

SCOPE = AccessScope()


def _spoil(bench: Any, statement: str) -> None:
    with closing(sqlite3.connect(bench.folder / "starweaver.sqlite3")) as connection:
        connection.execute(statement)
        connection.commit()


def _fill(bench: Any, store: Any, make: Any, *session_ids: str) -> None:
    for number, session_id in enumerate(session_ids):
        events = [make.said(f"said in {session_id}", time=number + 1)]
        bench.run(store.import_batch(make.imported(session_id, *events, runs=(make.imported_run(session_id),))))


def _batch(bench: Any, store: Any) -> CorpusBatch:
    """The one batch of display messages."""

    async def collect() -> list[CorpusBatch]:
        return [batch async for batch in store.scan_corpus(CorpusQuery(scope=SCOPE))]

    (found,) = bench.run(collect())
    assert isinstance(found, CorpusBatch)
    return found


def _refusal(bench: Any, operation: Any) -> StoreError:
    with pytest.raises(StoreError) as caught:
        bench.run(operation)
    return caught.value


@pytest.mark.parametrize("metadata", ["{bad", "[]", '{"a": 1}'])
def test_damaged_session_is_named_and_leaves_the_list_to_others(
    bench: Any, store: Any, make: Any, metadata: str
) -> None:
    """A session that cannot be read is `corrupt` by its id; lists and batches of others are given without it."""
    _fill(bench, store, make, "s1", "s2", "s3")
    _spoil(bench, f"UPDATE sessions SET metadata = '{metadata}' WHERE session_id = 's2'")

    refusal = _refusal(bench, store.get_session(SCOPE, "s2"))

    listed = bench.run(store.list_sessions(SCOPE, SessionListQuery()))
    got = bench.run(store.get_sessions(SCOPE, ["s1", "s2", "s3"]))
    assert refusal.code == "corrupt"
    assert "'s2'" in refusal.message
    assert sorted(session.header.session_id for session in listed.sessions) == ["s1", "s3"]
    assert [session.header.session_id for session in got] == ["s1", "s3"]
    assert any("'s2'" in problem for problem in bench.run(store.check()).problems)


def test_pages_go_on_behind_a_damaged_session(bench: Any, store: Any, make: Any) -> None:
    """A page whose last session is damaged still says where the next one begins."""
    _fill(bench, store, make, "s1", "s2", "s3")
    _spoil(bench, "UPDATE sessions SET metadata = '{bad' WHERE session_id = 's2'")
    found, after = [], None

    for _ in range(3):
        page = bench.run(store.list_sessions(SCOPE, SessionListQuery(limit=1, after=after)))
        found += [session.header.session_id for session in page.sessions]
        after = page.after

    assert (sorted(found), after) == (["s1", "s3"], None)


@pytest.mark.parametrize(
    "change", ["texts = x'00', texts_codec = 1", "texts = x'00', texts_codec = 0", "caused_by = '{'"]
)
def test_damaged_run_is_named_and_leaves_the_list_to_others(bench: Any, store: Any, make: Any, change: str) -> None:
    """A run that cannot be read is `corrupt` by its id, with its session; a list of runs is given without it."""
    runs = tuple(make.imported_run("s1", f"r{number}", number) for number in (1, 2, 3))
    bench.run(store.import_batch(make.imported("s1", runs=runs)))
    _spoil(bench, f"UPDATE runs SET {change} WHERE run_id = 'r2'")

    refusal = _refusal(bench, store.get_run(SCOPE, "s1", "r2"))

    page = bench.run(store.list_runs(SCOPE, "s1", RunListQuery(limit=2)))
    rest = bench.run(store.list_runs(SCOPE, "s1", RunListQuery(limit=2, after=page.after)))
    assert refusal.code == "corrupt"
    assert "'s1'" in refusal.message
    assert "'r2'" in refusal.message
    assert [run.run_id for run in (*page.runs, *rest.runs)] == ["r1", "r3"]
    assert any("'r2'" in problem for problem in bench.run(store.check()).problems)


def test_damaged_run_keeps_no_other_from_being_reconciled(bench: Any, store: Any, make: Any) -> None:
    """Runs of dead owners are cancelled although one among them cannot be read."""
    for session_id in ("s1", "s2", "s3"):
        bench.run(store.import_batch(make.imported(session_id)))
        bench.run(store.admit_run(make.admission(session_id)))
    _spoil(bench, "UPDATE runs SET texts = x'00' WHERE session_id = 's1'")
    bench.clock.advance(3600)

    cancelled = bench.run(store.reconcile_expired("local"))

    assert sorted(run.session_id for run in cancelled) == ["s2", "s3"]


BEHIND_THE_TEXT = "x'919903c0000001cd3e80090ac0'"
UNKNOWN_SOURCE = "x'919907c00000010003 01c0'".replace(" ", "")


@pytest.mark.parametrize("documents", ["x'00ff'", "x''", BEHIND_THE_TEXT, UNKNOWN_SOURCE])
def test_damaged_chunk_hides_no_other_session(bench: Any, store: Any, make: Any, documents: str) -> None:
    """Of a batch over several sessions only the damaged part is left out, and it is counted, in either reading."""
    _fill(bench, store, make, "s1", "s2", "s3")
    _spoil(bench, f"UPDATE corpus_chunks SET documents = {documents} WHERE session_id = 's2'")

    batch, again = _batch(bench, store), _batch(bench, store)
    before = batch.damaged
    whole = batch.documents()
    places = [place for place in range(len(again.text)) if again.text.startswith(b"said", place)]
    located = again.documents_at(places)

    assert {document.ref.session_id for document in whole} == {"s1", "s3"}
    assert sorted(document.ref.session_id for document in located) == ["s1", "s3"]
    assert (len(places), before, batch.damaged, again.damaged) == (3, 0, 1, 1)
    assert any("'s2'" in problem for problem in bench.run(store.check()).problems)


def test_part_without_a_match_is_not_looked_at(bench: Any, store: Any, make: Any) -> None:
    """What did not match is not decoded, and so not known to be damaged."""
    _fill(bench, store, make, "s1", "s2")
    _spoil(bench, "UPDATE corpus_chunks SET documents = x'00' WHERE session_id = 's2'")

    batch = _batch(bench, store)
    found = batch.documents_at([batch.text.index(b"said in s1")])

    assert ([document.ref.session_id for document in found], batch.damaged) == (["s1"], 0)


def test_session_with_a_damaged_chunk_takes_what_is_new(bench: Any, store: Any, make: Any) -> None:
    """A damaged chunk stays where it is; what is appended, or changed in a run, is found behind it."""
    _fill(bench, store, make, "s1")
    _spoil(bench, "UPDATE corpus_chunks SET documents = x'00'")

    bench.run(store.append(make.header("s1").key, [make.said("said later " + "word " * 200)]))
    grown = make.imported_run("s1", output_preview="answered later")
    bench.run(store.import_batch(make.imported("s1", version=1, expected_next_seq=2, runs=(grown,))))

    texts = [text for text in bench.texts(store) if "later" in text]
    assert [text[:14] for text in texts] == ["answered later", "said later wor"]
    assert any("'s1'" in problem for problem in bench.run(store.check()).problems)


def test_texts_of_a_damaged_log_are_none(bench: Any, store: Any, make: Any) -> None:
    """What cannot be read has no text; texts of the same call that can be read are given."""
    events = [make.said(f"number {number} " + "word " * 100) for number in range(600)]
    bench.run(store.import_batch(make.imported("s1", *events)))
    _fill(bench, store, make, "s2", "s3")
    _spoil(bench, "UPDATE segments SET body = x'00' WHERE session_id = 's1' AND first_seq > 0 AND last_seq < 500")
    _spoil(bench, "UPDATE runs SET texts = x'00', texts_codec = 1 WHERE session_id = 's2'")
    said = [DocumentRef(session_id="s1", source="display_message", seq=seq) for seq in (0, 200, 201, 300, 599)]
    asked = [DocumentRef(session_id=name, source="run_input", run_id="r1") for name in ("s2", "s3")]

    texts = bench.run(store.read_texts(SCOPE, [*said, *asked]))

    assert [text and text[:10] for text in texts] == ["number 0 w", None, None, None, "number 599", None, "question"]


def test_damaged_ledger_entry_has_its_item_read_again(bench: Any, store: Any, make: Any) -> None:
    """One bad entry hides no other; it is as if an older reader had left it, and importing its item again mends it."""
    _fill(bench, store, make, "s1", "s2")
    _spoil(bench, "UPDATE import_ledger SET session_ids = '{' WHERE item_key = 's1'")

    before = bench.run(store.ledger("local", "test"))
    bench.run(store.import_batch(make.imported("s1", version=before["s1"].version, expected_next_seq=1)))
    after = bench.run(store.ledger("local", "test"))

    assert (before["s1"].fingerprint, before["s1"].reader_version, before["s2"].fingerprint) == ("", 0, "f")
    assert (after["s1"].fingerprint, after["s1"].version) == ("f", before["s1"].version + 1)


def test_damaged_value_without_a_rule_of_its_own_is_corrupt(bench: Any, store: Any, make: Any) -> None:
    """No error of a decoder leaves the store as it is."""
    _fill(bench, store, make, "s1")
    admission = make.admission("s1", "r2", idempotency_key="k")
    bench.run(store.admit_run(admission))
    _spoil(bench, "UPDATE receipts SET body = x'7b'")

    assert _refusal(bench, store.admit_run(admission)).code == "corrupt"
