"""The append-only log, and what events mean for the session that holds them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import msgspec

from starweaver_host.contract.errors import StoreError
from starweaver_host.contract.events import (
    AssistantMessage,
    Event,
    NewEvent,
    TitleChange,
    ToolCall,
    UnknownPayload,
    UserMessage,
)
from starweaver_host.contract.records import AccessScope, FenceDeleting, SessionKey, TitleSource
from starweaver_host.contract.store import AppendResult, EventWindow, RunLease
from starweaver_host.projection.documents import identity_hash
from starweaver_host.projection.surface import check_form

from .documents import clip, displayed, outranks, with_title
from .feed import encode_position
from .ownership import owners_of, touch_recounted
from .runs import MemoryRuns
from .state import Holding, State, conflict

_MESSAGES = frozenset({UserMessage.event_type, AssistantMessage.event_type})
_TITLE_SOURCES: dict[str, TitleSource] = {"user": "user", "source": "source", "rule": "rule", "model": "model"}


class MemoryLog(MemoryRuns):
    """EventLog."""

    async def append(
        self,
        key: SessionKey,
        events: Sequence[NewEvent],
        *,
        lease: RunLease | None = None,
        expected_next_seq: int | None = None,
    ) -> AppendResult:
        """Append events and their projections."""
        with self._transaction() as work:
            holding = work.held(key.namespace_id, key.session_id)
            self._check_writer(holding, lease)
            self._check_runs(holding, events, lease)
            check_next_seq(holding, expected_next_seq)
            first = holding.session.next_seq
            if events:
                holding = self._appended(work, work.touch(holding), events)
                holding = self._with_event_title(holding, holding.events[first:])
                work.put(self._active_now(holding))
            position = encode_position(work.positions.get(key.namespace_id, 0))
            return AppendResult(first_seq=first, next_seq=first + len(events), position=position)

    def _check_writer(self, holding: Holding, lease: RunLease | None) -> None:
        fence = holding.session.fence
        if holding.session.status == "deleted" or (isinstance(fence, FenceDeleting) and lease is None):
            raise conflict(holding.session, "a session that takes events was wanted, found it fenced or deleted")
        if lease is not None:
            self._check_lease(holding, lease)

    def _check_runs(self, holding: Holding, events: Sequence[NewEvent], lease: RunLease | None) -> None:
        """A lease writes its own run; without one nobody writes the run that is held."""
        named = {event.run_id for event in events if event.run_id is not None}
        held = None if holding.lease is None else holding.lease.key.run_id
        if (held in named) if lease is None else (named - {lease.key.run_id}):
            raise StoreError("stale_fence", "the lease of the events' run was wanted, found another or none")

    def _appended(self, work: State, holding: Holding, events: Sequence[NewEvent]) -> Holding:
        """A session with events behind its log, counted and projected at its current position."""
        session = holding.session
        stored = tuple(_event(event, seq) for seq, event in enumerate(events, session.next_seq))
        messages = [event for event in stored if event.type in _MESSAGES]
        names = {identity_hash(event.identity) for event in messages if event.identity is not None}
        _hold(work, holding, names)
        counts = msgspec.structs.replace(
            session.counts,
            events=session.next_seq + len(stored),
            tool_calls=session.counts.tool_calls + sum(event.type == ToolCall.event_type for event in stored),
        )
        return replace(
            holding,
            session=msgspec.structs.replace(session, counts=counts, next_seq=counts.events),
            events=holding.events + stored,
            messages=holding.messages | names,
            nameless=holding.nameless + sum(event.identity is None for event in messages),
            displayed=holding.displayed + displayed(session.header.session_id, stored, holding.position),
        )

    def _with_event_title(self, holding: Holding, events: Sequence[Event]) -> Holding:
        found = last_title(events)
        if found is None:
            return holding
        change, set_at = found
        source = _TITLE_SOURCES.get(change.source)
        if not outranks(holding, source):
            return holding
        return with_title(holding, clip(change.title), source, set_at=set_at, position=holding.position)

    async def read_events(
        self, scope: AccessScope, session_id: str, *, from_seq: int = 0, limit: int = 1000
    ) -> EventWindow:
        """A window of the log."""
        if limit < 1 or from_seq < 0:
            raise StoreError("invalid", f"a seq from 0 and a limit from 1 were wanted, found {from_seq} and {limit}")
        holding = self._state.visible(scope, session_id)
        return EventWindow(
            events=holding.events[from_seq : from_seq + limit],
            next_seq=holding.session.next_seq,
            incarnation=holding.session.incarnation,
        )


def check_next_seq(holding: Holding, expected: int | None) -> None:
    """Refuse to append to a log that is not as long as the writer thinks."""
    if expected is not None and expected != holding.session.next_seq:
        raise conflict(holding.session, f"next seq {expected} was wanted, found {holding.session.next_seq}")


def last_title(events: Sequence[Event]) -> tuple[TitleChange, int] | None:
    """The last title that events set, and when (UTC microseconds)."""
    titles = ((event.payload(), event.time * 1000) for event in reversed(events) if event.type == "session/title")
    return next(((payload, time) for payload, time in titles if isinstance(payload, TitleChange)), None)


def forget_messages(work: State, holding: Holding) -> None:
    """Stop holding every message of a session; what it shared goes to the next earliest."""
    header = holding.header
    before = owners_of(work, header.namespace_id, holding.messages)
    for name in holding.messages:
        place = (header.namespace_id, name)
        work.holders[place] = work.holders[place] - {(header.created_at, header.session_id)}
    touch_recounted(work, holding, before)


def _hold(work: State, holding: Holding, names: set[bytes]) -> None:
    header = holding.header
    before = owners_of(work, header.namespace_id, names)
    for name in names:
        place = (header.namespace_id, name)
        work.holders[place] = work.holders.get(place, frozenset()) | {(header.created_at, header.session_id)}
    touch_recounted(work, holding, before)


def _event(event: NewEvent, seq: int) -> Event:
    try:
        check_form(event.type, event.surface_op, event.source_event_seqs, seq)
        data: Any = event.data.data if isinstance(event.data, UnknownPayload) else event.data
        encoded = msgspec.Raw(msgspec.json.encode(data))
    except (TypeError, ValueError, msgspec.MsgspecError) as error:
        raise StoreError("invalid", str(error)) from error
    return Event(
        seq=seq,
        type=event.type,
        time=event.time,
        data=encoded,
        run_id=event.run_id,
        surface_op=event.surface_op,
        source_event_seqs=event.source_event_seqs,
        identity=event.identity,
    )


__all__ = ["MemoryLog", "check_next_seq", "forget_messages", "last_title"]
