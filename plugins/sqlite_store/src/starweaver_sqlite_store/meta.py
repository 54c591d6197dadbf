"""Facts about the database file: its epoch, its cursor key, and the versions its corpus was written with."""

from __future__ import annotations

import sqlite3

from starweaver_host.contract.corpus import StoreIdentity

from .database import Transaction


def initialise(
    connection: sqlite3.Connection, *, epoch: str, cursor_key: bytes, fold_version: int, projection_version: int
) -> None:
    """Write the facts of a new file; those of an existing one stay."""
    rows = (
        ("epoch", epoch.encode()),
        ("cursor_key", cursor_key),
        ("fold_version", str(fold_version).encode()),
        ("projection_version", str(projection_version).encode()),
    )
    connection.executemany("INSERT INTO store_meta VALUES (?, ?) ON CONFLICT DO NOTHING", rows)


def set_versions(tx: Transaction, *, fold_version: int, projection_version: int) -> None:
    """Say that the whole corpus was written with these versions."""
    for key, value in (("fold_version", fold_version), ("projection_version", projection_version)):
        tx.execute("UPDATE store_meta SET value = ? WHERE key = ?", (str(value).encode(), key))


def identity(tx: Transaction) -> StoreIdentity:
    """Epoch and versions. The fold and projection versions are those the stored corpus was written with."""
    facts = dict(tx.execute("SELECT key, value FROM store_meta"))
    schema = tx.execute("SELECT max(number) FROM schema_migrations").fetchone()[0]
    return StoreIdentity(
        epoch=facts["epoch"].decode(),
        schema_version=schema,
        fold_version=int(facts["fold_version"]),
        projection_version=int(facts["projection_version"]),
    )


def epoch(tx: Transaction) -> str:
    """The random name of this file's feed."""
    return bytes(tx.execute("SELECT value FROM store_meta WHERE key = 'epoch'").fetchone()[0]).decode()


def cursor_key(tx: Transaction) -> bytes:
    """The key of cursors over this store."""
    return bytes(tx.execute("SELECT value FROM store_meta WHERE key = 'cursor_key'").fetchone()[0])


__all__ = ["cursor_key", "epoch", "identity", "initialise", "set_versions"]
