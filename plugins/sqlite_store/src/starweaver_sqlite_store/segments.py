"""The stored form of a log: segments of consecutive events, each one JSON array, compressed above 1 KiB.

A log that grows by single events does not leave one row per event: small segments at its end are merged while more is
written. Whatever is wrong with a segment is reported as `corrupt` with its session and seqs; others stay readable.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

from starweaver_host.contract.errors import StoreError
from starweaver_host.contract.events import Event, EventPayload, Payload, UnknownPayload

from .database import Transaction
from .packing import pack, unpack

FULL_BYTES = 64 * 1024
FULL_EVENTS = 256
TAIL_MAX = 32
"""Unfilled segments a log may end with."""
MERGE_FACTOR = 4
"""An unfilled end is rewritten when it is at most this many times what is added."""

_DECODER = msgspec.json.Decoder(list[Event])
_ENCODER = msgspec.json.Encoder()


class WrittenEvent(Event, gc=False, frozen=True, kw_only=True):
    """An event on its way into the log: an Event whose data is still a value, so that it is encoded once."""

    data: Any

    def payload(self) -> EventPayload:
        """The value itself where it is a payload; otherwise what reading it back would give."""
        if isinstance(self.data, Payload):
            return self.data  # type: ignore[return-value]  # every Payload class is in the union
        if isinstance(self.data, UnknownPayload):
            return self.data
        raw = msgspec.Raw(_ENCODER.encode(self.data))
        return Event(seq=self.seq, type=self.type, time=self.time, data=raw).payload()


class LogEnd(NamedTuple):
    """Where a log goes on."""

    namespace_id: str
    session_id: str
    incarnation: int
    next_seq: int


class _Piece(NamedTuple):
    """Consecutive events as the inside of a JSON array."""

    events: int
    body: bytes


def encode_event(event: WrittenEvent) -> bytes:
    """The stored form of one event. `invalid` when its data has no JSON form."""
    try:
        return _ENCODER.encode(event)
    except (TypeError, ValueError, msgspec.MsgspecError) as error:
        raise StoreError("invalid", f"event data must have a JSON form: {error} (seq {event.seq})") from error


def append_segments(tx: Transaction, log: LogEnd, encoded: Sequence[bytes]) -> None:
    """Write encoded events behind the log's end."""
    namespace_id, session_id, incarnation, first_seq = log
    pieces = [_Piece(1, body) for body in encoded]
    tail = _tail(tx, namespace_id, session_id, sum(len(body) for body in encoded))
    if tail:
        first_seq = tail[0][0]
        pieces = [piece for _, piece in tail] + pieces
        tx.execute(
            "DELETE FROM segments WHERE namespace_id = ? AND session_id = ? AND first_seq >= ?",
            (namespace_id, session_id, first_seq),
        )
    key = (namespace_id, session_id, incarnation)
    tx.connection.executemany(
        "INSERT INTO segments VALUES (?, ?, ?, ?, ?, ?, ?, ?)", [(*key, *row) for row in _rows(first_seq, pieces)]
    )


def _tail(tx: Transaction, namespace_id: str, session_id: str, added_bytes: int) -> list[tuple[int, _Piece]]:
    """The unfilled segments to rewrite, ascending; none while they are few and long against what is added."""
    rows = tx.execute(
        "SELECT first_seq, last_seq, raw_bytes FROM segments WHERE namespace_id = ? AND session_id = ? "
        "ORDER BY first_seq DESC LIMIT ?",
        (namespace_id, session_id, TAIL_MAX),
    ).fetchall()
    unfilled = []
    for first, last, raw_bytes in rows:
        if raw_bytes * 4 > FULL_BYTES * 3 or (last - first + 1) * 4 > FULL_EVENTS * 3:
            break
        unfilled.append((first, last, raw_bytes))
    if len(unfilled) < TAIL_MAX - 1 and sum(row[2] for row in unfilled) > MERGE_FACTOR * added_bytes:
        return []
    found = [_read_piece(tx, namespace_id, session_id, first, last) for first, last, _ in reversed(unfilled)]
    return [] if None in found else [piece for piece in found if piece is not None]


def _read_piece(
    tx: Transaction, namespace_id: str, session_id: str, first: int, last: int
) -> tuple[int, _Piece] | None:
    codec, body = tx.execute(
        "SELECT codec, body FROM segments WHERE namespace_id = ? AND session_id = ? AND first_seq = ?",
        (namespace_id, session_id, first),
    ).fetchone()
    try:
        raw = unpack(codec, body)
    except zlib.error:  # a damaged segment is left where it is, for its reader to report
        return None
    return first, _Piece(last - first + 1, raw[1:-1])


def _rows(first_seq: int, pieces: Sequence[_Piece]) -> Iterator[tuple[int, int, int, int, bytes]]:
    gathered: list[bytes] = []
    size = count = 0
    for piece in pieces:
        if gathered and (size + len(piece.body) > FULL_BYTES or count + piece.events > FULL_EVENTS):
            yield _row(first_seq, count, gathered)
            first_seq, gathered, size, count = first_seq + count, [], 0, 0
        gathered.append(piece.body)
        size, count = size + len(piece.body) + 1, count + piece.events
    if gathered:
        yield _row(first_seq, count, gathered)


def _row(first_seq: int, count: int, bodies: Sequence[bytes]) -> tuple[int, int, int, int, bytes]:
    raw = b"[" + b",".join(bodies) + b"]"
    return (first_seq, first_seq + count - 1, len(raw), *pack(raw))


def read_segments(tx: Transaction, namespace_id: str, session_id: str, from_seq: int) -> Iterator[tuple[Event, ...]]:
    """The events with seq >= `from_seq`, ascending, a segment at a time."""
    rows = tx.execute(
        "SELECT first_seq, last_seq, codec, body FROM segments WHERE namespace_id = ? AND session_id = ? "
        "AND first_seq >= coalesce((SELECT max(first_seq) FROM segments WHERE namespace_id = ? AND session_id = ? "
        "AND first_seq <= ?), 0) ORDER BY first_seq",
        (namespace_id, session_id, namespace_id, session_id, from_seq),
    )
    expected: int | None = None
    for first, last, codec, body in rows:
        if expected is not None and first != expected:
            raise damaged(session_id, expected, first - 1)
        expected = last + 1
        if last >= from_seq:
            events = decode_segment(session_id, first, last, codec, body)
            yield events[max(0, from_seq - first) :]


def decode_segment(session_id: str, first: int, last: int, codec: int, body: bytes) -> tuple[Event, ...]:
    """The events of one stored segment; `corrupt` unless they are exactly those its row names."""
    try:
        events = _DECODER.decode(unpack(codec, body))
    except (zlib.error, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise damaged(session_id, first, last) from error
    if len(events) != last - first + 1 or any(event.seq != seq for seq, event in enumerate(events, first)):
        raise damaged(session_id, first, last)
    return tuple(events)


def damaged(session_id: str, first: int, last: int) -> StoreError:
    """The error that names what cannot be read."""
    return StoreError(
        "corrupt",
        f"events {first} to {last} of session {session_id!r} were wanted, found damaged or missing",
        hint="other sessions can be read; restore the file from a backup, or import this session again",
    )


__all__ = [
    "FULL_BYTES",
    "FULL_EVENTS",
    "TAIL_MAX",
    "LogEnd",
    "WrittenEvent",
    "append_segments",
    "damaged",
    "decode_segment",
    "encode_event",
    "read_segments",
]
