"""The copies of a session that a root holds, and which of each is the one to read.

One data folder may hold every generation at once: trees of files that a migration left behind, and databases with
tables of two releases. Each session is one item, whatever number of copies there are. Loaded when a root is there.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from starweaver_host.contract.errors import SourceError
from starweaver_host.contract.transcripts import SourceItem, SourceRoot
from starweaver_transcripts.presence import is_file, is_folder

from .places import CONFIGURED, NAMES
from .spoken import Candidate
from .stores import Database
from .trees import GENERATION_PROJECT, GENERATION_SHARED, Tree

KEY_MARK = "#"
"""Between the place of a session and its id in an item's key."""
UNREADABLE = "unreadable"
"""The fingerprint of a store that could not be listed begins with this."""
ANCESTORS = (".opencode", ".crush")
"""Folders in a project where the ancestor of OpenCode, and what became of it, keep their database."""


class Place(NamedTuple):
    """A copy of a session and the store it lies in."""

    store: Tree | Database
    candidate: Candidate


def stores_of(root: Path, *, is_configured: bool) -> list[Tree | Database]:
    """The stores at a root. What a person added may also be a tree, a project's folder, or a database.

    Raises SourceError when the root cannot be listed.
    """
    if is_file(root):
        return [Database(root)]
    _demand_listing(root)
    projects = _unlinked(sorted(root.glob("project/*/storage")), root)
    shared = _unlinked((root / "storage", root), root)
    stores: list[Tree | Database] = [Tree(path, root, is_project=True) for path in projects]
    stores += [Tree(path, root, is_project=False) for path in shared if _is_tree(path)]
    stores += [Database(path) for path in _unlinked(_databases(root, is_configured=is_configured), root)]
    return stores


def _demand_listing(root: Path) -> None:
    try:
        os.scandir(root).close()
    except OSError as error:
        raise SourceError(f"folder {str(root)!r} cannot be listed: {error.strerror}") from error


def find_items(root: SourceRoot) -> Iterator[SourceItem]:
    """One item per session, from its best copy; one per store that could not be listed.

    Raises SourceError when a database is only locked: what its sessions are cannot be told from older copies.
    """
    chosen: dict[str, Place] = {}
    for store in stores_of(root.path, is_configured=root.reason == CONFIGURED):
        try:
            candidates = list(store.candidates())
        except SourceError as error:
            if error.retryable or not isinstance(store, Database):
                raise
            yield _unreadable(store)
            continue
        for candidate in candidates:
            place = Place(store, candidate)
            rival = chosen.get(candidate.session_id)
            chosen[candidate.session_id] = place if rival is None else max(rival, place, key=_rank)
    for session_id, place in chosen.items():
        yield _item(f"{root.path}{KEY_MARK}{session_id}", place)


def store_of(item: SourceItem) -> tuple[Tree | Database, int]:
    """The store an item lies in, which may be gone by now, and the number of the generation there."""
    generation = int(item.fingerprint.partition(":")[0])
    if generation not in (GENERATION_PROJECT, GENERATION_SHARED):
        return Database(item.path), generation
    root = Path(item.key.rpartition(KEY_MARK)[0])
    return Tree(item.path, root, is_project=generation == GENERATION_PROJECT), generation


def _rank(place: Place) -> tuple[bool, int, int]:
    """Of two copies the one that holds messages, then the newer by its own times, then the later generation."""
    candidate = place.candidate
    newest = candidate.newest
    if candidate.dated is not None:
        try:
            newest = candidate.dated()
        except SourceError:
            newest = 0
    return (candidate.has_messages, newest, candidate.generation)


def _is_tree(path: Path) -> bool:
    return is_folder(path / "session") and is_folder(path / "message")


def _unlinked(paths: Iterable[Path], root: Path) -> list[Path]:
    """Those that no link below the root leads to: what a link leads to is found under its own name, or is not ours."""
    return [path for path in paths if not _is_linked(path, root)]


def _is_linked(path: Path, root: Path) -> bool:
    while path != root:
        if os.path.islink(path):  # noqa: PTH114  # Path.is_symlink raises where a folder may not be looked into
            return True
        path = path.parent
    return False


def _databases(root: Path, *, is_configured: bool) -> list[Path]:
    names = list(NAMES)
    if is_configured:
        names += ["*.db", *(f"{folder}/*.db" for folder in ANCESTORS)]
    found = {path for name in names for path in root.glob(name) if is_file(path)}
    return sorted(found)


def _item(key: str, place: Place) -> SourceItem:
    store, candidate = place
    path = store.folder if isinstance(store, Tree) else store.path
    return SourceItem(
        key=key,
        path=path,
        fingerprint=f"{candidate.fingerprint}:{path.name}",
        newest=candidate.newest * 1000,
        size_bytes=candidate.size_bytes,
    )


def _unreadable(store: Database) -> SourceItem:
    found = store.path.stat()
    return SourceItem(
        key=str(store.path),
        path=store.path,
        fingerprint=f"{UNREADABLE}:{found.st_size}:{found.st_mtime_ns}",
        newest=found.st_mtime_ns // 1000,
        size_bytes=found.st_size,
    )


__all__ = ["ANCESTORS", "KEY_MARK", "UNREADABLE", "Place", "find_items", "store_of", "stores_of"]
