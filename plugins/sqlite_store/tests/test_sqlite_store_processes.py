"""Several processes over one file: death in the middle of a write, and races."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from starweaver_host.contract.corpus import CorpusFilter
from starweaver_host.contract.records import AccessScope, SessionDraft

WORKER = Path(__file__).with_name("sqlite_store_worker.py")
Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a worker; it waits, open, until its first line of input."""
    started: list[subprocess.Popen[str]] = []

    def begin(*args: str, opened: bool = True) -> subprocess.Popen[str]:
        command = [sys.executable, str(WORKER), args[0], str(tmp_path), *args[1:]]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        started.append(process)
        assert process.stdout is not None
        assert not opened or process.stdout.readline() == "open\n"
        return process

    yield begin
    for process in started:
        process.kill()
        process.communicate()


def _go(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()


def _kill_after(process: subprocess.Popen[str], lines: int) -> int:
    """Kill a worker after some acknowledged commits; returns the next seq of the last one it said."""
    assert process.stdout is not None
    said = [process.stdout.readline() for _ in range(lines)]
    process.kill()
    said += process.stdout.readlines()
    whole = [line for line in said if line.startswith("committed") and line.endswith("\n")]
    return int(whole[-1].split()[1])


def test_killed_process_loses_no_acknowledged_append(bench: Any, make: Any, start: Start) -> None:
    """After kill -9 between and inside appends, everything that was acknowledged is there and whole."""
    store = bench.open()
    bench.run(store.create_session(SessionDraft(header=make.header())))
    process = start("append", "s1")
    _go(process)

    acknowledged = _kill_after(process, 70)

    window = bench.run(store.read_events(AccessScope(), "s1", limit=100_000))
    assert window.next_seq in (acknowledged, acknowledged + 1)
    assert window.next_seq == len(window.events) == len(bench.scan(store))
    assert bench.run(store.check()).problems == ()


def test_killed_import_is_completed_to_the_same_content(bench: Any, start: Start) -> None:
    """An import that died goes on from its last commit and ends with what an undisturbed one stores."""
    process = start("import", "s1")
    _go(process)
    acknowledged = _kill_after(process, 7)
    store = bench.open()
    held = bench.run(store.read_events(AccessScope(), "s1", limit=100_000))
    assert held.next_seq in (acknowledged, acknowledged + 50)

    for session_id in ("s1", "s2"):
        process = start("import", session_id)
        _go(process)
        assert process.communicate()[0].endswith("done\n")

    resumed, undisturbed = (bench.run(store.read_events(AccessScope(), s, limit=100_000)) for s in ("s1", "s2"))
    assert [bytes(event.data) for event in undisturbed.events] == [bytes(event.data) for event in resumed.events]
    assert bench.texts(store) == sorted(2 * bench.texts(store, filter=CorpusFilter(session_ids=("s2",))))
    assert bench.run(store.check()).problems == ()


def test_two_processes_write_at_once_without_losing_anything(bench: Any, make: Any, start: Start) -> None:
    """Writers wait for each other; neither's events are lost, in one session or in two."""
    store = bench.open()
    bench.run(store.create_session(SessionDraft(header=make.header("s1"))))
    workers = [start("append_some", "s1", "60") for _ in range(2)]

    for worker in workers:
        _go(worker)
    ends = [worker.communicate()[0] for worker in workers]

    window = bench.run(store.read_events(AccessScope(), "s1", limit=1000))
    assert ends == ["done\n", "done\n"]
    assert list(range(120)) == [event.seq for event in window.events]
    assert bench.run(store.check()).problems == ()


def test_two_processes_racing_admissions_admit_one_run_per_session(bench: Any, make: Any, start: Start) -> None:
    """Of two hosts starting a run in the same session, one is admitted and the other hears `run_conflict`."""
    store = bench.open()
    for number in range(40):
        bench.run(store.create_session(SessionDraft(header=make.header(f"s{number}"))))
    workers = [start("admit", "s", host, "40") for host in ("one", "two")]

    for worker in workers:
        _go(worker)
    lines = [line.split() for worker in workers for line in worker.communicate()[0].splitlines()]

    admitted = Counter(int(line[1]) for line in lines if line[0] == "admitted")
    assert dict.fromkeys(range(40), 1) == dict(admitted)
    assert {"run_conflict"} == {line[2] for line in lines if line[0] == "refused"}


def test_processes_creating_the_same_file_at_once_both_open_it(start: Start) -> None:
    """Processes that meet over a missing file end with one complete store."""
    workers = [start("import", f"s{number}", opened=False) for number in range(3)]

    for worker in workers:
        _go(worker)

    assert [worker.communicate()[0].endswith("done\n") for worker in workers] == [True, True, True]
