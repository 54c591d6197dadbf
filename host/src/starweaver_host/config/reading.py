"""Reading a configuration file from the disk, whatever lies there in its place. Knows no TOML."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO

from starweaver_host.contract.errors import ConfigError

MAX_BYTES = 1 << 20
"""No configuration a person wrote is larger; what is would be read for minutes, or without end."""


def read_file(path: Path) -> bytes | None:
    """The content of a regular file, links followed; None when there is nothing at `path`.

    Raises ConfigError when it cannot be read, is no regular file, or has more than MAX_BYTES. Never waits.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise _unreadable(path, (error.strerror or type(error).__name__).lower()) from error
    if stat.S_ISDIR(os.fstat(descriptor).st_mode):  # of which no stream can be made
        os.close(descriptor)
        raise _unreadable(path, "is a directory")
    with os.fdopen(descriptor, "rb") as file:
        return _content(path, file)


def _content(path: Path, file: BinaryIO) -> bytes:
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        raise _unreadable(path, "is no regular file")
    try:
        content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise _unreadable(path, (error.strerror or type(error).__name__).lower()) from error
    if len(content) > MAX_BYTES:
        raise _unreadable(path, f"at most {MAX_BYTES} bytes were wanted, found more")
    return content


def _unreadable(path: Path, reason: str) -> ConfigError:
    return ConfigError(f"configuration cannot be read: {reason}", path=str(path))


__all__ = ["MAX_BYTES", "read_file"]
