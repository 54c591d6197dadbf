"""What the engine's errors mean in the store's vocabulary."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from starweaver_host.contract.errors import StoreError, StoreErrorCode

_CODES: dict[int, StoreErrorCode] = {
    sqlite3.SQLITE_BUSY: "unavailable",
    sqlite3.SQLITE_LOCKED: "unavailable",
    sqlite3.SQLITE_FULL: "full",
    sqlite3.SQLITE_CORRUPT: "corrupt",
    sqlite3.SQLITE_NOTADB: "corrupt",
    sqlite3.SQLITE_CONSTRAINT: "invalid",
    sqlite3.SQLITE_TOOBIG: "invalid",
    sqlite3.SQLITE_MISMATCH: "invalid",
    sqlite3.SQLITE_RANGE: "invalid",
}
_HINTS: dict[StoreErrorCode, str] = {
    "unavailable": "another process is writing: try again",
    "full": "free space on the disk, or raise the store's max_size_bytes",
    "corrupt": "restore the file from a backup, or move it away and import again",
}


def store_error(error: sqlite3.Error, where: str) -> StoreError:
    """The StoreError for an error of the engine; `where` names the file."""
    code = _CODES.get(getattr(error, "sqlite_errorcode", 0) & 0xFF, "failed")
    text = str(error).rstrip(".").lower()
    return StoreError(code, f"store operation did not complete: {text} ({where})", hint=_HINTS.get(code))


@contextmanager
def engine_errors(where: str) -> Iterator[None]:
    """Turn errors of the engine, and values it cannot hold, into StoreErrors."""
    try:
        yield
    except sqlite3.Error as error:
        raise store_error(error, where) from error
    except (UnicodeEncodeError, OverflowError) as error:
        raise StoreError("invalid", f"value cannot be stored: {error}") from error


__all__ = ["engine_errors", "store_error"]
