"""Reading the records of one rollout, in order, into its log. Knows the eras; knows nothing of files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec

from starweaver_host.contract.records import ExternalSource, SessionHeader, Workspace
from starweaver_transcripts.emit import iso_us
from starweaver_transcripts.lines import Line

from . import values
from .events import Events
from .lineage import FindTurns, ReplayGate
from .log import RolloutLog
from .messages import Messages
from .places import SOURCE
from .responses import Responses
from .rows import Decoders, Row, SessionMeta, is_absent
from .state import Identity, RolloutState
from .tools import Tools

_NAME = re.compile(r"rollout-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)-(.+)")
_ID_MAX = 400


class Rollout:
    """Reads lines into a log. `stem` is the rollout's file name without its endings, `modified` its time in us."""

    def __init__(
        self,
        state: RolloutState,
        *,
        stem: str,
        modified: int,
        max_bytes: int,
        find_turns: FindTurns,
        decoders: Decoders,
    ) -> None:
        self.log = RolloutLog(state)
        self._state = state
        self._stem = stem
        self._modified = modified
        self._decoders = decoders
        self._gate = ReplayGate(state, find_turns)
        self._messages = Messages(self.log)
        tools = Tools(self.log, self._messages, max_bytes=max_bytes)
        self._responses = Responses(self._messages, tools)
        self._events = Events(self.log, self._messages, tools, decoders)

    @property
    def holds(self) -> bool:
        """Whether a record waits for the next one, so that reading cannot stop here."""
        return self._messages.holds

    def read(self, line: Line) -> None:
        """Read one record. Raises ValueError for one that cannot be understood."""
        row = self._decoders.row.decode(line.data)
        self.log.twins.at = line.number
        time = _time_of(row)
        self._note_time(time)
        fallback = f"call-{self.log.next_seq}"  # not by line: a damaged one before it renames nothing
        if is_absent(row.payload):
            self._read_bare(row, line.data, time, fallback)
        elif row.type == "session_meta":
            self._read_meta(self._decoders.session_meta.decode(row.payload), time)
        else:
            self._identify(time)
            self._read_wrapped(row, row.payload, time, fallback)

    def _read_wrapped(self, row: Row, payload: msgspec.Raw, time: int | None, fallback: str) -> None:
        match row.type:
            case "response_item":
                item = self._decoders.response_item.decode(payload)
                if self._gate.admits(None, time):
                    self._responses.read(item, fallback)
            case "event_msg":
                event = self._decoders.event_msg.decode(payload)
                if self._gate.admits(values.string(event.turn_id), time):
                    self._events.read(event, fallback)
            case "turn_context":
                context = self._decoders.turn_context.decode(payload)
                turn_id = values.string(context.turn_id)
                if self._gate.admits(turn_id, time):
                    self._state.turn_id = turn_id
                    self._state.model = values.string(context.model) or self._state.model
            case "compacted" if self._gate.admits(None, time):
                self._messages.settle()
                summary = values.string(self._decoders.compacted.decode(payload).message)
                self.log.compact(summary or "")

    def _read_bare(self, row: Row, data: bytes, time: int | None, fallback: str) -> None:
        if row.record_type is not None:
            return
        if row.type is None and row.role is None:
            if row.id is not None and self._state.identity is None:
                self._state.identity = self._new_identity(SessionMeta(id=row.id), time, is_bare=True)
            return
        self._identify(time, is_bare=True)
        self._responses.read(self._decoders.response_item.decode(data), fallback)

    def _read_meta(self, meta: SessionMeta, time: int | None) -> None:
        known = self._state.identity
        if known is None:
            self._state.identity = self._new_identity(meta, time, is_bare=False)
            if self._state.identity.parent is not None:
                self._gate.arm()
        elif values.string(meta.id) != known.native_id:
            self._gate.begin_copy()

    def _identify(self, time: int | None, *, is_bare: bool = False) -> None:
        if self._state.identity is None:
            self._state.identity = self._new_identity(SessionMeta(), time, is_bare=is_bare)

    def _new_identity(self, meta: SessionMeta, time: int | None, *, is_bare: bool) -> Identity:
        named = _NAME.fullmatch(self._stem)
        native_id = values.string(meta.id)
        if native_id is None or len(native_id) > _ID_MAX or not native_id.isprintable():
            native_id = named[5] if named else self._stem
        written = iso_us("{}T{}:{}:{}".format(*named.groups()[:4])) if named else None
        created = _time(meta.timestamp) or time or written or self._modified
        parent, origin = _parent_of(meta)
        return Identity(
            native_id=native_id,
            created_at=created,
            cwd=values.string(meta.cwd),
            version=values.string(meta.cli_version),
            parent=parent,
            origin=origin,
            is_bare=is_bare,
        )

    def _note_time(self, time: int | None) -> None:
        if time is not None:
            self._state.time = time // 1000
            self._state.newest = max(self._state.newest, time)
        elif self._state.time == 0 and self._state.identity is not None:
            self._state.time = self._state.identity.created_at // 1000


def header_of(identity: Identity, namespace_id: str) -> SessionHeader:
    """The session's header, as far as the rollout has said."""
    cwd = identity.cwd if identity.cwd is not None and Path(identity.cwd).is_absolute() else None
    return SessionHeader(
        namespace_id=namespace_id,
        session_id=f"{SOURCE}:{identity.native_id}",
        created_at=identity.created_at,
        cwd=cwd,
        workspace=None if cwd is None else Workspace(id=cwd, label=cwd),
        parent_session_id=None if identity.parent is None else f"{SOURCE}:{identity.parent}",
        origin=identity.origin,
        external=ExternalSource(source=SOURCE, native_id=identity.native_id, agent_version=identity.version),
    )


def _parent_of(meta: SessionMeta) -> tuple[str | None, str]:
    """(parent's id, how the session began). A subagent names its spawner, a fork what it was copied from."""
    subagent = meta.source.get("subagent") if isinstance(meta.source, dict) else None
    spawn = subagent.get("thread_spawn") if isinstance(subagent, dict) else None
    spawner = spawn.get("parent_thread_id") if isinstance(spawn, dict) else None
    spawner = values.string(spawner) or values.string(meta.parent_thread_id)
    if spawner is not None or subagent is not None:
        return spawner, "subagent"
    base = meta.history_base.get("thread_id") if isinstance(meta.history_base, dict) else None
    forked = values.string(meta.forked_from_id) or values.string(base)
    return forked, "user" if forked is None else "fork"


def _time_of(row: Row) -> int | None:
    return _time(row.timestamp) or _time(row.created_at)


def _time(value: Any) -> int | None:
    return iso_us(value) if isinstance(value, str) else None


__all__ = ["Rollout", "header_of"]
