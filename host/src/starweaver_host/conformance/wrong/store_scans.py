"""Stores that are wrong about the life of a scan."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from starweaver_host.conformance.memory.state import State
from starweaver_host.conformance.memory_store import MemorySessionStore
from starweaver_host.contract.corpus import CorpusBatch, CorpusQuery
from starweaver_host.contract.errors import StoreError

from .kinds import CORPUS, wrong

SNAPSHOTS = 8
"""How many scans KeepsItsSnapshots can have open."""


class GoesOnInALeftSnapshot(MemorySessionStore):
    """Does not end the snapshot of a scan that was left early: the next scan is of the same moment."""

    _left: State | None = None

    async def scan_corpus(self, query: CorpusQuery) -> AsyncGenerator[CorpusBatch, None]:
        now = self._state
        self._left = self._state = self._left or now
        try:
            batches = [batch async for batch in super().scan_corpus(query)]
        finally:
            self._state = now
        for batch in batches:
            yield batch
        self._left = None


class KeepsItsSnapshots(MemorySessionStore):
    """Gives a snapshot back only when its scan has come to its end, and has a few."""

    _open = 0

    async def scan_corpus(self, query: CorpusQuery) -> AsyncGenerator[CorpusBatch, None]:
        if self._open == SNAPSHOTS:
            raise StoreError("unavailable", f"one of {SNAPSHOTS} snapshots was wanted, found all in use")
        self._open += 1
        async for batch in super().scan_corpus(query):
            yield batch
        self._open -= 1


WRONG_SCANS = (
    wrong(GoesOnInALeftSnapshot, "test_closed_scan_frees_its_snapshot", *CORPUS, "ScanningRules"),
    wrong(KeepsItsSnapshots, "test_closed_scan_frees_its_snapshot", *CORPUS, "ScanningRules"),
)

__all__ = ["WRONG_SCANS"]
