"""One reading of a Pi session file: where to go on, the header, and the second look that a step back may need."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from starweaver_host.contract.events import NewEvent
from starweaver_host.contract.records import LOCAL_NAMESPACE, ExternalSource, SessionHeader, Workspace
from starweaver_host.contract.transcripts import ReadStep, SessionSeen, SourceEnvironment, SourceItem
from starweaver_transcripts.lines import Line, open_regular, read_lines
from starweaver_transcripts.prefix import PrefixMark, is_extended, mark_prefix
from starweaver_transcripts.reading import Mode, read_session

from .places import SOURCE, id_of, owner_of
from .rows import ROWS, Row
from .session import NeedsTree, PiSession
from .state import Identity, PiState, decode_state, encode_state
from .times import entry_time
from .tree import Tree

_ID_MAX = 400
_KEPT_EVENTS = 256


def read_item(env: SourceEnvironment, item: SourceItem, root: Path, saved: bytes | None) -> Iterator[ReadStep]:
    """Read from where `saved` stops if the file still begins with what was read then, else from its start."""
    with open_regular(item.path, root) as handle:
        state = decode_state(saved)
        mode: Mode = "append"
        if state is None or state.identity is None or not _is_extended(handle, state):
            state, mode = PiState(), "replace"
        lines = read_lines(handle, offset=state.offset, number=state.line)
        reading = _Reading(item, root, handle, state, max_bytes=env.tool_result_max_bytes)
        yield from read_session(lines, reading, mode)


def _is_extended(handle: BinaryIO, state: PiState) -> bool:
    return is_extended(handle, PrefixMark(state.offset, 0, state.digest), same_inode=False)


class _Reading:
    """The session as `read_session` drives it. Nothing is ever held: each row of Pi is whole."""

    holds = False

    def __init__(self, item: SourceItem, root: Path, handle: BinaryIO, state: PiState, *, max_bytes: int) -> None:
        self._item = item
        self._root = root
        self._handle = handle
        self._state = state
        self._max_bytes = max_bytes
        self._session = PiSession(state, Tree() if state.rows == 0 else None, max_bytes=max_bytes)

    def read(self, line: Line) -> None:
        row = ROWS.decode(line.data)
        if row.type == "session":
            self._read_header(row)
            return
        if self._state.identity is None:
            self._state.identity = _identity(row, self._item)
        label = row.id or f"entry-{self._state.rows}"  # not by line: a damaged one before it renames nothing
        try:
            self._session.read(row, label)
        except NeedsTree:
            self._session.adopt(self._rebuild(line.offset))
            self._session.read(row, label)

    def _read_header(self, row: Row) -> None:
        if self._state.rows == 0:
            self._state.identity = _identity(row, self._item)
            self._state.model = row.model_id
            self._state.rows = 1

    def _rebuild(self, end: int) -> Tree:
        """Build the tree of the lines before `end` by reading them once more. Costs the file up to there."""
        tree = Tree()
        silent = _Reading(self._item, self._root, self._handle, PiState(), max_bytes=0)
        silent._session.adopt(tree)
        with open_regular(self._item.path, self._root) as again:
            for line in read_lines(again):
                if line.offset >= end:
                    break
                silent._pass_over(line)
        return tree

    def _pass_over(self, line: Line) -> None:
        if not line.data.strip():
            return
        try:
            self.read(line)
        except ValueError:
            return  # told when it was read for good
        if self.waiting() >= _KEPT_EVENTS:
            self.take()

    def pass_line(self, line: Line) -> None:
        self._state.offset, self._state.line = line.end, line.number + line.terminated

    def waiting(self) -> int:
        return self._session.waiting()

    def take(self) -> tuple[NewEvent, ...]:
        return self._session.take()

    def seen(self, mode: Mode) -> SessionSeen | None:
        state = self._state
        if state.identity is None:
            return None
        title = state.title or state.prompt_title
        return SessionSeen(
            header=_header(state.identity),
            mode=mode,
            title=title,
            title_source=None if title is None else "source" if state.title else "rule",
            updated_at=state.newest or None,
        )

    def seal(self) -> bytes:
        self._state.digest = mark_prefix(self._handle, self._state.offset).digest
        return encode_state(self._state)

    def note(self) -> str | None:
        return None


def _identity(row: Row, item: SourceItem) -> Identity:
    """What the header says; a file without one goes by its name. A fork names its parent, a subagent lies in one."""
    native_id = row.id if row.type == "session" else None
    if not native_id or len(native_id) > _ID_MAX or not native_id.isprintable():
        native_id = id_of(item.path.name)
    forked = row.parent_session or row.branched_from
    owner = owner_of(item.path)
    parent = owner or (id_of(forked) if forked else None)
    origin = "user" if parent is None else "subagent" if owner else "fork"
    created = entry_time(row) or item.newest
    return Identity(native_id=native_id, created_at=created, cwd=row.cwd, parent=parent, origin=origin)


def _header(identity: Identity) -> SessionHeader:
    cwd = identity.cwd if identity.cwd and Path(identity.cwd).is_absolute() else None
    return SessionHeader(
        namespace_id=LOCAL_NAMESPACE,
        session_id=f"{SOURCE}:{identity.native_id}",
        created_at=identity.created_at,
        cwd=cwd,
        workspace=None if cwd is None else Workspace(id=cwd, label=cwd),
        parent_session_id=None if identity.parent is None else f"{SOURCE}:{identity.parent}",
        origin=identity.origin,
        external=ExternalSource(source=SOURCE, native_id=identity.native_id),
    )


__all__ = ["read_item"]
