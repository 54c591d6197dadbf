"""Where Claude Code keeps its transcripts, what a file's path tells of it, and when it will be deleted."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from starweaver_host.contract.transcripts import SourceEnvironment, SourceRoot
from starweaver_transcripts.presence import is_folder, read_head

DEFAULT_RETENTION_DAYS = 30
_KEPT_DAYS = 3650
"""A retention of so many days is no deletion worth a warning."""

_DESKTOP = Path("Library/Application Support/Claude/local-agent-mode-sessions")
_SETTINGS_BYTES = 1 << 20


class FileIdentity(NamedTuple):
    """What a path tells of a file: its session's native id and, for a subagent's file, that it is one and of whom."""

    native_id: str
    is_subagent: bool
    parent_id: str | None


class _Settings(msgspec.Struct):
    cleanup_period_days: int | float | None = msgspec.field(default=None, name="cleanupPeriodDays")


def find_roots(env: SourceEnvironment) -> list[SourceRoot]:
    """Every place transcripts may be, in order of how specific the reason is; the same folder once."""
    roots: dict[Path, SourceRoot] = {}
    for path, reason in _projects(env):
        if path not in roots:
            exists = is_folder(path)
            warning = retention_warning(path.parent) if exists else None
            roots[path] = SourceRoot(path=path, exists=exists, reason=reason, warning=warning)
    for path in _desktop_projects(env.home / _DESKTOP):
        roots.setdefault(path, SourceRoot(path=path, exists=True, reason="Claude Desktop"))
    return list(roots.values())


def _projects(env: SourceEnvironment) -> Iterator[tuple[Path, str]]:
    for path in env.extra_roots:
        yield _listed(path), "configured"
    for home, reason in _homes(env):
        yield home if home.name == "projects" else home / "projects", reason


def _homes(env: SourceEnvironment) -> Iterator[tuple[Path, str]]:
    for part in re.split(f"[,{os.pathsep}]", env.environ.get("CLAUDE_CONFIG_DIR", "")):
        if part.strip():
            yield _expanded(part.strip(), env.home), "CLAUDE_CONFIG_DIR"
    yield env.home / ".claude", "default"
    config = env.environ.get("XDG_CONFIG_HOME")
    base = _expanded(config, env.home) if config else env.home / ".config"
    yield base / "claude-code", "XDG_CONFIG_HOME" if config else "default"


def _listed(path: Path) -> Path:
    """A root a person added is a configuration folder, or any folder that holds transcripts."""
    return path / "projects" if is_folder(path / "projects") else path


def _expanded(text: str, home: Path) -> Path:
    return home / text[2:] if text.startswith("~/") else Path(text)


def _desktop_projects(base: Path) -> Iterator[Path]:
    if is_folder(base):
        for folder in sorted(base.glob("**/local_*/.claude/projects")):
            if is_folder(folder):
                yield folder


def retention_warning(home: Path) -> str | None:
    """What Claude Code's own clean-up will do to the transcripts of this configuration folder."""
    days = _retention_days(home / "settings.json")
    if days >= _KEPT_DAYS:
        return None
    return f"Claude Code deletes transcripts here after {days:g} days (cleanupPeriodDays)"


def _retention_days(settings: Path) -> float:
    try:
        found = msgspec.json.decode(read_head(settings, _SETTINGS_BYTES), type=_Settings)
    except (OSError, msgspec.MsgspecError):
        return DEFAULT_RETENTION_DAYS
    return DEFAULT_RETENTION_DAYS if found.cleanup_period_days is None else found.cleanup_period_days


def is_transcript(name: str) -> bool:
    """Tell whether a file's name can be a session's; workflow journals repeat what agents' files hold."""
    return name.endswith(".jsonl") and name != "journal.jsonl"


def identify(path: Path) -> FileIdentity:
    """What the path tells: the session's id is the stem; a subagent lies below a folder named after its parent."""
    parents = path.parts[:-1]
    if "subagents" in parents[1:]:
        at = len(parents) - 1 - parents[::-1].index("subagents")
        return FileIdentity(path.stem, is_subagent=True, parent_id=parents[at - 1])
    return FileIdentity(path.stem, is_subagent=path.name.startswith("agent-"), parent_id=None)


__all__ = ["DEFAULT_RETENTION_DAYS", "FileIdentity", "find_roots", "identify", "is_transcript", "retention_warning"]
