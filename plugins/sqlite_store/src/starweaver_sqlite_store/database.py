"""The connections of one database file: one writer behind a lock, and reading connections that are reused.

Synchronous; a call runs on whatever thread it is made from. Nothing here knows what is stored.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, Concatenate, Literal, NamedTuple, ParamSpec, TypeVar

from starweaver_host.contract.registration import Clock

from .config import SqliteStoreConfig
from .errors import engine_errors

P = ParamSpec("P")
R = TypeVar("R")
Durability = Literal["FULL", "NORMAL"]
CACHE_KIB = 8192
"""Page cache of a connection; readers map the file instead of caching it."""
CHECKPOINT_PAGES = 4096
"""Pages of the write-ahead log after which it is copied into the file. An import changes the same index pages over and
over: copying them four times less often than by default saves a tenth of everything it writes."""
WAL_LIMIT_BYTES = 64 * 1024 * 1024
"""What a write-ahead log is cut back to once it was checkpointed."""


class Transaction(NamedTuple):
    """A running transaction: its connection, and the one time (UTC microseconds) of everything it does."""

    connection: sqlite3.Connection
    now: int

    def execute(self, sql: str, parameters: Any = ()) -> sqlite3.Cursor:
        """Run one statement."""
        return self.connection.execute(sql, parameters)


class Database:
    """One open file. Every public method may be called from several threads at once."""

    def __init__(self, path: Path, config: SqliteStoreConfig, clock: Clock, writer: sqlite3.Connection) -> None:
        self.path = path
        self._config = config
        self._clock = clock
        self._writer = writer
        self._writer_lock = Lock()
        self._durability: Durability = "FULL"
        self._idle_lock = Lock()
        self._idle: list[sqlite3.Connection] = []
        self._closed = False

    def write(self, function: Callable[Concatenate[Transaction, P], R], /, *args: P.args, **kwargs: P.kwargs) -> R:
        """Run `function` in a write transaction that survives a power cut once this returned."""
        return self._write("FULL", function, *args, **kwargs)

    def write_relaxed(
        self, function: Callable[Concatenate[Transaction, P], R], /, *args: P.args, **kwargs: P.kwargs
    ) -> R:
        """The same, but a power cut (not the death of the process) may lose it; what can be read again."""
        return self._write("NORMAL", function, *args, **kwargs)

    def read(self, function: Callable[Concatenate[Transaction, P], R], /, *args: P.args, **kwargs: P.kwargs) -> R:
        """Run `function` in one read snapshot; writers neither wait for it nor make it wait."""
        with engine_errors(str(self.path)), self._reading() as transaction:
            return function(transaction, *args, **kwargs)

    def begin_reading(self) -> Transaction:
        """Begin a snapshot that outlives this call; hand it to `end_reading`."""
        with engine_errors(str(self.path)):
            with self._idle_lock:
                idle = self._idle.pop() if self._idle else None
            connection = idle or self._open_reader()
            try:
                connection.execute("BEGIN")
            except BaseException:
                connection.close()
                raise
            return Transaction(connection, self._clock.now())

    def end_reading(self, transaction: Transaction) -> None:
        """Give a snapshot back."""
        connection = transaction.connection
        if connection.in_transaction:
            connection.rollback()
        with self._idle_lock:
            is_kept = not self._closed and len(self._idle) < self._config.readers
            if is_kept:
                self._idle.append(connection)
        if not is_kept:
            connection.close()

    def size_bytes(self) -> int:
        """Size of the file and its write-ahead log."""
        files = (self.path, self.path.with_name(f"{self.path.name}-wal"))
        return sum(file.stat().st_size for file in files if file.exists())

    def close(self) -> None:
        """Close every connection that is not in use; one in use is closed when its snapshot ends."""
        with self._idle_lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()
        with self._writer_lock, engine_errors(str(self.path)):
            self._writer.close()

    def _write(
        self,
        durability: Durability,
        function: Callable[Concatenate[Transaction, P], R],
        /,
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> R:
        with self._writer_lock, engine_errors(str(self.path)):
            self._set_durability(durability)
            self._writer.execute("BEGIN IMMEDIATE")
            try:
                result = function(Transaction(self._writer, self._clock.now()), *args, **kwargs)
                self._writer.execute("COMMIT")
            except BaseException:
                if self._writer.in_transaction:
                    self._writer.execute("ROLLBACK")
                raise
            return result

    def _set_durability(self, durability: Durability) -> None:
        if durability != self._durability:
            self._writer.execute(f"PRAGMA synchronous = {durability}")
            self._durability = durability

    @contextmanager
    def _reading(self) -> Iterator[Transaction]:
        transaction = self.begin_reading()
        try:
            yield transaction
        finally:
            self.end_reading(transaction)

    def _open_reader(self) -> sqlite3.Connection:
        connection = connect(self.path, self._config)
        connection.execute("PRAGMA query_only = 1")
        connection.execute(f"PRAGMA mmap_size = {self._config.mmap_size_bytes}")
        return connection


def connect(path: Path, config: SqliteStoreConfig) -> sqlite3.Connection:
    """A connection that begins and ends its own transactions and may move between threads."""
    connection = sqlite3.connect(
        path,
        timeout=config.busy_timeout_ms / 1000,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=256,
    )
    connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
    return connection


__all__ = ["CHECKPOINT_PAGES", "WAL_LIMIT_BYTES", "Database", "Durability", "Transaction", "connect"]
