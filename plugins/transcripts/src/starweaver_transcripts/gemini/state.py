"""What is kept between two readings of a session's files."""

from __future__ import annotations

import msgspec

from starweaver_host.contract.records import LOCAL_NAMESPACE, TITLE_MAX, ExternalSource, SessionHeader, Workspace
from starweaver_host.contract.transcripts import SessionSeen
from starweaver_host.projection.titles import title_from_prompt
from starweaver_transcripts.delivery import EMPTY_LOG, LogMark
from starweaver_transcripts.emit import clean, iso_us
from starweaver_transcripts.prefix import PrefixMark

from .nodes import ConversationState
from .places import SOURCE
from .records import Metadata
from .render import SESSION_PREFIX

_VERSION = 1


class SessionInfo(msgspec.Struct, array_like=True):
    """What the files say of the session besides its messages. `updated_us` is the newest time they name."""

    native_id: str
    is_subagent: bool = False
    parent_id: str | None = None
    cwd: str | None = None
    created_us: int | None = None
    updated_us: int = 0
    summary: str | None = None

    def learn(self, found: Metadata) -> None:
        """Take what a metadata record says anew."""
        if found.summary is not None:
            self.summary = clean(found.summary).strip()[:TITLE_MAX] or None
        for text in (found.start_time, found.last_updated):
            self.updated_us = max(self.updated_us, iso_us(text) or 0)
        if self.created_us is None:
            self.created_us = iso_us(found.start_time)


class Point(msgspec.Struct, array_like=True):
    """Where a later reading goes on: in the last file, before the message that was last there.

    `skipped` counts the records before it that could not be understood.
    """

    earlier: list[str]
    name: str
    prefix: PrefixMark
    number: int
    skipped: int
    log: LogMark
    info: SessionInfo
    conversation: ConversationState


class ReadState(msgspec.Struct, array_like=True):
    """A reading's state: what was handed over, how many records were skipped, and where the next one may begin.

    `point` is a packed Point, None where that is the start.
    """

    version: int = _VERSION
    delivered: LogMark = EMPTY_LOG
    skipped: int = 0
    point: bytes | None = None


def pack_point(point: Point) -> bytes:
    """The point as bytes: what it refers to goes on changing."""
    return msgspec.msgpack.encode(point)


def unpack_point(data: bytes | None) -> Point | None:
    """The point of an earlier reading, if there is one that can still be understood."""
    if data is None:
        return None
    try:
        return msgspec.msgpack.decode(data, type=Point)
    except msgspec.MsgspecError:
        return None


def pack_state(state: ReadState) -> bytes:
    """The state as bytes."""
    return msgspec.msgpack.encode(state)


def unpack_state(data: bytes | None) -> ReadState:
    """The state of an earlier reading; an empty one when there is none of this version."""
    if data is None:
        return ReadState()
    try:
        state = msgspec.msgpack.decode(data, type=ReadState)
    except msgspec.MsgspecError:
        return ReadState()
    return state if state.version == _VERSION else ReadState()


def session_seen(info: SessionInfo, conversation: ConversationState, *, is_new: bool, fallback_us: int) -> SessionSeen:
    """The step that names the session. One whose files hold no time at all began at `fallback_us`."""
    ruled = title_from_prompt(conversation.prompt) if conversation.prompt else None
    updated = max(info.updated_us, conversation.last_ms * 1000) or fallback_us
    return SessionSeen(
        header=_header(info, info.created_us or fallback_us),
        mode="replace" if is_new else "append",
        title=info.summary or ruled or None,
        title_source="model" if info.summary else "rule" if ruled else None,
        updated_at=updated,
    )


def _header(info: SessionInfo, created_us: int) -> SessionHeader:
    cwd = clean(info.cwd) if info.cwd else None
    native = clean(info.native_id)
    return SessionHeader(
        namespace_id=LOCAL_NAMESPACE,
        session_id=SESSION_PREFIX + native,
        created_at=created_us,
        cwd=cwd,
        workspace=Workspace(id=cwd, label=cwd) if cwd else None,
        parent_session_id=SESSION_PREFIX + clean(info.parent_id) if info.parent_id else None,
        origin="subagent" if info.is_subagent else "user",
        external=ExternalSource(source=SOURCE, native_id=native),
    )


__all__ = [
    "Point",
    "ReadState",
    "SessionInfo",
    "pack_point",
    "pack_state",
    "session_seen",
    "unpack_point",
    "unpack_state",
]
