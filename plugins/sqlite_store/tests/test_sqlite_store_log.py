"""The log as it is stored: segments, their merging, and windows over them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starweaver_host.contract.errors import StoreError
from starweaver_host.contract.events import NewEvent, Replace, UnknownPayload
from starweaver_host.contract.records import AccessScope, SessionDraft
from starweaver_sqlite_store.segments import FULL_BYTES, FULL_EVENTS, TAIL_MAX

SCOPE = AccessScope()

_SEGMENTS = "SELECT first_seq, last_seq, raw_bytes, length(body) FROM segments ORDER BY first_seq"


def _rows(bench: Any, sql: str = _SEGMENTS) -> list[Any]:
    with closing(sqlite3.connect(bench.folder / "starweaver.sqlite3")) as connection:
        return connection.execute(sql).fetchall()


def _create(bench: Any, store: Any, make: Any, session_id: str = "s1") -> Any:
    bench.run(store.create_session(SessionDraft(header=make.header(session_id))))
    return make.header(session_id).key


def test_log_grown_by_single_appends_keeps_few_full_segments(bench: Any, store: Any, make: Any) -> None:
    """Appending one by one leaves about as many rows as appending at once, plus a bounded end."""
    key = _create(bench, store, make)
    count = 900

    for number in range(count):
        bench.run(store.append(key, [NewEvent(type="x", time=number, data={"n": number, "fill": "y" * 60})]))

    rows = _rows(bench)
    assert len(rows) <= count / (FULL_EVENTS * 3 / 4) + TAIL_MAX
    assert max(last - first + 1 for first, last, *_ in rows) <= FULL_EVENTS
    assert max(row[2] for row in rows) <= FULL_BYTES + 2
    assert [event.seq for event in bench.run(store.read_events(SCOPE, "s1", limit=count)).events] == list(range(count))


def test_corpus_grown_by_single_appends_keeps_few_chunks(bench: Any, store: Any, make: Any) -> None:
    """Display messages that arrive one by one are gathered into large chunks."""
    key = _create(bench, store, make)

    for number in range(400):
        bench.run(store.append(key, [make.said(f"message {number} " + "word " * 100, time=number)]))

    chunks = _rows(bench, "SELECT text_bytes FROM corpus_chunks")
    assert len(chunks) <= 400 * 520 / (256 * 1024 * 3 / 4) + TAIL_MAX
    assert sorted(f"message {number} " + "word " * 99 + "word " for number in range(400)) == bench.texts(store)


def test_hundred_thousand_small_events_stay_bounded(bench: Any, store: Any, make: Any) -> None:
    """A log of a hundred thousand events is some hundreds of rows, and a window costs what it shows."""
    key = _create(bench, store, make)
    for start in range(0, 100_000, 1000):
        events = [NewEvent(type="x", time=number, data={"n": number}) for number in range(start, start + 1000)]
        bench.run(store.append(key, events))

    window = bench.run(store.read_events(SCOPE, "s1", from_seq=73_456, limit=3))

    assert [event.seq for event in window.events] == [73_456, 73_457, 73_458]
    assert window.next_seq == 100_000
    assert len(_rows(bench)) <= 100_000 / 192 + TAIL_MAX


def test_large_segments_are_compressed(bench: Any, store: Any, make: Any) -> None:
    """Above 1 KiB a segment is stored compressed, below as it is."""
    key = _create(bench, store, make)
    bench.run(store.append(key, [make.said("short")]))
    small = _rows(bench)
    bench.run(store.append(_create(bench, store, make, "s2"), [make.said("word " * 4000)]))

    ((_, _, raw, stored),) = small
    large = _rows(bench)[-1]

    assert raw == stored
    assert large[3] < large[2] / 10


def test_event_larger_than_a_segment_is_read_back(bench: Any, store: Any, make: Any) -> None:
    """An event of a megabyte gets a segment of its own."""
    key = _create(bench, store, make)
    events = [make.said("before"), make.said("long " * 200_000), make.said("after")]
    bench.run(store.append(key, events))

    window = bench.run(store.read_events(SCOPE, "s1", from_seq=1, limit=1))

    assert len(window.events[0].payload().content[0].text) == 1_000_000


@settings(max_examples=25, deadline=None)
@given(
    sizes=st.lists(st.integers(1, 400), min_size=1, max_size=12),
    fill=st.integers(0, 3000),
    windows=st.lists(st.tuples(st.integers(0, 2500), st.integers(1, 700)), min_size=1, max_size=5),
)
def test_any_window_of_any_batches_is_the_slice_of_the_log(
    sizes: list[int], fill: int, windows: list[tuple[int, int]], tmp_path_factory: pytest.TempPathFactory, make: Any
) -> None:
    """However a log was cut into appends, a window is exactly the events asked for."""
    bench = make.bench(tmp_path_factory.mktemp("log"))
    store = bench.open()
    key = _create(bench, store, make)
    total = 0
    for size in sizes:
        batch = [NewEvent(type="x", time=total + place, data="f" * fill) for place in range(size)]
        total = bench.run(store.append(key, batch, expected_next_seq=total)).next_seq

    found = [bench.run(store.read_events(SCOPE, "s1", from_seq=start, limit=limit)) for start, limit in windows]

    bench.close_stores()
    bench.loop.close()
    for (start, limit), window in zip(windows, found, strict=True):
        assert list(range(total))[start : start + limit] == [event.time for event in window.events]


def test_event_comes_back_with_every_field(bench: Any, store: Any, make: Any) -> None:
    """Nothing an event carries is lost, whatever its type."""
    key = _create(bench, store, make)
    events = [
        make.said("one", identity="m1", run_id="r1"),
        NewEvent(type="foreign/kind", time=2, data={"a": [1, None, "x"]}),
        NewEvent(type="foreign/raw", time=3, data=UnknownPayload(type="foreign/raw", data=msgspec.Raw(b'{"b":2}'))),
        msgspec.structs.replace(make.said("two"), surface_op=Replace(start=0, end=0), source_event_seqs=(0,)),
    ]
    bench.run(store.append(key, events))

    first, foreign, raw, replacing = bench.run(store.read_events(SCOPE, "s1")).events

    assert (first.identity, first.run_id, first.payload()) == ("m1", "r1", events[0].data)
    assert msgspec.json.decode(foreign.data) == {"a": [1, None, "x"]}
    assert bytes(raw.data) == b'{"b":2}'
    assert (replacing.surface_op, replacing.source_event_seqs) == (Replace(start=0, end=0), (0,))


def test_malformed_surface_operation_is_invalid(bench: Any, store: Any, make: Any) -> None:
    """A surface operation that names later events is refused with its whole batch."""
    key = _create(bench, store, make)
    bad = msgspec.structs.replace(make.said("x"), surface_op=Replace(start=5, end=6), source_event_seqs=(5, 6))

    with pytest.raises(StoreError) as caught:
        bench.run(store.append(key, [make.said("fine"), bad]))

    assert caught.value.code == "invalid"
    assert bench.run(store.get_session(SCOPE, "s1")).next_seq == 0


def test_window_behind_the_end_is_empty(bench: Any, store: Any, make: Any) -> None:
    """Reading from the next seq gives no events and the state of the log."""
    key = _create(bench, store, make)
    bench.run(store.append(key, [make.said("x")]))

    window = bench.run(store.read_events(SCOPE, "s1", from_seq=1))

    assert (window.events, window.next_seq) == ((), 1)
