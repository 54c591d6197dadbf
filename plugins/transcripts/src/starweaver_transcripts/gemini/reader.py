"""One reading of the files of a Gemini session.

Steps depend on the order of the records alone: a message is logged when a record about another one follows, so the
versions of a message that streams become one. The last message is logged on top of that state when it is whole, and
what was handed over is remembered by digest: if a later reading finds that it became something else, the session is
read anew. Thus reading in pieces, at whatever moments, gives the log that reading once gives.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from starweaver_host.contract.transcripts import (
    EventsRead,
    ItemDone,
    ReadPoint,
    ReadStep,
    RecordSkipped,
    SourceEnvironment,
    SourceItem,
)
from starweaver_transcripts.delivery import EMPTY_LOG, Delivery, LogMark, LogRewrittenError
from starweaver_transcripts.turns import TurnLog

from .conversation import Conversation
from .files import ChatFile, Located
from .nodes import ConversationState
from .places import parent_of
from .projects import Projects
from .records import Message, Metadata, Record, RecordDecoder, RewindTo
from .render import Renderer, is_model
from .state import Point, ReadState, SessionInfo, pack_point, pack_state, session_seen, unpack_point, unpack_state

_DELIVER_BYTES = 1 << 20
_NOT_OURS = "not a chat of Gemini CLI"


class _Start(NamedTuple):
    """Where a record begins, and how many before it could not be understood."""

    offset: int
    number: int
    skipped: int


class _Held(NamedTuple):
    """The newest message, which may be written again, and where it was first."""

    message: Message
    start: _Start


class SessionReader:
    """Reads one session. `is_idle` says that nobody wrote to it lately, so that its last message is whole."""

    def __init__(
        self,
        env: SourceEnvironment,
        item: SourceItem,
        files: Sequence[ChatFile],
        *,
        projects: Projects,
        decoder: RecordDecoder,
        is_idle: bool,
    ) -> None:
        self._env = env
        self._item = item
        self._files = files
        self._projects = projects
        self._decoder = decoder
        self._is_idle = is_idle

    def steps(self, state: bytes | None) -> Iterator[ReadStep]:
        """The steps from where an earlier reading stopped; from the start, anew, when what it read was changed."""
        saved = unpack_state(state)
        try:
            point = unpack_point(saved.point)
            yield from self._read(point if self._holds(point) else None, saved)
        except LogRewrittenError:
            yield from self._read(None, ReadState())

    def _holds(self, point: Point | None) -> bool:
        """Tell whether a point still leads to where it led: nothing before it was changed."""
        if point is None or point.earlier != self._earlier(len(self._files) - 1):
            return False
        last = self._files[-1]
        return last.file.path.name == point.name and last.is_extended(point.prefix)

    def _earlier(self, place: int) -> list[str]:
        return [chat.file.fingerprint for chat in self._files[:place]]

    def _read(self, point: Point | None, saved: ReadState) -> Iterator[ReadStep]:
        self._begin(point, saved.delivered)
        self._counted = saved.skipped
        first = 0 if point is None else len(self._files) - 1
        for place, chat in enumerate(self._files[first:], first):
            yield from self._read_file(chat, place, point)
        yield from self._finish()

    def _begin(self, point: Point | None, delivered: LogMark) -> None:
        self._held: _Held | None = None
        self._end: bytes | None = None
        self._is_new = not delivered.length
        self._has_records = point is not None
        self._skipped = 0 if point is None else point.skipped
        self._skips: list[RecordSkipped] = []
        self._info = self._introduce() if point is None else point.info
        self._told: tuple[str | None, int | None] | None = None
        conversation = ConversationState() if point is None else point.conversation
        self._delivery = Delivery(EMPTY_LOG if point is None else point.log, delivered)
        self._log = TurnLog(conversation.turns)
        self._conversation = Conversation(
            self._log,
            conversation,
            Renderer(
                self._info.native_id,
                user_source="agent" if self._info.is_subagent else "user",
                tool_result_max_bytes=self._env.tool_result_max_bytes,
            ),
        )

    def _introduce(self) -> SessionInfo:
        path = self._files[0].file.path
        found = self._files[0].describe()
        parent = parent_of(path)
        return SessionInfo(
            native_id=found.session_id or path.stem,
            is_subagent=parent is not None or found.kind == "subagent",
            parent_id=parent,
            cwd=self._projects.directory(path, found.project_hash, found.directories),
        )

    def _read_file(self, chat: ChatFile, place: int, point: Point | None) -> Iterator[ReadStep]:
        offset, number = (0, 1) if point is None else (point.prefix.offset, point.number)
        delivered_at = offset
        for located in chat.records(offset, number):
            start = _Start(located.offset, located.number, self._skipped)
            if self._settles(located.record):
                self._settle()
                if located.offset - delivered_at > _DELIVER_BYTES:
                    delivered_at = located.offset
                    yield from self._deliver()
                    yield from self._pause(self._point(chat, place, start))
            self._take(located, start)
            offset, number = located.end, located.number + 1
        if place == len(self._files) - 1:
            yield from self._deliver()
            end = _Start(offset, number, self._skipped)
            self._end = self._point(chat, place, end if self._held is None else self._held.start)

    def _settles(self, record: Record | None) -> bool:
        """Tell whether a record says that the held message was whole."""
        if isinstance(record, Message):
            return self._held is not None and self._held.message.id != record.id
        return isinstance(record, RewindTo) or (isinstance(record, Metadata) and bool(record.messages))

    def _settle(self) -> None:
        if self._held is not None:
            self._conversation.put(self._held.message)
            self._held = None

    def _take(self, located: Located, start: _Start) -> None:
        record = located.record
        if located.error is not None:
            self._skip(located.where, located.error)
        self._has_records = self._has_records or record is not None
        if isinstance(record, Message):
            held = self._held or _Held(record, start)
            self._held = held._replace(message=record)
        elif isinstance(record, RewindTo):
            self._conversation.rewind(record.id)
        elif isinstance(record, Metadata):
            self._info.learn(record)
            if record.messages:
                self._conversation.checkpoint(list(self._checkpoint(record.messages, located)))

    def _checkpoint(self, messages: list[msgspec.Raw], located: Located) -> Iterator[Message]:
        for number, raw in enumerate(messages, 1):
            try:
                yield self._decoder.message(raw)
            except ValueError as error:
                self._skip(f"{located.where}, message {number}", str(error))

    def _skip(self, where: str, reason: str) -> None:
        self._skipped += 1
        if self._skipped > self._counted:
            self._skips.append(RecordSkipped(where=where, reason=reason))

    def _point(self, chat: ChatFile, place: int, start: _Start) -> bytes | None:
        """Where a later reading may begin, as of now; nowhere inside a file that is one object."""
        if not chat.has_lines:
            return None
        self._conversation.state.turns = self._log.state
        return pack_point(
            Point(
                earlier=self._earlier(place),
                name=chat.file.path.name,
                prefix=chat.mark(start.offset),
                number=start.number,
                skipped=start.skipped,
                log=self._delivery.mark,
                info=self._info,
                conversation=self._conversation.state,
            )
        )

    def _finish(self) -> Iterator[ReadStep]:
        is_held = self._held is not None and is_model(self._held.message) and not self._is_idle
        if not is_held:
            self._settle()
            self._conversation.end()
        yield from self._deliver()
        self._delivery.finish()
        if not self._has_records:
            yield ItemDone(note=_NOT_OURS)
            return
        yield from self._retitle()
        yield ItemDone(state=self._state(self._end), complete=not is_held)

    def _state(self, point: bytes | None) -> bytes:
        skipped = max(self._skipped, self._counted)
        return pack_state(ReadState(delivered=self._delivery.mark, skipped=skipped, point=point))

    def _deliver(self) -> Iterator[ReadStep]:
        events = self._delivery.pass_on(self._log.take())
        if self._delivery.is_caught_up:
            yield from self._skips
            self._skips.clear()
        if events:
            yield from self._retitle()
            yield EventsRead(events=events)

    def _retitle(self) -> Iterator[ReadStep]:
        """Name the session, when it has a log and there is something new to say of it."""
        if not self._delivery.mark.length:
            return
        seen = session_seen(self._info, self._conversation.state, is_new=self._is_new, fallback_us=self._item.newest)
        told = (seen.title, seen.updated_at)
        if told != self._told:
            yield seen
            self._told, self._is_new = told, False

    def _pause(self, point: bytes | None) -> Iterator[ReadStep]:
        if self._delivery.is_caught_up:
            yield ReadPoint(state=self._state(point))


__all__ = ["SessionReader"]
