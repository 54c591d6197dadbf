"""Where OpenCode keeps sessions: names and roots. What lies there is found by `copies`."""

from __future__ import annotations

from fnmatch import fnmatch
from pathlib import Path

from starweaver_host.contract.transcripts import SourceEnvironment, SourceRoot
from starweaver_transcripts.presence import is_there

SOURCE = "opencode"
DATA_VARIABLE = "XDG_DATA_HOME"
FILE_VARIABLE = "OPENCODE_DB"
CONFIGURED = "configured"
NAMES = ("opencode.db", "opencode-*.db")
"""How databases in the data folder are named."""


def find_roots(env: SourceEnvironment) -> list[SourceRoot]:
    """Configured folders and files first, then a database named by variable, then the data folder."""
    data = env.environ.get(DATA_VARIABLE)
    folder = (Path(data) if data else env.home / ".local" / "share") / "opencode"
    found = dict.fromkeys(env.extra_roots, CONFIGURED)
    named = env.environ.get(FILE_VARIABLE)
    if named and named != ":memory:" and not _is_listed(folder / named, folder):
        found.setdefault(folder / named, FILE_VARIABLE)
    found.setdefault(folder, DATA_VARIABLE if data else "default")
    return [SourceRoot(path=path, exists=is_there(path), reason=reason) for path, reason in found.items()]


def _is_listed(path: Path, folder: Path) -> bool:
    """Tell whether a database is found in the data folder anyway."""
    return path.parent == folder and any(fnmatch(path.name, name) for name in NAMES)


__all__ = ["CONFIGURED", "DATA_VARIABLE", "FILE_VARIABLE", "NAMES", "SOURCE", "find_roots"]
