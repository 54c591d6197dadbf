"""Titles that Codex keeps beside its rollouts: `session_index.jsonl` and the `threads` table of its state database.

Both are read whole, as they are small, and kept until they change. The database is opened read-only; absent, locked or
of another shape, it has no titles.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from starweaver_host.contract.errors import SourceError
from starweaver_transcripts.lines import open_regular, read_lines

INDEX_NAME = "session_index.jsonl"
_BUSY_S = 0.2


class Titles:
    """Titles by thread id. Safe to keep for the life of a process."""

    def __init__(self) -> None:
        self._kept: dict[Path, tuple[tuple[int, int], Mapping[str, str]]] = {}

    def of(self, homes: tuple[Path, ...]) -> Mapping[str, str]:
        """Titles found in these folders; a name a person gave wins over the database's."""
        found: dict[str, str] = {}
        for home in reversed(homes):
            for database in _databases(home):
                found.update(self._fresh(database, _read_database))
        for home in reversed(homes):
            found.update(self._fresh(home / INDEX_NAME, _read_index))
        return found

    def _fresh(self, path: Path, read: Any) -> Mapping[str, str]:
        stamp = _stamp(path)
        if stamp is None:
            return {}
        kept = self._kept.get(path)
        if kept is None or kept[0] != stamp:
            kept = self._kept[path] = (stamp, dict(read(path)))
        return kept[1]


def _databases(home: Path) -> list[Path]:
    """The state database in a folder or its `sqlite` folder, older schema versions first."""
    found = [path for folder in (home, home / "sqlite") for path in _states(folder)]
    return sorted(found, key=lambda path: (len(path.name), path.name))


def _states(folder: Path) -> Iterator[Path]:
    try:
        names = os.listdir(folder)  # noqa: PTH208  a glob costs a search more than the listing
    except OSError:
        return
    yield from (folder / name for name in names if name.startswith("state_") and name.endswith(".sqlite"))


def _stamp(path: Path) -> tuple[int, int] | None:
    """Changes when the file or its write-ahead log does."""
    try:
        found = path.stat()
    except OSError:
        return None
    try:
        log = path.with_name(f"{path.name}-wal").stat().st_mtime_ns
    except OSError:
        log = 0
    return max(found.st_mtime_ns, log), found.st_size


def _read_index(path: Path) -> Iterator[tuple[str, str]]:
    try:
        with open_regular(path, path.parent) as handle:
            for line in read_lines(handle):
                if (row := _index_row(line.data)) is not None:
                    yield row
    except SourceError:
        return


def _index_row(data: bytes) -> tuple[str, str] | None:
    try:
        row = msgspec.json.decode(data)
    except ValueError:
        return None
    if not isinstance(row, dict):
        return None
    thread_id, name = row.get("id"), row.get("thread_name")
    if isinstance(thread_id, str) and isinstance(name, str) and name.strip():
        from starweaver_transcripts.emit import clean

        return thread_id, clean(name)
    return None


def _read_database(path: Path) -> Iterator[tuple[str, str]]:
    import sqlite3

    from starweaver_transcripts.presence import is_file

    if not is_file(path):
        return
    try:
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=_BUSY_S)
    except sqlite3.Error:
        return
    try:
        rows = connection.execute("SELECT id, title FROM threads WHERE title IS NOT NULL").fetchall()
    except sqlite3.Error:
        rows = []
    finally:
        connection.close()
    from starweaver_transcripts.emit import clean

    for thread_id, title in rows:
        if isinstance(thread_id, str) and isinstance(title, str) and title.strip():
            yield thread_id, clean(title)


__all__ = ["INDEX_NAME", "Titles"]
