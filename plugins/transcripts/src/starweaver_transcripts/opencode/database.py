"""Opening another program's SQLite database: for reading, with its write-ahead log, without touching it.

`mode=ro` and not `immutable`: what is committed but only in the `-wal` file must be seen. SQLite may create or map
the `-shm` side file for that; the database itself is never written.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from starweaver_host.contract.errors import SourceError

BUSY_TIMEOUT_S = 2.0
_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_CANTOPEN})


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection inside one read transaction, so that everything read belongs together.

    Raises SourceError, retryable when the database is locked, for whatever goes wrong inside.
    """
    connection = None
    try:
        connection = _connect(path)
        connection.execute("BEGIN")
        yield connection
    except sqlite3.Error as error:
        raise _problem(path, error) from error
    finally:
        if connection is not None:
            connection.close()


def columns(connection: sqlite3.Connection, table: str) -> frozenset[str]:
    """The columns of a table; none when there is no such table."""
    return frozenset(row[1] for row in connection.execute(f"PRAGMA table_info({table})"))


def pick(have: frozenset[str], *wanted: str) -> str:
    """A select list of columns, NULL for those an older or newer schema does not have."""
    return ", ".join(f"s.{name}" if name in have else f"NULL AS {name}" for name in wanted)


def _connect(path: Path) -> sqlite3.Connection:
    uri = path.absolute().as_uri() + "?mode=ro"
    if not os.access(path.parent, os.W_OK) and not path.with_name(path.name + "-wal").exists():
        uri += "&immutable=1"  # nothing is pending, and no side file can be made where nothing can be written
    connection = sqlite3.connect(uri, uri=True, timeout=BUSY_TIMEOUT_S, check_same_thread=False, isolation_level=None)
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    return connection


def _problem(path: Path, error: sqlite3.Error) -> SourceError:
    code = getattr(error, "sqlite_errorcode", None)
    if code is not None and code & 0xFF in _BUSY:
        return SourceError(
            f"database {str(path)!r} cannot be read now: {error}",
            hint="close the program that holds it, or try again",
            retryable=True,
        )
    return SourceError(f"database {str(path)!r} must be a readable SQLite database: {error}")


__all__ = ["BUSY_TIMEOUT_S", "columns", "pick", "reading"]
