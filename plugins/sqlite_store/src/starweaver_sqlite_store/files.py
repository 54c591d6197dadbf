"""The files and folders of a database: only their owner may read them."""

from __future__ import annotations

import os
from pathlib import Path

FILE_MODE = 0o600
FOLDER_MODE = 0o700


def create_folder(folder: Path) -> None:
    """Create a folder and the missing ones above it, each for its owner alone; existing ones are left as they are."""
    if folder.is_dir():
        return
    create_folder(folder.parent)
    folder.mkdir(mode=FOLDER_MODE, exist_ok=True)


def create_file(path: Path) -> None:
    """Create the database file empty, for its owner alone, unless it exists. SQLite gives -wal and -shm its mode."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, FILE_MODE))
    except FileExistsError:
        return


def restrict(path: Path) -> None:
    """Take group and others' permissions from a database of ours and the files beside it."""
    for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
        file = path.with_name(name)
        try:
            if file.stat().st_mode & 0o077:
                file.chmod(FILE_MODE)
        except OSError:  # the file is not there, or not ours to change: reading it decides
            continue


__all__ = ["FILE_MODE", "FOLDER_MODE", "create_file", "create_folder", "restrict"]
