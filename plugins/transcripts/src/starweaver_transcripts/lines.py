"""Finding and reading line-oriented transcripts: regular files below a root, streamed line by line.

Lines end at a newline byte and nothing else; one line may be as long as memory allows. Links are never followed:
what a link inside the root points to is found under its own name, what lies outside is not ours to read.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from starweaver_host.contract.errors import SourceError
from starweaver_host.services.files import CAN_OPEN_BELOW, open_below, open_folder

if TYPE_CHECKING:
    from starweaver_host.contract.transcripts import SourceRoot

BUFFER_BYTES = 256 * 1024
_BEHIND_LINK = frozenset({errno.ELOOP, errno.ENOTDIR})
_MARK = b"\xef\xbb\xbf"
_BLANK_MARK = b" " * len(_MARK)
"""What a byte order mark reads as: JSON knows blanks, and places in the file stay what they are."""


class Line(NamedTuple):
    """One line. `offset` and `number` (1-based) locate it; `data` has no newline; `terminated` says one followed."""

    offset: int
    number: int
    data: bytes
    terminated: bool

    @property
    def end(self) -> int:
        """The offset of the byte after this line and its newline."""
        return self.offset + len(self.data) + self.terminated

    def where(self) -> str:
        """Line and byte, as `RecordSkipped.where` wants them."""
        return f"line {self.number} at byte {self.offset}"


class FoundFile(NamedTuple):
    """A regular file below a root, with what its directory entry told."""

    path: Path
    size_bytes: int
    mtime_ns: int
    inode: int

    @property
    def fingerprint(self) -> str:
        """Changes whenever the file was written to or replaced."""
        return f"{self.size_bytes}:{self.mtime_ns}:{self.inode}"

    @property
    def newest(self) -> int:
        """Modification time in UTC microseconds."""
        return self.mtime_ns // 1000


class WalkedRoots:
    """The roots that a source's items were listed below, to find an item's again without looking at the disk."""

    def __init__(self) -> None:
        self._roots: dict[Path, None] = {}

    def add(self, root: Path) -> None:
        """Remember a root that is listed."""
        self._roots[root] = None

    def root_of(self, path: Path, others: Callable[[], Iterable[SourceRoot]]) -> Path:
        """The root a file lies below, among `others` when it was not listed here. Raises SourceError for none."""
        for root in self._roots:
            if path.is_relative_to(root):
                return root
        for other in others():
            if path.is_relative_to(other.path):
                return other.path
        raise SourceError(f"transcript {str(path)!r} must lie below a root of its source")


def open_regular(path: Path, root: Path) -> BinaryIO:
    """Open a regular file below `root` for reading; the root may be a link, nothing below it.

    Raises SourceError when it is absent, no regular file, unreadable, not below the root, or reached through a link,
    also one that was put there since the file was listed.
    """
    try:
        descriptor = _descriptor(path, root)
    except ValueError as error:
        raise SourceError(f"transcript {str(path)!r} must lie below {str(root)!r}") from error
    except OSError as error:
        if error.errno in _BEHIND_LINK:
            message = f"transcript {str(path)!r} must lie below {str(root)!r}, a link stands in the way"
            raise SourceError(message) from error
        raise SourceError(f"transcript {str(path)!r} cannot be opened: {error.strerror}") from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise SourceError(f"transcript {str(path)!r} must be a regular file")
    return os.fdopen(descriptor, "rb", buffering=BUFFER_BYTES)


def _descriptor(path: Path, root: Path) -> int:
    parts = path.relative_to(root).parts
    if not CAN_OPEN_BELOW:
        return _resolved(path, root)
    folder = open_folder(root)
    try:
        return open_below(folder, parts)
    finally:
        os.close(folder)


def _resolved(path: Path, root: Path) -> int:
    """For systems without `openat`: a link is seen, one that is put there in the next moment is not."""
    real = path.resolve(strict=True)
    if real != root.resolve(strict=True) / path.relative_to(root):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    return os.open(real, os.O_RDONLY | getattr(os, "O_BINARY", 0))


def read_lines(handle: BinaryIO, *, offset: int = 0, number: int = 1) -> Iterator[Line]:
    """The lines from `offset` to the end, the last one perhaps without its newline. Linear time, one line in memory."""
    handle.seek(offset)
    return next_lines(handle, offset=offset, number=number)


def next_lines(stream: BinaryIO, *, offset: int, number: int) -> Iterator[Line]:
    """The lines that follow in a stream that stands at `offset` and need not be able to seek."""
    for raw in stream:
        terminated = raw.endswith(b"\n")
        data = raw[:-1] if terminated else raw
        del raw  # a line may be tens of megabytes, and this generator waits while it is read
        if offset == 0 and data.startswith(_MARK):
            data = _BLANK_MARK + data[len(_MARK) :]
        yield Line(offset, number, data, terminated)
        offset += len(data) + terminated
        number += 1


def walk_files(root: Path, accept: Callable[[str], bool], hidden: list[str]) -> Iterator[FoundFile]:
    """Regular files below `root` whose name `accept` takes, any order, at the cost of a stat each.

    Raises SourceError when the root cannot be listed; of a folder below it that cannot be listed, `hidden` gets the
    reason: hand it to `tell_hidden` once what was found has been handed over.
    """
    try:
        entries = list(os.scandir(root))
    except OSError as error:
        raise SourceError(_unlisted(root, error)) from error
    pending = [(root, entries)]
    while pending:
        folder, entries = pending.pop()
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                pending.append((folder / entry.name, _entries(entry.path, hidden)))
            elif accept(entry.name) and entry.is_file(follow_symlinks=False):
                found = _found(folder, entry)
                if found is not None:
                    yield found


def tell_hidden(hidden: Sequence[str]) -> None:
    """Raise SourceError when a walk met folders that it could not list."""
    if hidden:
        raise SourceError(hidden[0] + (f", and {len(hidden) - 1} more" if len(hidden) > 1 else ""))


def _entries(path: str, hidden: list[str]) -> list[os.DirEntry[str]]:
    try:
        return list(os.scandir(path))
    except FileNotFoundError:  # deleted since its parent was listed
        return []
    except OSError as error:
        hidden.append(_unlisted(path, error))
        return []


def _unlisted(path: str | Path, error: OSError) -> str:
    return f"folder {str(path)!r} cannot be listed: {error.strerror}"


def _found(folder: Path, entry: os.DirEntry[str]) -> FoundFile | None:
    try:
        found = entry.stat(follow_symlinks=False)
    except OSError:  # deleted since it was listed
        return None
    return FoundFile(folder / entry.name, found.st_size, found.st_mtime_ns, found.st_ino)


__all__ = [
    "BUFFER_BYTES",
    "FoundFile",
    "Line",
    "WalkedRoots",
    "next_lines",
    "open_regular",
    "read_lines",
    "tell_hidden",
    "walk_files",
]
