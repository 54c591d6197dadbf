"""A locked file, a full disk, damage: what the store says, and what stays usable."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import textwrap
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from starweaver_host.contract.corpus import CorpusQuery
from starweaver_host.contract.errors import StoreError
from starweaver_host.contract.events import NewEvent
from starweaver_host.contract.records import AccessScope, SessionDraft
from starweaver_host.contract.store import SessionListQuery

SCOPE = AccessScope()


def _fill(bench: Any, store: Any, make: Any, session_id: str = "s1", count: int = 4000) -> Any:
    """Random-looking texts, which do not compress, until the store refuses."""
    bench.run(store.create_session(SessionDraft(header=make.header(session_id))))
    key = make.header(session_id).key
    written = 0
    for number in range(count):
        text = "".join(chr(0x4E00 + (number * 7919 + place * place * 104729) % 20000) for place in range(2000))
        written = bench.run(store.append(key, [make.said(text)], expected_next_seq=written)).next_seq
    return written


def test_locked_database_is_unavailable_and_retryable(bench: Any, make: Any) -> None:
    """A write that cannot get the lock in time says so, and works once the lock is gone."""
    store = bench.open(busy_timeout_ms=0)
    with closing(sqlite3.connect(bench.folder / "starweaver.sqlite3", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")

        with pytest.raises(StoreError) as caught:
            bench.run(store.create_session(SessionDraft(header=make.header())))

        other.execute("ROLLBACK")
    assert (caught.value.code, caught.value.retryable) == ("unavailable", True)
    assert bench.run(store.create_session(SessionDraft(header=make.header()))).title is None


def test_readers_are_not_blocked_by_a_writer(bench: Any, make: Any) -> None:
    """While another process holds the write lock, reads answer with what was committed."""
    store = bench.open(busy_timeout_ms=0)
    bench.run(store.create_session(SessionDraft(header=make.header(), title="Kept")))
    with closing(sqlite3.connect(bench.folder / "starweaver.sqlite3", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        other.execute("UPDATE sessions SET title = 'Uncommitted'")

        listed = bench.run(store.list_sessions(SCOPE, SessionListQuery()))
        texts = bench.texts(store)

    assert [session.title for session in listed.sessions] == ["Kept"]
    assert texts == ["kept"]


def test_writer_is_not_blocked_by_an_open_scan(bench: Any, make: Any) -> None:
    """A scan keeps its snapshot while the store is written, and a later one sees what was written."""
    store = bench.open(busy_timeout_ms=0)
    bench.run(store.import_batch(make.imported("s1", make.said("first"))))

    async def interleave() -> list[bytes]:
        seen = []
        async for batch in store.scan_corpus(CorpusQuery(scope=SCOPE)):
            await store.import_batch(make.imported("s2", make.said("second")))
            seen.append(batch.text)
        return seen

    during = bench.run(interleave())

    assert during == [b"first"]
    assert bench.texts(store) == ["first", "second"]


def test_abandoned_scan_gives_its_connection_back(bench: Any, make: Any) -> None:
    """Closing a scan early frees its snapshot for the next reader."""
    store = bench.open(readers=1)
    bench.run(store.import_batch(make.imported("s1", make.said("first"))))

    async def abandon() -> None:
        scan = store.scan_corpus(CorpusQuery(scope=SCOPE))
        await anext(scan)
        await scan.aclose()

    bench.run(abandon())

    (idle,) = store._database._idle
    assert not idle.in_transaction


def test_full_store_says_so_and_keeps_what_it_held(bench: Any, make: Any) -> None:
    """Growing beyond the bound is `full`; the refused write left nothing, and reading goes on."""
    store = bench.open(max_size_bytes=2_000_000)

    with pytest.raises(StoreError) as caught:
        _fill(bench, store, make)

    window = bench.run(store.read_events(SCOPE, "s1", limit=10_000))
    health = bench.run(store.check())
    assert caught.value.code == "full"
    assert "max_size_bytes" in str(caught.value.hint)
    assert len(window.events) == window.next_seq > 10
    assert len(bench.scan(store)) == window.next_seq
    assert health.problems == ()
    assert bench.run(bench.open().append(make.header().key, [make.said("room again")])).first_seq == window.next_seq


def test_write_that_fails_on_the_disk_leaves_nothing(bench: Any, make: Any) -> None:
    """A process whose file may not grow gets a StoreError, and another process finds the store whole."""
    store = bench.open()
    bench.run(store.create_session(SessionDraft(header=make.header())))
    worker = textwrap.dedent(
        """
        import asyncio, resource, signal, sys
        sys.path.insert(0, sys.argv[1])
        import sqlite_store_worker as worker
        from starweaver_host.contract.errors import StoreError
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_500_000, 1_500_000))
        sys.stdin.close()
        sys.stdin = open("/dev/null")
        try:
            asyncio.run(worker.main("append", sys.argv[2], "s1"))
        except StoreError as error:
            print("stopped", error.code)
        """
    )
    command = [sys.executable, "-c", worker, str(Path(__file__).parent), str(bench.folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)

    *_, last_commit, stopped = done.stdout.splitlines()
    assert stopped in ("stopped full", "stopped failed")
    assert bench.run(store.read_events(SCOPE, "s1", limit=100_000)).next_seq == int(last_commit.split()[1])
    assert bench.run(store.check()).problems == ()


def test_damaged_segment_is_named_and_others_stay_readable(bench: Any, make: Any) -> None:
    """One unreadable segment is `corrupt` with its session and seqs; every other session, and the search, work."""
    store = bench.open()
    for session_id in ("s1", "s2"):
        events = [make.said(f"{session_id} says {number} " + "word " * 100) for number in range(600)]
        bench.run(store.import_batch(make.imported(session_id, *events)))
    with closing(sqlite3.connect(bench.folder / "starweaver.sqlite3")) as other:
        other.execute("UPDATE segments SET body = x'00' WHERE session_id = 's1' AND first_seq > 0 AND last_seq < 500")
        other.commit()

    with pytest.raises(StoreError) as caught:
        bench.run(store.read_events(SCOPE, "s1", limit=1000))

    problems = bench.run(store.check()).problems
    assert caught.value.code == "corrupt"
    assert "'s1'" in caught.value.message
    assert bench.run(store.read_events(SCOPE, "s1", limit=10)).events[0].seq == 0
    assert len(bench.run(store.read_events(SCOPE, "s2", limit=1000)).events) == 600
    assert len(bench.scan(store)) == 1200
    assert problems
    assert all("'s1'" in problem for problem in problems)


def test_missing_segment_is_reported_as_corrupt(bench: Any, make: Any) -> None:
    """A hole in a log is never read over."""
    store = bench.open()
    events = [make.said("word " * 100) for _ in range(600)]
    bench.run(store.import_batch(make.imported("s1", *events)))
    with closing(sqlite3.connect(bench.folder / "starweaver.sqlite3")) as other:
        first = other.execute("SELECT first_seq FROM segments ORDER BY first_seq LIMIT 1 OFFSET 1").fetchone()[0]
        other.execute("DELETE FROM segments WHERE first_seq = ?", (first,))
        other.commit()

    for from_seq in (0, first, first + 1):
        with pytest.raises(StoreError) as caught:
            bench.run(store.read_events(SCOPE, "s1", from_seq=from_seq, limit=1000))
        assert caught.value.code == "corrupt"


def test_check_names_wrong_counts_and_versions(bench: Any, make: Any) -> None:
    """Counts that do not match the rows, and a corpus of another fold, are problems."""
    store = bench.open()
    bench.run(store.import_batch(make.imported("s1", make.said("one"), runs=(make.imported_run(),))))
    with closing(sqlite3.connect(bench.folder / "starweaver.sqlite3")) as other:
        other.execute("UPDATE sessions SET next_seq = 5, runs = 3")
        other.execute("UPDATE store_meta SET value = x'393939' WHERE key = 'fold_version'")
        other.commit()

    problems = "\n".join(bench.run(store.check()).problems)

    assert "fold version" in problems
    assert "5 events were wanted, found 1" in problems
    assert "3 were wanted, found 1" in problems


def test_text_that_is_no_unicode_is_invalid(bench: Any, make: Any) -> None:
    """A lone surrogate cannot be stored as text; the write is refused whole."""
    store = bench.open()

    with pytest.raises(StoreError) as caught:
        bench.run(store.create_session(SessionDraft(header=make.header("bad\ud800"))))

    assert caught.value.code == "invalid"


def test_event_without_json_form_is_invalid_and_leaves_nothing(bench: Any, make: Any) -> None:
    """An event whose data cannot be encoded fails its whole append."""
    store = bench.open()
    bench.run(store.create_session(SessionDraft(header=make.header())))

    with pytest.raises(StoreError) as caught:
        bench.run(store.append(make.header().key, [make.said("kept?"), NewEvent(type="x", time=1, data=object())]))

    assert caught.value.code == "invalid"
    assert bench.run(store.read_events(SCOPE, "s1")).next_seq == 0
