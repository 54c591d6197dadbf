"""Where Pi and its relatives keep sessions, which files there are one, and what a path says about lineage."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from starweaver_host.contract.transcripts import SourceEnvironment, SourceItem, SourceRoot
from starweaver_transcripts.lines import FoundFile, tell_hidden, walk_files
from starweaver_transcripts.presence import is_file, is_folder

SOURCE = "pi"
ENDING = ".jsonl"
_VARIABLES = ("PI_CODING_AGENT_SESSION_DIR", "PI_SESSIONS_DIR")
_AGENT_DIR = "PI_CODING_AGENT_DIR"
_RELATIVES = (".omp", ".prime")
_NAMED = re.compile(r".+_([0-9A-Za-z-]{8,})")


def find_roots(env: SourceEnvironment) -> list[SourceRoot]:
    """Configured folders, those the variables name, Pi's own, then Oh My Pi's and Prime's; each once."""
    found: dict[Path, SourceRoot] = {}
    for path, reason in _places(env):
        found.setdefault(path, SourceRoot(path=path, exists=is_folder(path), reason=reason))
    return list(found.values())


def _places(env: SourceEnvironment) -> Iterator[tuple[Path, str]]:
    for extra in env.extra_roots:
        inside = (extra / "agent" / "sessions", extra / "sessions")
        yield next((path for path in inside if is_folder(path)), extra), "configured"
    for name in _VARIABLES:
        if value := env.environ.get(name):
            yield _expand(value, env.home), name
    agent = env.environ.get(_AGENT_DIR)
    if agent:
        yield _expand(agent, env.home) / "sessions", _AGENT_DIR
    else:
        yield env.home / ".pi" / "agent" / "sessions", "default"
    for name in _RELATIVES:
        yield env.home / name / "agent" / "sessions", "default"


def _expand(value: str, home: Path) -> Path:
    if value == "~":
        return home
    return home / value[2:] if value.startswith(("~/", "~\\")) else Path(value)


def find_items(root: Path) -> Iterator[SourceItem]:
    """One item per session file below a root, at any depth."""
    seen: set[str] = set()
    hidden: list[str] = []
    for found in walk_files(root, lambda name: name.endswith(ENDING), hidden):
        key = _key_of(found, root)
        if key in seen:
            key = _relative(found.path, root)
        seen.add(key)
        yield SourceItem(
            key=key,
            path=found.path,
            fingerprint=f"{found.size_bytes}:{found.mtime_ns}",
            newest=found.newest,
            size_bytes=found.size_bytes,
        )
    tell_hidden(hidden)


def _key_of(found: FoundFile, root: Path) -> str:
    """The file's name where it holds the session's id, so that a moved file stays the same item; else its place."""
    stem = found.path.name.removesuffix(ENDING)
    return stem if _NAMED.fullmatch(stem) else _relative(found.path, root)


def _relative(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix().removesuffix(ENDING)


def id_of(path_text: str) -> str:
    """The session id a file's path ends in; the file's name where it holds none. Takes both path styles."""
    stem = path_text.replace("\\", "/").rpartition("/")[2].removesuffix(ENDING)
    named = _NAMED.fullmatch(stem)
    return named[1] if named else stem


def owner_of(path: Path) -> str | None:
    """The session whose folder of subagents a file lies in: the folder is called like that session's file."""
    owner = path.parent.with_name(path.parent.name + ENDING)
    return id_of(owner.name) if is_file(owner) else None


__all__ = ["SOURCE", "find_items", "find_roots", "id_of", "owner_of"]
