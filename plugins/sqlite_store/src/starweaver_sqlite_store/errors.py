"""What the engine's errors mean in the store's vocabulary."""

from __future__ import annotations

import errno
import os
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

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
_REFUSED = frozenset({sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM})
_REFUSED_HINT = "the store's file and folder must be there to be written: see their owner and mode, or name another"
_DISK_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})


def store_error(error: sqlite3.Error, where: str) -> StoreError:
    """The StoreError for an error of the engine; `where` names the file."""
    number = getattr(error, "sqlite_errorcode", 0) & 0xFF
    code = _CODES.get(number, "failed")
    text = str(error).rstrip(".").lower()
    hint = _REFUSED_HINT if number in _REFUSED else _HINTS.get(code)
    return StoreError(code, f"store operation did not complete: {text} ({where})", hint=hint)


def _system_error(error: OSError, where: str) -> StoreError:
    """The StoreError for an error of the file system, about the file it names or else `where`."""
    code: StoreErrorCode = "full" if error.errno in _DISK_FULL else "failed"
    text = (error.strerror or type(error).__name__).lower()
    place = where if error.filename is None else os.fsdecode(error.filename)
    hint = _HINTS.get(code, _REFUSED_HINT)
    return StoreError(code, f"store operation did not complete: {text} ({place})", hint=hint)


@contextmanager
def engine_errors(where: str) -> Iterator[None]:
    """Turn errors of the engine and the file system, damaged values, and what cannot be held into StoreErrors."""
    try:
        yield
    except sqlite3.Error as error:
        raise store_error(error, where) from error
    except OSError as error:
        raise _system_error(error, where) from error
    except (msgspec.DecodeError, zlib.error) as error:
        raise StoreError("corrupt", f"a stored value cannot be read: {error} ({where})") from error
    except (UnicodeEncodeError, OverflowError) as error:
        raise StoreError("invalid", f"value cannot be stored: {error}") from error


__all__ = ["engine_errors", "store_error"]
