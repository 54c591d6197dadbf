"""Opening another program's SQLite database: for reading, with its write-ahead log, without touching it.

`mode=ro` and not `immutable` wherever a `-wal` file is: what is committed only there must be seen. SQLite then maps
the `-shm` side file, which belongs to all readers. Where there is no `-wal` file nothing is pending, and opening
without locks leaves no side files behind in a folder that is not ours; that the database was not opened by its tool
meanwhile is checked afterwards.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from starweaver_host.contract.errors import SourceError
from starweaver_transcripts.presence import read_head

BUSY_TIMEOUT_S = 2.0
_HEADER_BYTES = 20
_MODE_AT, _WAL_MODE = 18, b"\x02\x02"
"""Where the header of a database says that it keeps a write-ahead log (https://sqlite.org/fileformat.html)."""
_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_CANTOPEN})


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection inside one read transaction, so that everything read belongs together.

    Raises SourceError for whatever goes wrong inside, retryable when the database is locked or was changed meanwhile.
    """
    connection = None
    before = _quiet_state(path)
    try:
        connection = _connect(path, is_quiet=before is not None)
        connection.execute("BEGIN")
        yield connection
    except sqlite3.Error as error:
        raise (_moved(path) if _has_moved(path, before) else _problem(path, error)) from error
    finally:
        if connection is not None:
            connection.close()
    if _has_moved(path, before):
        raise _moved(path)


def columns(connection: sqlite3.Connection, table: str) -> frozenset[str]:
    """The columns of a table; none when there is no such table."""
    return frozenset(row[1] for row in connection.execute(f"PRAGMA table_info({table})"))


def pick(have: frozenset[str], *wanted: str) -> str:
    """A select list of columns, NULL for those an older or newer schema does not have."""
    return ", ".join(f"s.{name}" if name in have else f"NULL AS {name}" for name in wanted)


def _quiet_state(path: Path) -> tuple[int, int] | None:
    """Size and time of a database that keeps a write-ahead log but has none now; None for any other."""
    try:
        is_logged = read_head(path, _HEADER_BYTES)[_MODE_AT : _MODE_AT + 2] == _WAL_MODE
    except OSError:
        return None
    return None if not is_logged or _log_of(path).exists() else _state(path)


def _state(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_size, found.st_mtime_ns


def _log_of(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


def _has_moved(path: Path, before: tuple[int, int] | None) -> bool:
    """Tell whether a database that was opened without locks was opened by another meanwhile."""
    return before is not None and (_log_of(path).exists() or _state(path) != before)


def _connect(path: Path, *, is_quiet: bool) -> sqlite3.Connection:
    uri = path.absolute().as_uri() + ("?mode=ro&immutable=1" if is_quiet else "?mode=ro")
    connection = sqlite3.connect(uri, uri=True, timeout=BUSY_TIMEOUT_S, check_same_thread=False, isolation_level=None)
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    return connection


def _moved(path: Path) -> SourceError:
    return SourceError(
        f"database {str(path)!r} was opened by another program while it was read", hint="try again", retryable=True
    )


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
