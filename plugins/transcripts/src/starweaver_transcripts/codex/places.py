"""Where Codex keeps rollouts, and which files there are one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from zlib import crc32

from starweaver_host.contract.transcripts import SourceEnvironment, SourceItem, SourceRoot
from starweaver_transcripts.lines import FoundFile, tell_hidden, walk_files
from starweaver_transcripts.presence import is_folder

from .streams import find_decompressor, is_compressed

SOURCE = "codex"
_FOLDERS = ("sessions", "archived_sessions")
_PLAIN, _COMPRESSED = ".jsonl", ".jsonl.zst"


def find_roots(env: SourceEnvironment) -> list[SourceRoot]:
    """The sessions folders: of each configured root, then of `CODEX_HOME` or `~/.codex`."""
    found = [root for extra in env.extra_roots for root in _extra_roots(extra)]
    variable = env.environ.get("CODEX_HOME")
    home = _expand(variable, env.home) if variable else env.home / ".codex"
    reason = "CODEX_HOME" if variable else "default"
    known = {root.path for root in found}
    own = (_root(home / name, reason) for name in _FOLDERS)
    return [*found, *(root for root in own if root.path not in known)]


def _extra_roots(path: Path) -> list[SourceRoot]:
    """A Codex home is its two folders; any other folder is taken as a folder of rollouts."""
    inside = [_root(path / name, "configured") for name in _FOLDERS if is_folder(path / name)]
    return inside or [_root(path, "configured")]


def _root(path: Path, reason: str) -> SourceRoot:
    return SourceRoot(path=path, exists=is_folder(path), reason=reason)


def _expand(value: str, home: Path) -> Path:
    return home / value[2:] if value.startswith("~/") else Path(value)


def homes_of(env: SourceEnvironment, root: Path) -> tuple[Path, ...]:
    """Folders whose side files may name a root's sessions, nearest first."""
    variable = env.environ.get("CODEX_SQLITE_HOME")
    near = (root.parent, root) if root.name in _FOLDERS else (root, root.parent)
    return near if not variable else (*near, _expand(variable, env.home))


def stem_of(name: str) -> str | None:
    """A rollout's file name without its endings, the same plain, compressed and archived; None for other files."""
    for ending in (_PLAIN, _COMPRESSED):
        if name.endswith(ending) and len(name) > len(ending):
            return name.removesuffix(ending)
    return None


def find_items(root: Path, titles: Mapping[str, str]) -> Iterator[SourceItem]:
    """One item per rollout below a root; of a plain one and its compressed twin, the plain one."""
    files: dict[str, FoundFile] = {}
    hidden: list[str] = []
    for found in walk_files(root, lambda name: stem_of(name) is not None, hidden):
        stem = stem_of(found.path.name) or ""
        if stem not in files or is_compressed(files[stem].path):
            files[stem] = found
    can_unpack = any(is_compressed(found.path) for found in files.values()) and find_decompressor() is not None
    for stem, found in files.items():
        yield _item(stem, found, titles, can_unpack=can_unpack)
    tell_hidden(hidden)


def _item(stem: str, found: FoundFile, titles: Mapping[str, str], *, can_unpack: bool) -> SourceItem:
    """The fingerprint also changes with the title kept elsewhere, and when a decompressor comes or goes."""
    fingerprint = f"{found.size_bytes}:{found.mtime_ns}"
    if is_compressed(found.path):
        fingerprint += ":zst" if can_unpack else ":unread"
    title = next((titles[part] for part in _ids(stem) if part in titles), None)
    if title is not None:
        fingerprint += f":{crc32(title.encode()):08x}"
    return SourceItem(
        key=stem, path=found.path, fingerprint=fingerprint, newest=found.newest, size_bytes=found.size_bytes
    )


def _ids(stem: str) -> tuple[str, str]:
    """Where a thread's id may stand: the last five groups of the name, or all of it."""
    return stem[-36:], stem


__all__ = ["SOURCE", "find_items", "find_roots", "homes_of", "stem_of"]
