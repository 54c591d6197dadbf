"""Configuration of the SQLite store: the keys of its table in a product's file."""

from __future__ import annotations

from pathlib import Path

import msgspec

MMAP_DEFAULT_BYTES = 2_147_418_112
"""What SQLite is usually compiled to allow at most; a scan reads mapped pages twice as fast as it reads by call."""


class SqliteStoreConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where the database is and how much it may use. Every key has a default."""

    path: Path | None = None
    """The database file; in a file, a relative path is relative to that file, and `~` is the home directory.

    None is `starweaver.sqlite3` in the data directory.
    """

    busy_timeout_ms: int = 5000
    """How long a write waits for another process before it is `unavailable`; at least 0."""

    readers: int = 4
    """Reading connections kept open for reuse; more are opened while more reads run at once. At least 1."""

    mmap_size_bytes: int = MMAP_DEFAULT_BYTES
    """How much of the file readers map into memory; 0 turns mapping off."""

    max_size_bytes: int | None = None
    """The size beyond which the file does not grow: a write that needs more is `full`. None sets no bound."""


__all__ = ["MMAP_DEFAULT_BYTES", "SqliteStoreConfig"]
