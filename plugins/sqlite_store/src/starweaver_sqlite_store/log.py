"""Appending to the event log, with everything that is projected from it. Reading it is `log_reading`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

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
from starweaver_host.contract.records import FenceDeleting, Session, SessionKey, TitleSource
from starweaver_host.contract.store import AppendResult, RunLease
from starweaver_host.projection.documents import TextDocument, event_documents
from starweaver_host.projection.surface import check_form

from . import chunks, feed, identities
from .database import Transaction
from .leases import check_lease, find_lease, move_activity
from .segments import LogEnd, WrittenEvent, append_segments, encode_event
from .session_rows import find_session, not_found
from .titles import clip, outranks, set_title

_MESSAGES = frozenset({UserMessage.event_type, AssistantMessage.event_type})
_TITLE_SOURCES: dict[str, TitleSource] = {"user": "user", "source": "source", "rule": "rule", "model": "model"}


class Written(NamedTuple):
    """Events that were written to the log, and the documents they make; those are not yet in the corpus."""

    events: tuple[WrittenEvent, ...]
    documents: list[TextDocument]


def append(
    tx: Transaction,
    key: SessionKey,
    events: Sequence[NewEvent],
    lease: RunLease | None,
    expected_next_seq: int | None,
) -> AppendResult:
    """Append events of a live session."""
    session = _writable(tx, key, lease)
    _check_runs(tx, key, events, lease)
    check_next_seq(session, expected_next_seq)
    if not events:
        return AppendResult(
            first_seq=session.next_seq, next_seq=session.next_seq, position=feed.position(tx, key.namespace_id)
        )
    position = feed.touch(tx, key.namespace_id, key.session_id)
    written = write_events(tx, session, events)
    chunks.append_documents(tx, key.namespace_id, key.session_id, written.documents, position)
    _apply_title(tx, session, written.events, position)
    move_activity(tx, key.namespace_id, key.session_id)
    next_seq = session.next_seq + len(events)
    return AppendResult(first_seq=session.next_seq, next_seq=next_seq, position=feed.encode(position))


def check_next_seq(session: Session, expected: int | None) -> None:
    """Refuse to append to a log that is not as long as the writer thinks."""
    if expected is not None and expected != session.next_seq:
        raise StoreError(
            "conflict",
            f"next seq {expected} was wanted, found {session.next_seq} in session {session.header.session_id!r}",
            current_revision=session.revision,
        )


def write_events(tx: Transaction, session: Session, events: Sequence[NewEvent]) -> Written:
    """Write events behind the log's end, with their identities and the session's counts."""
    header = session.header
    written = tuple(_written(event, seq) for seq, event in enumerate(events, session.next_seq))
    encoded = [encode_event(event) for event in written]
    key = (header.namespace_id, header.session_id)
    append_segments(tx, LogEnd(*key, session.incarnation, session.next_seq), encoded)
    messages = [event.identity for event in written if event.type in _MESSAGES]
    owned = identities.add(tx, header, (name for name in messages if name is not None)) + messages.count(None)
    calls = sum(event.type == ToolCall.event_type for event in written)
    tx.execute(
        "UPDATE sessions SET next_seq = next_seq + ?, messages = messages + ?, tool_calls = tool_calls + ? "
        "WHERE namespace_id = ? AND session_id = ?",
        (len(written), owned, calls, *key),
    )
    return Written(written, event_documents(header.session_id, written))


def last_title(events: Sequence[Event]) -> tuple[TitleChange, int] | None:
    """The last title that events set, and when (UTC microseconds)."""
    for event in reversed(events):
        if event.type == TitleChange.event_type:
            payload = event.payload()
            if isinstance(payload, TitleChange):
                return payload, event.time * 1000
    return None


def _writable(tx: Transaction, key: SessionKey, lease: RunLease | None) -> Session:
    session = find_session(tx, key.namespace_id, key.session_id)
    if session is None:
        raise not_found(key.session_id)
    if session.status == "deleted" or (isinstance(session.fence, FenceDeleting) and lease is None):
        raise StoreError(
            "conflict",
            f"a session that takes events was wanted, found {key.session_id!r} {session.status} and fenced",
            current_revision=session.revision,
        )
    if lease is not None:
        _check_owner(tx, key, lease)
    return session


def _check_owner(tx: Transaction, key: SessionKey, lease: RunLease) -> None:
    if (lease.key.namespace_id, lease.key.session_id) != (key.namespace_id, key.session_id):
        raise StoreError("stale_fence", f"a lease of session {key.session_id!r} was wanted, found another session's")
    check_lease(tx, lease)


def _check_runs(tx: Transaction, key: SessionKey, events: Sequence[NewEvent], lease: RunLease | None) -> None:
    """A lease writes its own run; without one nobody writes the run that is held, expired or not."""
    named = {event.run_id for event in events if event.run_id is not None}
    if lease is not None:
        foreign = named - {lease.key.run_id}
    else:
        held = find_lease(tx, key.namespace_id, key.session_id) if named else None
        foreign = named if held is not None and held.key.run_id in named else set()
    if foreign:
        raise StoreError("stale_fence", f"the lease of run {min(foreign)!r} was wanted for its events, found another")


def _written(event: NewEvent, seq: int) -> WrittenEvent:
    try:
        check_form(event.type, event.surface_op, event.source_event_seqs, seq)
    except ValueError as error:
        raise StoreError("invalid", str(error)) from error
    return WrittenEvent(
        seq=seq,
        type=event.type,
        time=event.time,
        data=event.data.data if isinstance(event.data, UnknownPayload) else event.data,
        run_id=event.run_id,
        surface_op=event.surface_op,
        source_event_seqs=event.source_event_seqs,
        identity=event.identity,
    )


def _apply_title(tx: Transaction, session: Session, events: Sequence[Event], position: int) -> None:
    found = last_title(events)
    if found is None:
        return
    change, set_at = found
    source = _TITLE_SOURCES.get(change.source)
    if outranks(tx, session, source):
        set_title(tx, session, clip(change.title), source, set_at=set_at, position=position)


__all__ = ["Written", "append", "check_next_seq", "last_title", "write_events"]
