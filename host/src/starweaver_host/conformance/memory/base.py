"""Transactions of the in-memory store: a copy that becomes the state when nothing went wrong."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager

from msgspec.structs import replace

from starweaver_host.contract.corpus import StoreIdentity
from starweaver_host.contract.errors import StoreError
from starweaver_host.contract.records import Session
from starweaver_host.contract.registration import Clock
from starweaver_host.contract.store import PAGE_MAX, StoreHealth
from starweaver_host.projection.documents import PROJECTION_VERSION
from starweaver_host.projection.folding import FOLD_VERSION

from .ownership import owner_of
from .state import Holding, State

SCHEMA_VERSION = 1


class MemoryBase:
    """What every group of operations needs: the state, the clock, and a way to change the first."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._state = State()
        self._epoch = secrets.token_hex(8)
        self._cursor_key = secrets.token_bytes(32)

    @contextmanager
    def _transaction(self) -> Iterator[State]:
        """A copy to work on. Nothing in a transaction awaits, so no two of them overlap."""
        work = self._state.copy()
        yield work
        self._state = work

    def _session(self, state: State, holding: Holding) -> Session:
        """A session as it is handed out: its messages are those it owns."""
        header = holding.header
        owned = sum(owner_of(state, header.namespace_id, name) == header.session_id for name in holding.messages)
        counts = replace(holding.session.counts, messages=holding.nameless + owned)
        return replace(holding.session, counts=counts)

    async def identity(self) -> StoreIdentity:
        """Epoch and versions."""
        return StoreIdentity(
            epoch=self._epoch,
            schema_version=SCHEMA_VERSION,
            fold_version=FOLD_VERSION,
            projection_version=PROJECTION_VERSION,
        )

    async def cursor_key(self) -> bytes:
        """The key of cursors over this store."""
        return self._cursor_key

    async def check(self) -> StoreHealth:
        """Nothing can be damaged."""
        holdings = self._state.sessions.values()
        return StoreHealth(
            engine="memory",
            location=None,
            schema_version=SCHEMA_VERSION,
            size_bytes=sum(len(stored.folded) for holding in holdings for stored in holding.documents),
            sessions=len(holdings),
            events=sum(len(holding.events) for holding in holdings),
        )


def check_limit(limit: int, most: int = PAGE_MAX) -> None:
    """Refuse a page limit outside 1 to `most`."""
    if not 1 <= limit <= most:
        raise StoreError("invalid", f"a limit from 1 to {most} was wanted, found {limit}")


__all__ = ["SCHEMA_VERSION", "MemoryBase", "check_limit"]
