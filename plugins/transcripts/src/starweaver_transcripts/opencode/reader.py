"""One reading of an OpenCode session: its messages as steps, less what an earlier reading handed over.

Messages are written to in place, so a session that changed is read from its start. If what was handed over is still
its beginning, only what follows is handed over; otherwise the log begins anew. The last answer is held back while the
tool may still write to it.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from starweaver_host.contract.records import LOCAL_NAMESPACE, TITLE_MAX, ExternalSource, SessionHeader, Workspace
from starweaver_host.contract.transcripts import (
    EventsRead,
    ItemDone,
    ReadPoint,
    ReadStep,
    RecordSkipped,
    SessionSeen,
)
from starweaver_host.projection.titles import title_from_prompt
from starweaver_transcripts.delivery import EMPTY_LOG, Delivery, LogMark
from starweaver_transcripts.emit import clean

from .narration import Narration
from .places import SOURCE
from .spoken import SESSION_PREFIX, Spoken, StoredSession

_VERSION = 1
_DELIVER_EVENTS = 512
_PLACEHOLDERS = ("New session - ", "Child session - ")
"""Titles OpenCode gives before it has one."""


class ReadState(msgspec.Struct, array_like=True):
    """What was handed over of a session, and how many of its records could not be understood."""

    version: int = _VERSION
    delivered: LogMark = EMPTY_LOG
    skipped: int = 0


def unpack_state(data: bytes | None) -> ReadState:
    """The state of an earlier reading; an empty one when there is none of this version."""
    try:
        state = msgspec.msgpack.decode(data or b"", type=ReadState)
    except msgspec.MsgspecError:
        return ReadState()
    return state if state.version == _VERSION else ReadState()


class SessionReader:
    """Reads a session once. `is_idle` says that nothing was written to it lately, so that its last answer is whole."""

    def __init__(self, session: StoredSession, saved: ReadState, *, newest_us: int, is_idle: bool) -> None:
        self._session = session
        self._saved = saved
        self._newest_us = newest_us
        self._is_idle = is_idle
        self._is_new = not saved.delivered.length
        self._narration = Narration(session)
        self._delivery = Delivery(delivered=saved.delivered)
        self._skips: list[RecordSkipped] = []
        self._skipped = 0
        self._told: SessionSeen | None = None

    def steps(self, messages: Iterator[Spoken]) -> Iterator[ReadStep]:
        """The steps. Raises LogRewrittenError, before the first step, when the log is not the one handed over."""
        held: Spoken | None = None
        for spoken in messages:
            if spoken.error is not None:
                self._skip(spoken)
                continue
            if held is not None:
                self._narration.take(held)
            held = spoken
            if len(self._narration.log) >= _DELIVER_EVENTS:
                yield from self._deliver()
                yield from self._pause()
        is_held = held is not None and not held.is_whole and not self._is_idle
        if held is not None and not is_held:
            self._narration.take(held)
        self._narration.end()
        yield from self._deliver()
        self._delivery.finish()
        yield from self._tell()
        yield ItemDone(state=self._state(), complete=not is_held)

    def _skip(self, spoken: Spoken) -> None:
        self._skipped += 1
        if self._skipped > self._saved.skipped:
            self._skips.append(RecordSkipped(where=f"message {spoken.id}", reason=spoken.error or ""))

    def _deliver(self) -> Iterator[ReadStep]:
        events = self._delivery.pass_on(self._narration.log.take())
        if self._delivery.is_caught_up:
            yield from self._skips
            self._skips.clear()
        if events:
            yield from self._tell()
            yield EventsRead(events=events)

    def _pause(self) -> Iterator[ReadStep]:
        if self._delivery.is_caught_up:
            yield ReadPoint(state=self._state())

    def _state(self) -> bytes:
        skipped = max(self._skipped, self._saved.skipped)
        return msgspec.msgpack.encode(ReadState(delivered=self._delivery.mark, skipped=skipped))

    def _tell(self) -> Iterator[ReadStep]:
        """Name the session, when it has a log and there is something new to say of it."""
        if not self._delivery.mark.length:
            return
        seen = self._seen()
        if self._told is None or (seen.title, seen.updated_at) != (self._told.title, self._told.updated_at):
            yield seen
        self._told, self._is_new = seen, False

    def _seen(self) -> SessionSeen:
        title = clean(self._session.title or "").strip()[:TITLE_MAX]
        if title.startswith(_PLACEHOLDERS):
            title = ""
        ruled = title_from_prompt(self._narration.prompt) if self._narration.prompt else ""
        return SessionSeen(
            header=self._header(),
            mode="replace" if self._is_new else "append",
            title=title or ruled or None,
            title_source="source" if title else "rule" if ruled else None,
            updated_at=max(self._session.updated or 0, self._narration.last_ms) * 1000 or self._newest_us,
        )

    def _header(self) -> SessionHeader:
        session = self._session
        cwd = clean(session.directory) if session.directory else None
        created_us = self._newest_us if session.created is None else session.created * 1000
        return SessionHeader(
            namespace_id=LOCAL_NAMESPACE,
            session_id=SESSION_PREFIX + clean(session.id),
            created_at=created_us,
            cwd=cwd,
            workspace=Workspace(id=cwd, label=cwd) if cwd else None,
            parent_session_id=SESSION_PREFIX + clean(session.parent_id) if session.parent_id else None,
            origin="subagent" if session.parent_id else "fork" if session.fork_of else "user",
            external=ExternalSource(source=SOURCE, native_id=clean(session.id), agent_version=session.version),
        )


__all__ = ["ReadState", "SessionReader", "unpack_state"]
