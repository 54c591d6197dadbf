"""The change feed: every session keeps the position of its latest change, raised in the transaction of the change.

A position is opaque outside: sixteen hexadecimal digits, so that it also sorts as text.
"""

from __future__ import annotations

from typing import Any

from starweaver_host.contract.corpus import FeedPage, FeedRow
from starweaver_host.contract.errors import StoreError

from . import meta
from .database import Transaction

_WIDTH = 16


def encode(position: int) -> str:
    """The position as it is handed out."""
    return f"{position:0{_WIDTH}x}"


def decode(text: str) -> int:
    """A position that was handed out; anything else is `invalid`."""
    try:
        position = int(text, 16)
    except ValueError:
        position = -1
    if position < 0 or encode(position) != text:
        raise StoreError("invalid", f"a position of this store's feed was wanted, found {text[:40]!r}")
    return position


def reached(text: str, head: int) -> int:
    """A position that was handed out and that the feed has reached; one past `head` is `invalid`."""
    position = decode(text)
    if position > head:
        raise StoreError("invalid", f"a position up to {encode(head)} was wanted, found {text!r}")
    return position


def advance(tx: Transaction, namespace_id: str) -> int:
    """Take the next position; it belongs to one session's change in this transaction."""
    row = tx.execute(
        "INSERT INTO feed_state VALUES (?, 1) "
        "ON CONFLICT (namespace_id) DO UPDATE SET position = position + 1 RETURNING position",
        (namespace_id,),
    ).fetchone()
    return int(row[0])


def touch(tx: Transaction, namespace_id: str, session_id: str) -> int:
    """Say that a session changed; returns the position of the change."""
    position = advance(tx, namespace_id)
    tx.execute(
        "UPDATE sessions SET feed_position = ? WHERE namespace_id = ? AND session_id = ?",
        (position, namespace_id, session_id),
    )
    return position


def current(tx: Transaction, namespace_id: str) -> int:
    """The position of the newest commit; 0 before the first."""
    row = tx.execute("SELECT position FROM feed_state WHERE namespace_id = ?", (namespace_id,)).fetchone()
    return 0 if row is None else int(row[0])


def position(tx: Transaction, namespace_id: str) -> str:
    """The position of the newest commit, as it is handed out."""
    return encode(current(tx, namespace_id))


def changes(tx: Transaction, namespace_id: str, after: str | None, limit: int) -> FeedPage:
    """Rows of sessions that changed beyond `after`, ascending."""
    if limit < 1:
        raise StoreError("invalid", f"a limit of at least 1 was wanted, found {limit}")
    head = current(tx, namespace_id)
    start = 0 if after is None else reached(after, head)
    rows = tx.execute(
        "SELECT session_id, feed_position, revision, activity_revision, incarnation, next_seq, status = 'deleted' "
        "FROM sessions WHERE namespace_id = ? AND feed_position > ? ORDER BY feed_position LIMIT ?",
        (namespace_id, start, limit),
    ).fetchall()
    last = rows[-1][1] if len(rows) == limit else head
    return FeedPage(rows=tuple(_row(row) for row in rows), position=encode(last), epoch=meta.epoch(tx))


def _row(row: tuple[Any, ...]) -> FeedRow:
    session_id, at, revision, activity, incarnation, next_seq, tombstone = row
    return FeedRow(
        session_id=session_id,
        position=encode(at),
        source_revision=at,
        revision=revision,
        activity_revision=activity,
        incarnation=incarnation,
        last_seq=next_seq - 1,
        tombstone=bool(tombstone),
    )


__all__ = ["advance", "changes", "current", "decode", "encode", "position", "reached", "touch"]
