"""Who is at the top of a session's parent chain, whatever the order in which parents and children arrive."""

from __future__ import annotations

from . import feed
from .database import Transaction


def root_for(tx: Transaction, namespace_id: str, session_id: str, parent_session_id: str | None) -> str:
    """The root of a session about to be stored: its parent's, or itself while no parent is stored."""
    if parent_session_id is None or parent_session_id == session_id:
        return session_id
    row = tx.execute(
        "SELECT root_session_id FROM sessions WHERE namespace_id = ? AND session_id = ?",
        (namespace_id, parent_session_id),
    ).fetchone()
    return session_id if row is None else str(row[0])


def adopt_children(tx: Transaction, namespace_id: str, session_id: str, root: str) -> None:
    """Give a stored session's root to the children that were waiting for it, and to all below them.

    A child without its parent is its own root, and everything below it has the child as root.
    """
    moved = tx.execute(
        "SELECT session_id FROM sessions WHERE namespace_id = ? AND root_session_id <> ? AND root_session_id IN "
        "(SELECT session_id FROM sessions WHERE namespace_id = ? AND parent_session_id = ? AND session_id <> ?)",
        (namespace_id, root, namespace_id, session_id, session_id),
    ).fetchall()
    for (moved_id,) in moved:
        tx.execute(
            "UPDATE sessions SET root_session_id = ? WHERE namespace_id = ? AND session_id = ?",
            (root, namespace_id, moved_id),
        )
        feed.touch(tx, namespace_id, moved_id)


__all__ = ["adopt_children", "root_for"]
