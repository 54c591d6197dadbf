"""Opens display mirrors safely: below one root, following no link, regular files only, at most a bounded size.

Every component is opened relative to its opened parent with O_NOFOLLOW, and what is read is what was checked: there
is no moment between check and use in which a path could change its meaning. Needs a system with `openat`.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from starweaver_host.contract.search import WarningKind
from starweaver_host.services.files import open_below, open_folder

FILE_MAX_BYTES = 2 * 1024 * 1024
FILE_NAME = "display.compact.json"
_PART = re.compile(r"[A-Za-z0-9_-]{1,200}", re.ASCII)


class MirrorUnread(Exception):  # noqa: N818 - a state of one file, not a failure of the search
    """A mirror was not read; `kind` and the fixed text are the warning to give."""

    def __init__(self, kind: WarningKind, text: str) -> None:
        super().__init__(text)
        self.kind = kind
        self.text = text


class MirrorRoot:
    """An opened mirror root. The root itself may be a link: it was configured; nothing below it may."""

    def __init__(self, root_fd: int) -> None:
        self._root_fd = root_fd

    def read(self, session_id: str, run_id: str, *, bytes_left: int) -> bytes:
        """Return the bytes of a run's mirror; raises MirrorUnread. Reads at most FILE_MAX_BYTES or `bytes_left`."""
        if not (_PART.fullmatch(session_id) and _PART.fullmatch(run_id)):
            raise MirrorUnread("unavailable_source", "a display mirror has an unsafe name and was not looked for")
        try:
            return self._read(("sessions", session_id, "runs", run_id), bytes_left)
        except OSError as error:
            raise _unread(error) from None

    def _read(self, folders: tuple[str, ...], bytes_left: int) -> bytes:
        file_fd = open_below(self._root_fd, (*folders, FILE_NAME))
        try:
            return _read_regular(file_fd, bytes_left)
        finally:
            os.close(file_fd)


@contextmanager
def opened_root(path: Path) -> Iterator[MirrorRoot]:
    """Yield the root at `path`; raises MirrorUnread when it cannot be opened as a folder."""
    try:
        root_fd = open_folder(path)
    except OSError:
        raise MirrorUnread("unavailable_source", "the display mirror folder cannot be opened") from None
    try:
        yield MirrorRoot(root_fd)
    finally:
        os.close(root_fd)


def _read_regular(file_fd: int, bytes_left: int) -> bytes:
    found = os.fstat(file_fd)
    if not stat.S_ISREG(found.st_mode):
        raise MirrorUnread("unavailable_source", "a display mirror is no regular file and was not read")
    if found.st_size > FILE_MAX_BYTES:
        raise MirrorUnread("limit_reached", "a display mirror is too large and was not read")
    if found.st_size > bytes_left:
        raise MirrorUnread("limit_reached", "display mirrors hold more bytes than a search may read")
    most = found.st_size
    data = b""
    while len(data) < most and (part := os.read(file_fd, most - len(data))):
        data += part
    return data


def _unread(error: OSError) -> MirrorUnread:
    if error.errno == errno.ENOENT:
        return MirrorUnread("missing_source", "a display mirror is missing")
    if error.errno in {errno.ELOOP, errno.ENOTDIR}:
        return MirrorUnread("unavailable_source", "a display mirror is or stands behind a link and was not followed")
    return MirrorUnread("unavailable_source", "a display mirror cannot be read")


__all__ = ["FILE_MAX_BYTES", "FILE_NAME", "MirrorRoot", "MirrorUnread", "opened_root"]
