"""Reading the event log: windows of it, and single events."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from starweaver_host.contract.errors import StoreError
from starweaver_host.contract.events import Event
from starweaver_host.contract.records import AccessScope
from starweaver_host.contract.store import EventWindow

from .database import Transaction
from .segments import damaged, read_segments
from .session_rows import visible_session


def read_events(tx: Transaction, scope: AccessScope, session_id: str, from_seq: int, limit: int) -> EventWindow:
    """A window of the log."""
    if limit < 1 or from_seq < 0:
        raise StoreError("invalid", f"a seq from 0 and a limit from 1 were wanted, found {from_seq} and {limit}")
    session = visible_session(tx, scope, session_id)
    window: list[Event] = []
    for events in read_segments(tx, scope.namespace_id, session_id, from_seq):
        window.extend(events[: limit - len(window)])
        if len(window) >= limit:
            break
    expected = max(0, min(limit, session.next_seq - from_seq))
    if len(window) < expected or (window and window[0].seq != from_seq):
        raise damaged(session_id, from_seq + len(window), from_seq + expected - 1)
    return EventWindow(events=tuple(window), next_seq=session.next_seq, incarnation=session.incarnation)


def find_events(tx: Transaction, namespace_id: str, session_id: str, seqs: Sequence[int]) -> Iterator[Event]:
    """The events with these seqs, ascending; absent and damaged ones are left out."""
    wanted = sorted(set(seqs))
    while wanted:
        events = _segment_at(tx, namespace_id, session_id, wanted[0])
        by_seq = {event.seq: event for event in events}
        yield from (by_seq[seq] for seq in wanted if seq in by_seq)
        last = events[-1].seq if events else wanted[0]
        wanted = [seq for seq in wanted if seq > last]


def _segment_at(tx: Transaction, namespace_id: str, session_id: str, seq: int) -> tuple[Event, ...]:
    """The events of the segment that holds a seq, from it on; none if the segment is damaged."""
    try:
        return next(read_segments(tx, namespace_id, session_id, seq), ())
    except StoreError as error:
        if error.code != "corrupt":
            raise
        return ()


__all__ = ["find_events", "read_events"]
