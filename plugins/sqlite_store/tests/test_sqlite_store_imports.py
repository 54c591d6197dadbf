"""Imports: the ledger, titles, shared history, families of sessions, tombstones."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from msgspec.structs import replace

from starweaver_host.contract.errors import StoreError
from starweaver_host.contract.events import TitleChange, new_event
from starweaver_host.contract.records import AccessScope, SessionChange
from starweaver_host.contract.store import SessionListQuery
from starweaver_host.projection.documents import identity_hash
from starweaver_sqlite_store import importing

SCOPE = AccessScope()


def _session(bench: Any, store: Any, session_id: str = "s1") -> Any:
    return bench.run(store.get_session(AccessScope(include_deleted=True), session_id))


def test_ledger_version_of_another_reading_is_conflict(bench: Any, store: Any, make: Any) -> None:
    """A batch read against an entry that has changed since is refused whole."""
    bench.run(store.import_batch(make.imported("s1", make.said("one"))))

    with pytest.raises(StoreError) as caught:
        bench.run(store.import_batch(make.imported("s1", make.said("two"), expected_next_seq=1, version=0)))

    assert caught.value.code == "conflict"
    assert _session(bench, store).next_seq == 1


def test_append_at_another_seq_is_conflict_and_leaves_ledger(bench: Any, store: Any, make: Any) -> None:
    """A batch for another end of the log is refused with its ledger entry."""
    bench.run(store.import_batch(make.imported("s1", make.said("one"))))

    with pytest.raises(StoreError):
        bench.run(store.import_batch(make.imported("s1", make.said("two"), expected_next_seq=5, version=1)))

    assert bench.run(store.ledger("local", "test"))["s1"].version == 1


def test_ledger_keeps_state_apart(bench: Any, store: Any, make: Any) -> None:
    """Entries are listed without their state, which is read for one item."""
    batch = make.imported("s1", make.said("one"))
    entry = replace(batch.ledger, state=b"here", session_ids=("s1",), skipped_records=2, complete=False, note="odd")
    bench.run(store.import_batch(replace(batch, ledger=entry)))

    listed = bench.run(store.ledger("local", "test"))

    assert {"s1": replace(entry, state=None, version=1)} == listed
    assert bench.run(store.ledger_state("local", "test", "s1")) == b"here"
    assert bench.run(store.ledger_state("local", "test", "other")) is None
    assert bench.run(store.ledger("local", "elsewhere")) == {}


def test_batch_that_says_nothing_new_moves_no_feed(bench: Any, store: Any, make: Any) -> None:
    """Writing only a ledger entry of a known session is no change of the session."""
    bench.run(store.import_batch(make.imported("s1", make.said("one"), title="T", updated_at=make.start)))
    before = (bench.run(store.position("local")), _session(bench, store))

    same = make.imported("s1", title="T", updated_at=make.start, expected_next_seq=1, version=1)
    bench.run(store.import_batch(same))

    assert before == (bench.run(store.position("local")), _session(bench, store))


def test_tombstoned_session_is_skipped_and_its_ledger_written(bench: Any, store: Any, make: Any) -> None:
    """What was deleted here stays deleted, and is not read again and again."""
    bench.run(store.import_batch(make.imported("s1", make.said("one"))))
    bench.run(store.acquire_fence(SCOPE, "s1", fence_id="f", requested_by="me", expected_revision=None))
    bench.run(store.tombstone_session(SCOPE, "s1", fence_id="f"))

    receipt = bench.run(store.import_batch(make.imported("s1", make.said("two"), version=1, expected_next_seq=1)))

    assert receipt.skipped_tombstone
    assert (_session(bench, store).next_seq, receipt.ledger_version) == (1, 2)


def test_title_set_here_wins_over_every_import(bench: Any, store: Any, make: Any) -> None:
    """A person's title stays, even against a person's title from the transcript."""
    bench.run(store.import_batch(make.imported("s1", make.said("one"), title="Theirs", title_source="user")))
    bench.run(store.update_session(SCOPE, "s1", SessionChange(title="Mine")))

    later = make.imported("s1", title="Again", title_source="user", version=1, expected_next_seq=1)
    bench.run(store.import_batch(later))

    assert _session(bench, store).title == "Mine"


def test_transcripts_own_user_title_wins_over_derived_ones(bench: Any, store: Any, make: Any) -> None:
    """A title a person gave in the tool is replaced only by another of that kind."""
    bench.run(store.import_batch(make.imported("s1", make.said("a"), title="Given", title_source="user")))
    rule = make.imported("s1", title="Rule", title_source="rule", version=1, expected_next_seq=1)
    bench.run(store.import_batch(rule))
    kept = _session(bench, store).title
    renamed = make.imported("s1", title="Renamed", title_source="user", version=2, expected_next_seq=1)
    bench.run(store.import_batch(renamed))

    assert (kept, _session(bench, store).title) == ("Given", "Renamed")


def test_title_time_does_not_depend_on_how_the_transcript_was_cut(bench: Any, store: Any, make: Any) -> None:
    """A title is dated by its event, else by the session's beginning."""
    event = new_event(TitleChange(title="Named", source="source"), time=5000)
    bench.run(store.import_batch(make.imported("s1", event, title="Named", title_source="source", updated_at=9)))
    bench.run(store.import_batch(make.imported("s2", make.said("a"), title="Derived", updated_at=99)))

    times = {text: document.time for document, text in bench.scan(store)}

    assert times["named"] == 5_000_000
    assert times["derived"] == make.start


FAMILY = {"top": None, "middle": "top", "low": "middle", "lowest": "low", "other": "top"}


@pytest.mark.parametrize("order", list(itertools.permutations(FAMILY))[::7])
def test_root_is_the_top_of_the_chain_in_any_order_of_arrival(
    bench: Any, store: Any, make: Any, order: tuple[str, ...]
) -> None:
    """Parents may arrive after their children and grandchildren."""
    for name in order:
        fields = {"parent_session_id": FAMILY[name]}
        bench.run(store.import_batch(make.imported(name, make.said(name), header_fields=fields)))

    roots = {name: _session(bench, store, name).root_session_id for name in FAMILY}

    assert dict.fromkeys(FAMILY, "top") == roots


def test_parents_in_a_circle_end(bench: Any, store: Any, make: Any) -> None:
    """Damaged lineage gives some root and no endless walk."""
    for name, parent in (("a", "b"), ("b", "c"), ("c", "a"), ("d", "d")):
        bench.run(store.import_batch(make.imported(name, header_fields={"parent_session_id": parent})))

    roots = [_session(bench, store, name).root_session_id for name in "abcd"]

    assert len(set(roots[:3])) == 1
    assert roots[3] == "d"


def test_new_root_moves_the_childs_feed_row(bench: Any, store: Any, make: Any) -> None:
    """An index hears of sessions whose root changed when their parent came."""
    bench.run(store.import_batch(make.imported("child", header_fields={"parent_session_id": "top"})))
    mark = bench.run(store.position("local"))

    bench.run(store.import_batch(make.imported("top")))

    rows = bench.run(store.changes("local", after=mark)).rows
    assert {"child", "top"} == {row.session_id for row in rows}


COPIES: dict[str, tuple[int, list[Any]]] = {
    "old": (1, ["m1", "m2"]),
    "fork": (2, ["m1", "m2", "m3"]),
    "fork of fork": (3, ["m2", "m3", "m4", "m4", None]),
}


@pytest.mark.parametrize("order", list(itertools.permutations(COPIES)))
def test_shared_messages_count_once_in_any_order_of_import(
    bench: Any, store: Any, make: Any, order: tuple[str, ...]
) -> None:
    """A message belongs to the earliest session that holds it, and is counted there alone."""
    for name in order:
        created_at, names = COPIES[name]
        events = [make.said(f"{identity} {place}", identity=identity) for place, identity in enumerate(names)]
        bench.run(store.import_batch(make.imported(name, *events, header_fields={"created_at": created_at})))

    counts = {name: _session(bench, store, name).counts.messages for name in COPIES}

    assert counts == {"old": 2, "fork": 1, "fork of fork": 2}


def test_messages_return_to_the_heir_when_the_owner_is_rewritten(bench: Any, store: Any, make: Any) -> None:
    """If the owner's log no longer holds a message, the next earliest owns it."""
    for name, (created_at, names) in COPIES.items():
        events = [make.said("x", identity=identity) for identity in names]
        bench.run(store.import_batch(make.imported(name, *events, header_fields={"created_at": created_at})))

    rewritten = make.imported("old", make.said("y", identity="m2"), version=1, replace=True)
    bench.run(store.import_batch(rewritten))

    counts = {name: _session(bench, store, name).counts.messages for name in COPIES}
    assert counts == {"old": 1, "fork": 2, "fork of fork": 2}


def test_attribute_names_owner_and_sharers_within_the_scope(bench: Any, store: Any, make: Any) -> None:
    """Only identities that several visible sessions hold are answered, owner first."""
    for name, (created_at, names) in COPIES.items():
        events = [make.said("x", identity=identity) for identity in names]
        bench.run(store.import_batch(make.imported(name, *events, header_fields={"created_at": created_at})))
    asked = [identity_hash(name) for name in ("m4", "m3", "m1", "m2", "unknown")]

    found = bench.run(store.attribute(SCOPE, asked))
    narrow = bench.run(store.attribute(AccessScope(session_ids=frozenset({"fork", "fork of fork"})), asked))

    assert [(each.owner_session_id, each.session_ids) for each in found] == [
        ("fork", ("fork", "fork of fork")),
        ("old", ("old", "fork")),
        ("old", ("old", "fork", "fork of fork")),
    ]
    assert [(each.identity, each.owner_session_id) for each in narrow] == [
        (identity_hash("m3"), "fork"),
        (identity_hash("m2"), "fork"),
    ]


def test_imported_session_keeps_the_transcripts_time(bench: Any, store: Any, make: Any) -> None:
    """`updated_at` is the transcript's; renaming here does not move it, a longer transcript does."""
    bench.run(store.import_batch(make.imported("s1", make.said("a"), updated_at=make.start + 5)))
    bench.run(store.update_session(SCOPE, "s1", SessionChange(title="Mine")))
    renamed = _session(bench, store)
    longer = make.imported("s1", make.said("b"), updated_at=make.start + 9, version=1, expected_next_seq=1)
    bench.run(store.import_batch(longer))

    assert (renamed.updated_at, renamed.revision) == (make.start + 5, 2)
    assert _session(bench, store).updated_at == make.start + 9
    assert _session(bench, store).imported_at > make.start


def test_batch_without_session_writes_the_ledger_alone(bench: Any, store: Any, make: Any) -> None:
    """An item that holds nothing is remembered all the same."""
    receipt = bench.run(store.import_batch(make.imported("s1", session=None)))

    assert (receipt.session_id, receipt.ledger_version) == (None, 1)
    assert bench.run(store.list_sessions(SCOPE, SessionListQuery())).sessions == ()


def test_two_active_runs_in_a_batch_are_invalid(bench: Any, store: Any, make: Any) -> None:
    """At most one active run per session, also for importers."""
    runs = tuple(make.imported_run(run_id=f"r{n}", number=n, status="running", output_preview=None) for n in (1, 2))

    with pytest.raises(StoreError) as caught:
        bench.run(store.import_batch(make.imported("s1", runs=runs)))

    assert caught.value.code == "invalid"
    assert bench.run(store.ledger("local", "test")) == {}


def _lines_run(bench: Any, store: Any, make: Any, runs: int) -> int:
    """How many lines of the importing module a batch of so many turns takes."""
    names = [f"r{number}" for number in range(runs)]
    events = [make.asked("hello", run_id=name) for name in names]
    made = [make.imported_run(run_id=name, number=number) for number, name in enumerate(names, 1)]
    counted = 0

    def count(frame: FrameType, event: str, _argument: object) -> Any:
        nonlocal counted
        counted += event == "line" and frame.f_code.co_filename == importing.__file__
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        bench.run(store.import_batch(make.imported("s1", *events, runs=tuple(made), replace=True)))
    finally:
        sys.settrace(before)
    return counted


def test_batch_of_many_turns_costs_in_step_with_their_number(bench: Any, make: Any, tmp_path: Path) -> None:
    """Ten times the turns take about ten times the steps: a transcript of short turns imports in linear time."""
    few, many = (_lines_run(bench, bench.open(path=tmp_path / f"{runs}.db"), make, runs) for runs in (40, 400))

    assert many < 15 * few
