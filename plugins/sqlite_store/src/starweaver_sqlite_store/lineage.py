"""Which session another one is folded under at the top, whatever the order in which parents and children arrive."""

from __future__ import annotations

from starweaver_host.contract.records import FORK

from . import feed
from .database import Transaction


def root_for(tx: Transaction, namespace_id: str, session_id: str, folds_under: str | None) -> str:
    """The root of a session about to be stored: that of what it folds under, or itself while that is not stored."""
    if folds_under is None or folds_under == session_id:
        return session_id
    row = tx.execute(
        "SELECT root_session_id FROM sessions WHERE namespace_id = ? AND session_id = ?",
        (namespace_id, folds_under),
    ).fetchone()
    return session_id if row is None else str(row[0])


def adopt_children(tx: Transaction, namespace_id: str, session_id: str, root: str) -> None:
    """Give a stored session's root to the children that were waiting for it, and to all below them.

    A child without its parent is its own root, and everything below it has the child as root.
    """
    moved = tx.execute(
        "SELECT session_id FROM sessions WHERE namespace_id = ? AND root_session_id <> ? AND root_session_id IN "
        "(SELECT session_id FROM sessions WHERE namespace_id = ? AND parent_session_id = ? AND session_id <> ? "
        "AND origin <> ?)",
        (namespace_id, root, namespace_id, session_id, session_id, FORK),
    ).fetchall()
    for (moved_id,) in moved:
        tx.execute(
            "UPDATE sessions SET root_session_id = ? WHERE namespace_id = ? AND session_id = ?",
            (root, namespace_id, moved_id),
        )
        feed.touch(tx, namespace_id, moved_id)


__all__ = ["adopt_children", "root_for"]
