"""Open a store: find the file, refuse what is not ours, bring the schema up to date, start the connections."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

from starweaver_host.contract.errors import StoreError
from starweaver_host.contract.registration import Clock, ProviderContext

from . import meta
from .config import SqliteStoreConfig
from .database import CHECKPOINT_PAGES, WAL_LIMIT_BYTES, Database, connect
from .errors import engine_errors
from .files import create_file, create_folder, restrict
from .migrations import APPLICATION_ID, Migration, load_migrations, migrate, pending, recognise
from .store import SqliteSessionStore

DATABASE_NAME = "starweaver.sqlite3"
PAGE_SIZE = 8192
"""Bytes. Large values are read faster with large pages, small imports write less with small ones: twice the page is
nearly twice the write-ahead log of an import of a few events."""
RETRY_S = 0.005


@asynccontextmanager
async def opened_store(config: SqliteStoreConfig, context: ProviderContext) -> AsyncIterator[SqliteSessionStore]:
    """The store of a configuration, open for as long as the context is entered."""
    path = context.data_dir / (config.path or DATABASE_NAME)
    database = await context.offload(open_database, path, config, context.clock)
    try:
        yield SqliteSessionStore(database, context.offload)
    finally:
        await context.offload(database.close)


def open_database(path: Path, config: SqliteStoreConfig, clock: Clock) -> Database:
    """Open or create a database. Raises StoreError, and then a file that was there is as it was."""
    with engine_errors(str(path)):
        migrations = load_migrations()
        create_folder(path.parent)
        create_file(path)
        if not _bears_our_mark(path):
            _inspect(path)
        writer = connect(path, config)
        try:
            _prepare(writer, path, config, clock, migrations)
        except BaseException:
            writer.close()
            raise
        return Database(path, config, clock, writer)


def _bears_our_mark(path: Path) -> bool:
    """Read the application id where SQLite's header keeps it: cheaper than a connection, and touches nothing."""
    if not path.is_file() and not path.is_dir():  # opening a pipe would wait for who writes to it
        raise StoreError("failed", f"a database file was wanted, found something else ({path})")
    with path.open("rb") as file:
        header = file.read(100)
    return header[:16] == b"SQLite format 3\0" and header[68:72] == APPLICATION_ID.to_bytes(4, "big")


def _inspect(path: Path) -> None:
    """Refuse another program's file through a connection that cannot write."""
    if path.stat().st_size:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            recognise(connection, str(path))


def _prepare(
    writer: sqlite3.Connection,
    path: Path,
    config: SqliteStoreConfig,
    clock: Clock,
    migrations: tuple[Migration, ...],
) -> None:
    if not recognise(writer, str(path)):
        writer.execute(f"PRAGMA page_size = {PAGE_SIZE}")
        _migrate(writer, path, clock, migrations)
    elif pending(writer, migrations, str(path)):
        _migrate(writer, path, clock, migrations)
    restrict(path)
    _use_wal(writer, config, clock)
    writer.execute("PRAGMA synchronous = FULL")
    writer.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
    writer.execute(f"PRAGMA journal_size_limit = {WAL_LIMIT_BYTES}")
    if config.max_size_bytes is not None:
        page_size = writer.execute("PRAGMA page_size").fetchone()[0]
        writer.execute(f"PRAGMA max_page_count = {max(1, config.max_size_bytes // page_size)}")


def _migrate(writer: sqlite3.Connection, path: Path, clock: Clock, migrations: tuple[Migration, ...]) -> None:
    from starweaver_host.projection.documents import PROJECTION_VERSION
    from starweaver_host.projection.folding import FOLD_VERSION

    writer.execute("BEGIN IMMEDIATE")
    try:
        migrate(writer, migrations, now=clock.now(), where=str(path))
        meta.initialise(
            writer,
            epoch=os.urandom(8).hex(),
            cursor_key=os.urandom(32),
            fold_version=FOLD_VERSION,
            projection_version=PROJECTION_VERSION,
        )
        writer.execute("COMMIT")
    except BaseException:
        if writer.in_transaction:
            writer.execute("ROLLBACK")
        raise


def _use_wal(writer: sqlite3.Connection, config: SqliteStoreConfig, clock: Clock) -> None:
    """Switch a new file to write-ahead logging. SQLite does not wait for other openers here, so this does."""
    deadline = clock.monotonic() + config.busy_timeout_ms / 1000
    while True:
        try:
            writer.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError:
            if clock.monotonic() >= deadline:
                raise
        else:
            return
        time.sleep(RETRY_S)


__all__ = ["DATABASE_NAME", "PAGE_SIZE", "open_database", "opened_store"]
