"""Sessions OpenCode kept as JSON files: one tree for all projects (to 1.1), or one per project (before that).

A tree has folders of sessions, messages and parts. What is left of one after a migration is read like any other.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from starweaver_host.contract.errors import SourceError
from starweaver_transcripts.emit import epoch_ms
from starweaver_transcripts.jsonrows import RowDecoder
from starweaver_transcripts.lines import open_regular
from starweaver_transcripts.presence import is_file, is_folder

from .first import FirstDecoder
from .records import MessageInfo, PartInfo, SessionFile
from .spoken import Candidate, Spoken, StoredSession

GENERATION_PROJECT, GENERATION_SHARED = 0, 1
_PREFIX = "ses_"
_PATH_SEARCH = 20
"""So many messages are looked at for a working directory that the session does not name."""


class _Entry(NamedTuple):
    """A directory entry with its stat."""

    path: Path
    stat: os.stat_result


class Tree:
    """One tree: where it keeps sessions, the messages of one, and the parts of a message.

    Nothing is read through a link below `root`.
    """

    def __init__(self, folder: Path, root: Path, *, is_project: bool) -> None:
        self.folder = folder
        self._root = root
        self.generation = GENERATION_PROJECT if is_project else GENERATION_SHARED
        base = folder / "session" if is_project else folder
        self._sessions = base / "info" if is_project else base / "session"
        self._messages = base / "message"
        self._parts = base / "part"
        self._is_project = is_project
        self._loose: dict[str, list[Path]] | None = None

    def candidates(self) -> Iterator[Candidate]:
        """The sessions of the tree, at the cost of a stat for each session, message folder and part folder."""
        folders = [self._sessions] if self._is_project else _folders(self._sessions)
        for folder in folders:
            for entry in _files(folder):
                yield self._candidate(entry)

    def spoken(self, session_id: str, *, user_source: str, max_bytes: int) -> Iterator[Spoken]:
        """A session's messages, by file name, their parts likewise."""
        decoder = FirstDecoder(user_source=user_source, tool_result_max_bytes=max_bytes)
        for name, info in self._infos(session_id, decoder):
            if isinstance(info, str):
                yield Spoken(name, "other", None, error=info)
                continue
            message_id = info.id or name
            parts = [self._read(path) for path in self._part_paths(session_id, message_id)]
            yield from decoder.spoken(message_id, info, parts)

    def describe(self, session_id: str) -> StoredSession:
        """A session's description. Raises SourceError when its file cannot be read."""
        path = self._session_path(session_id)
        try:
            found = RowDecoder(SessionFile).decode(self._read(path))
        except ValueError as error:
            raise SourceError(f"session file {str(path)!r} must be readable: {error}", retryable=True) from error
        time, revert = found.time, found.revert
        return StoredSession(
            id=found.id,
            parent_id=found.parent_id,
            directory=found.directory or self._directory(session_id),
            title=found.title,
            version=found.version,
            created=epoch_ms(time.created) if time else None,
            updated=epoch_ms(time.updated) if time else None,
            revert_to=revert.message_id if revert else None,
            keeps_revert=bool(revert and revert.part_id),
        )

    def _candidate(self, entry: _Entry) -> Candidate:
        session_id = self._session_id(entry.path.stem)
        messages = self._messages / session_id
        stats = [entry.stat]
        if (found := _stat(messages)) is not None:
            stats.append(found)
            stats += [each for name in _names(messages) if (each := _stat(self._part_folder(session_id, name)))]
        newest = max(each.st_mtime_ns for each in stats)
        return Candidate(
            session_id=session_id,
            generation=self.generation,
            has_messages=len(stats) > 1,
            newest=newest // 1_000_000,
            fingerprint=f"{self.generation}:{entry.stat.st_size}:{entry.stat.st_mtime_ns}:{len(stats)}:{newest}",
            size_bytes=sum(each.st_size for each in stats),
            dated=lambda: self.describe(session_id).updated or 0,
        )

    def _session_id(self, stem: str) -> str:
        """A session's id is its file's name; some files put the prefix of ids before one that has none."""
        bare = stem.removeprefix(_PREFIX)
        return bare if bare != stem and is_folder(self._messages / bare) else stem

    def _session_path(self, session_id: str) -> Path:
        folders = [self._sessions] if self._is_project else _folders(self._sessions)
        for folder in folders:
            for name in (f"{session_id}.json", f"{_PREFIX}{session_id}.json"):
                if is_file(folder / name):
                    return folder / name
        raise SourceError(f"session {session_id!r} must have a file below {str(self._sessions)!r}, it is gone")

    def _part_folder(self, session_id: str, message_id: str) -> Path:
        return self._parts / session_id / message_id if self._is_project else self._parts / message_id

    def _infos(self, session_id: str, decoder: FirstDecoder) -> Iterator[tuple[str, MessageInfo | str]]:
        """Messages without their parts, by file name; a text instead of one says why it could not be read."""
        for entry in _files(self._messages / session_id):
            try:
                yield entry.path.stem, decoder.message(self._read(entry.path))
            except ValueError as error:
                yield entry.path.stem, str(error)

    def _part_paths(self, session_id: str, message_id: str) -> list[Path]:
        found: list[Path] = []
        if _is_name(message_id):
            found = [entry.path for entry in _files(self._part_folder(session_id, message_id))]
        return found or self._loose_parts().get(message_id, [])

    def _loose_parts(self) -> dict[str, list[Path]]:
        """Parts that lie in no folder of a message, by the message they name. Read once."""
        if self._loose is None:
            self._loose = {}
            decoder = RowDecoder(PartInfo)
            for entry in _files(self._parts):
                try:
                    message_id = decoder.decode(self._read(entry.path)).message_id
                except ValueError:
                    continue
                self._loose.setdefault(message_id or "", []).append(entry.path)
        return self._loose

    def _directory(self, session_id: str) -> str | None:
        """Where the first answers were made; early sessions do not say."""
        decoder = FirstDecoder(user_source="user", tool_result_max_bytes=0)
        for number, (_, info) in enumerate(self._infos(session_id, decoder)):
            if number == _PATH_SEARCH:
                break
            if isinstance(info, MessageInfo) and isinstance(info.path, dict) and info.path.get("cwd"):
                return str(info.path["cwd"])
        return None

    def _read(self, path: Path) -> bytes:
        with open_regular(path, self._root) as handle:
            return handle.read()


def _is_name(text: str) -> bool:
    """Whether a message's id can be a folder's name; as a path it might lead out of the tree."""
    return text not in {"", ".", ".."} and not any(mark in text for mark in "/\\\0")


def _folders(folder: Path) -> list[Path]:
    try:
        return sorted(Path(entry.path) for entry in os.scandir(folder) if entry.is_dir(follow_symlinks=False))
    except OSError:
        return []


def _files(folder: Path) -> list[_Entry]:
    """JSON files directly in a folder, by name."""
    try:
        return sorted(
            _Entry(Path(entry.path), entry.stat(follow_symlinks=False))
            for entry in os.scandir(folder)
            if entry.name.endswith(".json") and entry.is_file(follow_symlinks=False)
        )
    except OSError:
        return []


def _names(folder: Path) -> list[str]:
    try:
        return [path.name.removesuffix(".json") for path in folder.iterdir()]
    except OSError:
        return []


def _stat(path: Path) -> os.stat_result | None:
    try:
        return path.stat(follow_symlinks=False)
    except OSError:
        return None


__all__ = ["GENERATION_PROJECT", "GENERATION_SHARED", "Tree"]
