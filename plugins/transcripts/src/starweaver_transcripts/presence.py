"""Whether something is there to be looked at, asked of file systems that may refuse to tell.

A place that may not be looked into counts as there: listing or opening it then says what is wrong, for that place
alone. `Path.is_dir` and its relatives raise there or say no, depending on the release of Python.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path


def is_there(path: Path) -> bool:
    """Whether there is anything at `path`, links followed."""
    return _mode(path) is not None


def is_folder(path: Path) -> bool:
    """Whether there is a folder at `path`, links followed, or something that may not be looked at."""
    mode = _mode(path)
    return mode is not None and (mode == 0 or stat.S_ISDIR(mode))


def is_file(path: Path) -> bool:
    """Whether there is certainly a regular file at `path`, links followed."""
    mode = _mode(path)
    return mode is not None and stat.S_ISREG(mode)


def read_head(path: Path, max_bytes: int) -> bytes:
    """The first bytes of a regular file, links followed: a settings file, not a transcript.

    Raises OSError, also for what is no regular file. Never waits: a pipe that nobody writes to must not stop a search.
    """
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "no regular file", str(path))
    with os.fdopen(descriptor, "rb") as handle:
        return handle.read(max_bytes)


def _mode(path: Path) -> int | None:
    """The mode of what is there, 0 where that is not to be told, None for nothing."""
    try:
        return path.stat().st_mode
    except PermissionError:
        return 0
    except (OSError, ValueError):
        return None


__all__ = ["is_file", "is_folder", "is_there", "read_head"]
