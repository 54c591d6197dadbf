"""Which directory a project folder of Gemini CLI stands for.

Files name their project by the SHA-256 of its path; folders by the same, or by a short name that `projects.json` and
a marker file in the folder explain. Known paths are hashed and compared: what was not seen stays unknown.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

import msgspec

from starweaver_host.contract.errors import SourceError
from starweaver_transcripts.jsonrows import RowDecoder
from starweaver_transcripts.lines import open_regular
from starweaver_transcripts.presence import read_head

from .places import CHATS
from .records import Metadata

_FILE_BYTES = 4 << 20
_LINE_BYTES = 64 << 10
_MARKER = ".project_root"

T = TypeVar("T")


class _Registry(msgspec.Struct):
    projects: dict[str, str] = {}


class Projects:
    """Reverse lookup of one tool's folder. Reads small side files once, each when it is first needed."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._known: dict[str, str] | None = None
        self._slugs: dict[str, str] = {}
        self._folders: set[Path] = set()

    def directory(self, path: Path, project_hash: str | None, directories: list[str] | None) -> str | None:
        """The project root of a chat file: a path whose hash the file names, else what its folder's name stands for."""
        for candidate in directories or []:
            if project_hash == _hash(candidate):
                return candidate
        known = self._paths(path)
        if project_hash in known:
            return known[project_hash]
        folder = project_folder(path)
        named = None if folder is None else known.get(folder.name) or self._slugs.get(folder.name)
        return named or (directories[0] if directories and path.parent.name != CHATS else None)

    def _paths(self, path: Path) -> dict[str, str]:
        if self._known is None:
            self._known = {_hash(root): root for root in self._roots()}
        folder = project_folder(path)
        if folder is not None and folder not in self._folders:
            self._folders.add(folder)
            for root in _seen_in(folder):
                self._known.setdefault(_hash(root), root)
        return self._known

    def _roots(self) -> Iterator[str]:
        home = self._root.parent
        registry = _decode(home / "projects.json", _Registry)
        for root, slug in (registry.projects if registry else {}).items():
            self._slugs[slug] = root
            yield root
        yield from _decode(home / "trustedFolders.json", dict[str, object]) or ()
        yield str(home.parent)


def _seen_in(folder: Path) -> Iterator[str]:
    """Paths the project folder itself names: its marker, and the directories its subagents were given."""
    with suppress(SourceError), open_regular(folder / _MARKER, folder) as handle:
        yield handle.read(_LINE_BYTES).decode("utf-8", "replace").strip()
    decoder = RowDecoder(Metadata)
    for chat in sorted((folder / CHATS).glob("*/*.jsonl")):
        try:
            with open_regular(chat, folder) as handle:
                yield from decoder.decode(handle.readline(_LINE_BYTES)).directories or []
        except (SourceError, OSError, ValueError):
            continue


def project_folder(path: Path) -> Path | None:
    """The project folder a chat lies in."""
    return next((parent.parent for parent in path.parents if parent.name == CHATS), None)


def _decode(path: Path, kind: type[T]) -> T | None:
    try:
        return msgspec.json.decode(read_head(path, _FILE_BYTES), type=kind)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None


def _hash(root: str) -> str:
    return sha256(root.encode("utf-8", "surrogatepass")).hexdigest()


__all__ = ["Projects", "project_folder"]
