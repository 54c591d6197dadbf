"""Numbered schema migrations: each is applied once, in one transaction, and recorded with its checksum.

A file that was changed after it was applied, a schema newer than this version knows, and a database of another
program are refused before anything is written.
"""

from __future__ import annotations

import hashlib
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


class Migration(NamedTuple):
    """One file: `number` counts from 1 without gaps; `sha256` is of its bytes."""

    number: int
    name: str
    sha256: str
    sql: str


def load_migrations(folder: Path | None = None) -> tuple[Migration, ...]:
    """The migrations of this version, ascending."""
    files = sorted((folder or Path(__file__).parent).glob("[0-9][0-9][0-9][0-9]_*.sql"))
    return tuple(_load(file) for file in files)


def _load(file: Path) -> Migration:
    # text is compared with \n line ends, so that a checkout with other line ends has the same checksum
    text = file.read_text(encoding="utf-8")
    return Migration(int(file.name[:4]), file.stem, hashlib.sha256(text.encode()).hexdigest(), text)


def recognise(connection: sqlite3.Connection, where: str) -> bool:
    """True for a database of ours, False for an empty one; anything else is refused."""
    found = connection.execute("PRAGMA application_id").fetchone()[0]
    if found == APPLICATION_ID:
        return True
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if found == 0 and tables == 0:
        return False
    raise StoreError(
        "unsupported_schema",
        f"a starweaver database was wanted, found another program's (application id {found:#x}, {where})",
        hint="name another file in the store's path",
    )


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
