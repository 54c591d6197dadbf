"""One reading of one Claude file: lines to rows, rows to messages, messages to steps.

The lines of one assistant message share its id and may have tool results between them, so they are gathered until
something follows that cannot be inside it. A message at the end of the file that may still grow is held back: the next
reading begins at its first line. Deals in steps; knows neither folders nor the store.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from starweaver_host.contract.transcripts import EventsRead, ItemDone, ReadPoint, ReadStep, RecordSkipped
from starweaver_transcripts.lines import Line, read_lines
from starweaver_transcripts.prefix import PrefixMark, is_extended, mark_prefix

from .decode import Decoded, decode_line, is_whole
from .gather import Group
from .headers import session_seen
from .roots import FileIdentity
from .routing import Sessions
from .rows import Link, Message, Row
from .session import SessionWriter
from .state import STATE_VERSION, FileState, pack_state, unpack_state

_DELIVER_BYTES = 1 << 20
_FOREIGN_LINES = 32
"""So many lines without one row of ours at the beginning: the file is another program's."""


class FileReader:
    """Reads one open file. `is_idle` says that nobody has written to it lately, so that its last message is whole."""

    def __init__(
        self, handle: BinaryIO, identity: FileIdentity, *, fallback_ms: int, is_idle: bool, tool_result_max_bytes: int
    ) -> None:
        self._handle = handle
        self._identity = identity
        self._fallback_ms = fallback_ms
        self._is_idle = is_idle
        self._max_bytes = tool_result_max_bytes
        self._group: Group | None = None
        self._skipped: list[RecordSkipped] = []
        self._weight = 0
        self._recognised = False
        self._resumed = False

    def steps(self, state: bytes | None) -> Iterator[ReadStep]:
        """The steps of this reading, from `state` if the file still begins with what it stands for."""
        offset, number = self._open(state)
        for line in read_lines(self._handle, offset=offset, number=number):
            if not is_whole(line):
                break
            parts = decode_line(line)
            if self._closes(parts):
                self._close()
                if self._weight >= _DELIVER_BYTES:
                    yield from self._deliver()
                    yield ReadPoint(state=self._state(line.offset, line.number))
            self._take(parts, line)
            offset, number = line.end, line.number + 1
            if not self._recognised and len(self._skipped) >= _FOREIGN_LINES:
                break
        yield from self._finish(offset, number)

    def _open(self, state: bytes | None) -> tuple[int, int]:
        found = unpack_state(state) if state is not None else None
        if found is not None and is_extended(self._handle, found.mark):
            self._recognised = self._resumed = True
            sessions, offset, number = found.sessions, found.mark.offset, found.line_number
        else:
            sessions, offset, number = [], 0, 1
        self._sessions = Sessions(self._identity, sessions, tool_result_max_bytes=self._max_bytes)
        return offset, number

    def _finish(self, offset: int, number: int) -> Iterator[ReadStep]:
        if not self._recognised and self._skipped:
            yield ItemDone(note="not a transcript of Claude Code")
            return
        held = self._group is not None and not (self._is_idle or self._group.is_stopped)
        if held and self._group is not None:
            offset, number = self._group.offset, self._group.number
        else:
            self._close()
            if self._is_idle:
                self._sessions.main.end_of_file()
        yield from self._deliver()
        yield ItemDone(state=self._state(offset, number), complete=not held)

    def _closes(self, parts: list[Decoded]) -> bool:
        group = self._group
        if group is None:
            return True
        return any(isinstance(part, Row) and group.is_closed_by(part, self._sessions.of(part)) for part in parts)

    def _take(self, parts: list[Decoded], line: Line) -> None:
        for part in parts:
            if isinstance(part, Row):
                self._recognised = True
                self._weight += len(line.data) - len(memoryview(part.tool_use_result))
                self._place(self._checked(part, line), line)
            else:
                self._recognised = self._recognised or isinstance(part, Link)
                self._place(part, line)

    def _checked(self, row: Row, line: Line) -> Row | RecordSkipped:
        self._sessions.learn_parent(row)
        if row.type not in ("user", "assistant"):
            return row
        if not isinstance(row.message, Message) or row.message.content is None:
            return RecordSkipped(where=line.where(), reason=f"{row.type} record without content")
        return row

    def _place(self, part: Decoded, line: Line) -> None:
        writer = self._sessions.of(part) if isinstance(part, Row) else self._sessions.main
        if isinstance(part, Row) and self._group is not None and self._group.is_closed_by(part, writer):
            self._close()
        if self._group is not None:
            self._group.parts.append((part, writer))
        elif isinstance(part, Row) and part.type == "assistant" and not writer.is_copy(part):
            self._group = Group(part, writer, line)
        else:
            self._apply(part, writer)

    def _close(self) -> None:
        """Write the gathered message, then what came between its lines."""
        group, self._group = self._group, None
        if group is None:
            return
        rows, others = group.sorted()
        group.writer.assistant(rows)
        for part, writer in others:
            self._apply(part, writer)

    def _apply(self, part: Decoded, writer: SessionWriter) -> None:
        if isinstance(part, RecordSkipped):
            self._skipped.append(part)
        elif isinstance(part, Link):
            writer.progress(part)
        elif not writer.is_copy(part):
            writer.take_row(part)

    def _deliver(self) -> Iterator[ReadStep]:
        yield from self._skipped
        self._skipped.clear()
        self._weight = 0
        for writer in self._sessions.all():
            events = writer.log.take()
            if events or writer.state.titles.title != writer.state.told_title:
                yield from session_seen(writer, fallback_ms=self._fallback_ms)
            if events:
                yield EventsRead(events=events)

    def _state(self, offset: int, number: int) -> bytes:
        mark: PrefixMark = mark_prefix(self._handle, offset)
        sessions = [writer.saved() for writer in self._sessions.all()]
        return pack_state(FileState(version=STATE_VERSION, mark=mark, line_number=number, sessions=sessions))


__all__ = ["FileReader"]
