"""Opening files below a folder without following links: for providers that read what other programs wrote.

Every component is opened relative to its opened parent with O_NOFOLLOW, so what is opened lies where it was looked for
even when a folder on the way is replaced meanwhile. Needs a system with `openat`; `CAN_OPEN_BELOW` tells.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

CAN_OPEN_BELOW = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW") and hasattr(os, "O_DIRECTORY")
_CLOSED_ON_EXEC = getattr(os, "O_CLOEXEC", 0)
_FOLDER = os.O_RDONLY | _CLOSED_ON_EXEC | getattr(os, "O_DIRECTORY", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_FILE = os.O_RDONLY | _CLOSED_ON_EXEC | _NO_LINK | getattr(os, "O_NONBLOCK", 0)
"""O_NONBLOCK: opening a pipe that nobody writes to must not hang."""


def open_folder(path: str | os.PathLike[str]) -> int:
    """A descriptor of a folder, to open files below; the folder itself may be a link. Raises OSError."""
    return os.open(path, _FOLDER)


def open_below(folder_fd: int, parts: Sequence[str]) -> int:
    """A descriptor, for reading, of what lies at `parts` (names of folders, then of a file) below an opened folder.

    Raises OSError: ELOOP or ENOTDIR where a link, or no folder, stands in the way, and ValueError for no or an unsafe
    name. What was opened may be anything but a link: the caller looks. Costs one call per part.
    """
    if not parts or any(not part or part in {".", ".."} or "/" in part for part in parts):
        raise ValueError("names below a folder were wanted")
    at = folder_fd
    try:
        for name in parts[:-1]:
            inside = os.open(name, _FOLDER | _NO_LINK, dir_fd=at)
            _close(at, folder_fd)
            at = inside
        return os.open(parts[-1], _FILE, dir_fd=at)
    finally:
        _close(at, folder_fd)


def _close(descriptor: int, kept: int) -> None:
    if descriptor != kept:
        os.close(descriptor)


__all__ = ["CAN_OPEN_BELOW", "open_below", "open_folder"]
