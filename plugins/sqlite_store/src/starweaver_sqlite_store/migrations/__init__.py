"""Numbered schema migrations: each is applied once, in one transaction, and recorded with its checksum.

A file that was changed after it was applied, a schema newer than this version knows, and a database of another
program are refused before anything is written.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from starweaver_host.contract.errors import StoreError

APPLICATION_ID = 0x53574442
"""Marks a database as ours in its header ("SWDB")."""

_LEDGER = """
CREATE TABLE IF NOT EXISTS schema_migrations (
  number     INTEGER NOT NULL PRIMARY KEY,
  name       TEXT    NOT NULL,
  sha256     TEXT    NOT NULL,
  applied_at INTEGER NOT NULL
) STRICT
"""


_SHIPPED = (
    ("0001_store", "3d3c49da3f6791c03b19235e149dc6137b3fb645f8d41546364e23d305d82579"),
    ("0002_sessions", "2a4138a84e476c3d7d9f83c0b441cb99c61265d1f6fbfa764d70e3238506ae49"),
    ("0003_runs", "b2910b0fcdbcef9e0d25a98b7185948742c3771eb961a1da48dc5ebf66872d45"),
    ("0004_log", "2e659dfed4b0a1f2b94684ab1d84b2b8313e2cbb4fe11213c57432d775f282a2"),
    ("0005_corpus", "4b29d9dd75e303dcdbd136b7cee3047f6eb32061a3c55d6db02f8211b1373171"),
    ("0006_ledger", "569b7ad3aa6c98a03e312aa8e06ef481b8d4099143faf6791c3f1f3fcf0c112f"),
    ("0007_control", "870ca75e43feb862fc3025b7041f00ddfb9da88775ebc0e37985ab310ae76909"),
)
"""Name and SHA-256 of every file (UTF-8, line ends as line feeds), written down so that opening a store reads and
hashes none of them. A test compares."""


class Migration(NamedTuple):
    """One file: `number` counts from 1 without gaps; `sha256` is of its text."""

    number: int
    name: str
    sha256: str
    file: Path

    @property
    def sql(self) -> str:
        """The file's text. Line ends come as line feeds, so that a checkout with other ones has the same checksum."""
        return self.file.read_text(encoding="utf-8")


def load_migrations() -> tuple[Migration, ...]:
    """The migrations of this version, ascending. Reads no file."""
    folder = Path(__file__).parent
    return tuple(
        Migration(number, name, sha256, folder / f"{name}.sql") for number, (name, sha256) in enumerate(_SHIPPED, 1)
    )


def recognise(connection: sqlite3.Connection, where: str) -> bool:
    """True for a database of ours, False for an empty one; anything else is refused."""
    if _mark(connection) == APPLICATION_ID:
        return True
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    found = _mark(connection)  # looked at again: another process may have created the tables meanwhile
    if found == APPLICATION_ID:
        return True
    if found == 0 and tables == 0:
        return False
    raise StoreError(
        "unsupported_schema",
        f"a starweaver database was wanted, found another program's (application id {found:#x}, {where})",
        hint="name another file in the store's path",
    )


def _mark(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA application_id").fetchone()[0])


def pending(connection: sqlite3.Connection, migrations: Sequence[Migration], where: str) -> tuple[Migration, ...]:
    """The migrations still to apply. Refuses a newer schema and one whose recorded checksums differ."""
    applied = connection.execute("SELECT number, name, sha256 FROM schema_migrations ORDER BY number").fetchall()
    if len(applied) > len(migrations):
        raise StoreError(
            "unsupported_schema",
            f"a schema up to {len(migrations)} was wanted, found {applied[-1][0]} ({where})",
            hint="use the newer version that wrote this file",
        )
    for row, known in zip(applied, migrations, strict=False):
        if row != (known.number, known.name, known.sha256):
            raise StoreError(
                "unsupported_schema",
                f"migration {known.name!r} was wanted as shipped, found {row[1]!r} with another checksum ({where})",
                hint="use the version that wrote this file",
            )
    return tuple(migrations[len(applied) :])


def migrate(connection: sqlite3.Connection, migrations: Sequence[Migration], *, now: int, where: str) -> None:
    """Apply what is pending, all of it in the transaction that the caller has begun with BEGIN IMMEDIATE."""
    if not recognise(connection, where):
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(_LEDGER)
    for migration in pending(connection, migrations, where):
        for statement in statements(migration.sql):
            connection.execute(statement)
        row = (migration.number, migration.name, migration.sha256, now)
        connection.execute("INSERT INTO schema_migrations VALUES (?, ?, ?, ?)", row)


def statements(sql: str) -> Iterator[str]:
    """The statements of a script. `executescript` would commit the transaction a migration must run in."""
    gathered = ""
    for line in sql.splitlines(keepends=True):
        gathered += line
        if sqlite3.complete_statement(gathered):
            yield gathered
            gathered = ""
    if gathered.strip():
        yield gathered


__all__ = ["APPLICATION_ID", "Migration", "load_migrations", "migrate", "pending", "recognise", "statements"]
