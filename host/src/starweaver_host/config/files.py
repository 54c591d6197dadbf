"""Writing a configuration file so that a reader sees the old text or the new one, never a part of either."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from starweaver_host.contract.errors import ConfigError


def write_atomically(path: Path, text: str) -> None:
    """Replace a file's content (mode 0600, its folder made with 0700); a link keeps pointing at the changed file.

    Raises ConfigError when it cannot be written; the old content is then still there.
    """
    try:
        target = path.resolve()
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _replace(target, text.encode("utf-8"))
    except UnicodeEncodeError as error:
        raise ConfigError("configuration cannot be written: a value is no text", path=str(path)) from error
    except (OSError, RuntimeError) as error:  # a loop of links is the latter
        reason = (getattr(error, "strerror", None) or type(error).__name__).lower()
        raise ConfigError(f"configuration cannot be written: {reason}", path=str(path)) from error


def _replace(target: Path, content: bytes) -> None:
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:  # mkstemp made it 0600
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    """Make the rename itself durable, where folders can be opened."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


__all__ = ["write_atomically"]
