"""What the schema promises: rows of a session are kept apart by its whole identity."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any

OF_A_NAMESPACE = frozenset({"approvals", "audit"})
"""Tables that name a session and belong to none: they outlive it."""


def _unique_columns(connection: sqlite3.Connection) -> Iterator[tuple[str, str, frozenset[str]]]:
    """(table, index, columns) of every primary key and unique index of the tables that belong to sessions."""
    for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        columns = connection.execute("SELECT name, pk FROM pragma_table_info(?)", (table,)).fetchall()
        if table in OF_A_NAMESPACE or "session_id" not in {name for name, _ in columns}:
            continue
        yield table, "primary key", frozenset(name for name, key in columns if key)
        for (index,) in connection.execute('SELECT name FROM pragma_index_list(?) WHERE "unique"', (table,)).fetchall():
            names = connection.execute("SELECT name FROM pragma_index_info(?)", (index,)).fetchall()
            yield table, index, frozenset(name for (name,) in names)


def test_unique_keys_of_session_tables_hold_the_whole_identity(bench: Any) -> None:
    """Namespace and session are in every primary key and unique index, so that no session is in another's way."""
    bench.open()

    with closing(sqlite3.connect(bench.folder / "starweaver.sqlite3")) as connection:
        found = list(_unique_columns(connection))

    assert {"sessions", "runs", "segments", "corpus_chunks", "leases"} <= {table for table, _, _ in found}
    assert [each for each in found if not {"namespace_id", "session_id"} <= each[2]] == []
