"""Where Gemini CLI keeps its chats, and which files together are one session.

Chats lie in `<home>/.gemini/tmp/<project>/chats`, those of subagents in a folder named after their parent. A session
that was resumed has a `.jsonl` beside its older `.json`; one whose context was cleared has a file per context, with
the same id in its name.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from starweaver_host.contract.transcripts import SourceEnvironment, SourceItem, SourceRoot
from starweaver_transcripts.lines import FoundFile, tell_hidden, walk_files
from starweaver_transcripts.presence import is_folder, read_head

SOURCE = "gemini-cli"
HOME_VARIABLE = "GEMINI_CLI_HOME"
CHATS = "chats"

_SESSION_FILE = r"session-\d{4}-\d\d-\d\dT\d\d-\d\d-([^.]+)"
_SESSION_ID = rb'"sessionId"\s*:\s*"([^"\\]+)"'
_OTHERS = frozenset({"logs.json", "projects.json", "settings.json", "trustedFolders.json", "state.json"})
_UNREADABLE = ".unreadable-"
_PEEK_BYTES = 4096


class SessionFiles(NamedTuple):
    """The files of one session, oldest first."""

    members: tuple[FoundFile, ...]

    @property
    def fingerprint(self) -> str:
        """Changes when any file does, or another joins."""
        return " ".join(member.fingerprint for member in self.members)


def find_roots(env: SourceEnvironment) -> list[SourceRoot]:
    """The folders of project folders: configured ones, and the one `GEMINI_CLI_HOME` or the home folder leads to."""
    home = env.environ.get(HOME_VARIABLE)
    default = Path(home) if home else env.home
    found = [(_listed(path), "configured") for path in env.extra_roots]
    found.append((default / ".gemini" / "tmp", HOME_VARIABLE if home else "default"))
    unique = dict(reversed(found))
    return [SourceRoot(path=p, exists=is_folder(p), reason=unique[p]) for p in dict.fromkeys(path for path, _ in found)]


def _listed(path: Path) -> Path:
    """A root a person added may be a home folder, a configuration folder, or any folder that holds chats."""
    for inside in (path / ".gemini" / "tmp", path / "tmp"):
        if is_folder(inside):
            return inside
    return path


def find_items(root: SourceRoot) -> Iterator[SourceItem]:
    """One item per session below a root, and one per file the tool set aside as unreadable."""
    hidden: list[str] = []
    found = list(walk_files(root.path, _may_be_chat, hidden))
    chats = [file for file in found if is_in_chats(file.path)]
    if not chats and root.reason == "configured":
        chats = [file for file in found if "checkpoints" not in file.path.parts]
    for file in chats:
        if _UNREADABLE in file.path.name:
            yield _item(str(file.path), SessionFiles((file,)))
    for files in _sessions(file for file in chats if _UNREADABLE not in file.path.name):
        yield _item(str(files.members[0].path.with_suffix("")), files)
    tell_hidden(hidden)


def files_of(path: Path) -> SessionFiles:
    """The files of the session that this file is part of, as they are now."""
    group = _group_of(path)
    try:
        entries = list(os.scandir(path.parent))
    except OSError:
        return SessionFiles(())
    found = [
        FoundFile(Path(entry.path), stat.st_size, stat.st_mtime_ns, stat.st_ino)
        for entry in entries
        if entry.name.endswith((".json", ".jsonl")) and _group_of(Path(entry.path)) == group
        if entry.is_file(follow_symlinks=False)
        for stat in (entry.stat(follow_symlinks=False),)
    ]
    sessions = list(_sessions(found))
    return next((each for each in sessions if any(m.path == path for m in each.members)), SessionFiles(()))


def is_in_chats(path: Path) -> bool:
    """Tell whether a file is a chat, or a subagent's, by where it lies."""
    parents = path.parts[:-1]
    return CHATS in parents[-2:]


def parent_of(path: Path) -> str | None:
    """The id of the session a subagent's file belongs to; None for a file that is no subagent's by its place."""
    return path.parent.name if path.parent.name != CHATS and path.parent.parent.name == CHATS else None


def is_unreadable(path: Path) -> bool:
    """Tell whether the tool set this file aside because it could not read it."""
    return _UNREADABLE in path.name


def _may_be_chat(name: str) -> bool:
    return (name.endswith((".json", ".jsonl")) and name not in _OTHERS) or _UNREADABLE in name


def _item(key: str, files: SessionFiles) -> SourceItem:
    return SourceItem(
        key=key,
        path=files.members[-1].path,
        fingerprint=files.fingerprint,
        newest=max(member.newest for member in files.members),
        size_bytes=sum(member.size_bytes for member in files.members),
    )


def _group_of(path: Path) -> str:
    match = re.fullmatch(_SESSION_FILE, path.stem)
    return match[1] if match else f"={path.stem}"


def _sessions(found: Iterable[FoundFile]) -> Iterator[SessionFiles]:
    groups: dict[tuple[Path, str], dict[str, FoundFile]] = defaultdict(dict)
    for file in sorted(found, key=lambda each: each.path.name):
        stems = groups[file.path.parent, _group_of(file.path)]
        older = stems.get(file.path.stem)
        if older is None or (file.path.suffix == ".jsonl" and file.size_bytes):
            stems[file.path.stem] = file
    for stems in groups.values():
        yield from _split(tuple(stems.values()))


def _split(files: tuple[FoundFile, ...]) -> Iterator[SessionFiles]:
    """Names carry only the beginning of the id: where several files share it, the ids inside decide."""
    if len(files) == 1:
        yield SessionFiles(files)
        return
    by_id: dict[bytes, list[FoundFile]] = defaultdict(list)
    for file in files:
        by_id[_peek_id(file.path)].append(file)
    yield from (SessionFiles(tuple(members)) for members in by_id.values())


def _peek_id(path: Path) -> bytes:
    try:
        match = re.search(_SESSION_ID, read_head(path, _PEEK_BYTES))
    except OSError:
        match = None
    return match[1] if match else path.stem.encode()


__all__ = [
    "CHATS",
    "HOME_VARIABLE",
    "SOURCE",
    "SessionFiles",
    "files_of",
    "find_items",
    "find_roots",
    "is_in_chats",
    "is_unreadable",
    "parent_of",
]
