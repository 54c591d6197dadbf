"""A scan that is given up while its thread reads: the connection is nobody else's until that thread is done."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from threading import Event
from typing import Any

import pytest

from starweaver_host.contract.corpus import CorpusQuery
from starweaver_host.contract.records import AccessScope
from starweaver_sqlite_store import scan, scan_rows
from starweaver_sqlite_store.scan_rows import ChunkRow

QUERY = CorpusQuery(scope=AccessScope())
PATIENCE_S = 30
"""Longer than any thread needs; only a broken test waits so long."""


class Gate:
    """Holds the thread of a scan inside its page, and counts the snapshots that begin and end."""

    def __init__(self, database: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        self.entered, self.go_on, self.handed_back = Event(), Event(), Event()
        self.begun: list[Any] = []
        self.ended: list[Any] = []
        self._read, self._begin, self._end = scan_rows.read_chunks, database.begin_reading, database.end_reading
        monkeypatch.setattr(scan, "read_chunks", self._held)
        monkeypatch.setattr(database, "begin_reading", self._counted)
        monkeypatch.setattr(database, "end_reading", self._ended)

    def _held(self, *args: Any) -> Iterator[ChunkRow]:
        for row in self._read(*args):
            self.entered.set()
            assert self.go_on.wait(PATIENCE_S)
            yield row

    def _counted(self) -> Any:
        transaction = self._begin()
        self.begun.append(transaction)
        return transaction

    def _ended(self, transaction: Any) -> None:
        self._end(transaction)
        self.ended.append(transaction)
        self.handed_back.set()


async def _consume(store: Any) -> None:
    async for _ in store.scan_corpus(QUERY):
        pass


def test_cancelled_scan_hands_its_connection_back_after_its_thread(
    bench: Any, make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the thread of a cancelled scan still reads, its connection is not for others; afterwards it is."""
    store = bench.open(threads=True)
    bench.run(store.import_batch(make.imported("s1", make.said("hello"))))
    gate = Gate(store._database, monkeypatch)

    async def cancel() -> None:
        task = asyncio.create_task(_consume(store))
        assert await asyncio.to_thread(gate.entered.wait, PATIENCE_S)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    bench.run(cancel())
    during = (list(store._database._idle), list(gate.ended))
    gate.go_on.set()

    assert during == ([], [])
    assert gate.handed_back.wait(PATIENCE_S)
    (idle,) = store._database._idle
    assert not idle.in_transaction


def test_scan_given_up_before_its_first_page_begins_no_snapshot(bench: Any) -> None:
    """A scan that is closed before a thread took it up has begun nothing, and begins nothing later."""
    store = bench.open()
    reading = scan.CorpusScan(store._database, QUERY)

    reading.close()

    assert reading.next_page() == []
    assert store._database._idle == []


@pytest.mark.parametrize("turns", range(8))
def test_scan_cancelled_at_any_moment_ends_its_snapshot(
    bench: Any, make: Any, monkeypatch: pytest.MonkeyPatch, turns: int
) -> None:
    """Wherever the loop was when it cancelled, once the threads are done as many snapshots ended as began."""
    store = bench.open(threads=True)
    bench.run(store.import_batch(make.imported("s1", make.said("hello"))))
    gate = Gate(store._database, monkeypatch)
    gate.go_on.set()

    async def give_up() -> None:
        task = asyncio.create_task(_consume(store))
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    async def main() -> None:
        await asyncio.gather(*(give_up() for _ in range(10)))

    asyncio.run(main())  # leaves when its threads have

    assert len(gate.begun) == len(gate.ended)
    assert not any(connection.in_transaction for connection in store._database._idle)
