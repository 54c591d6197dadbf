"""Titles: the current one on the session, and the history a scan as of an older position reads."""

from __future__ import annotations

from starweaver_host.contract.records import TITLE_MAX, Session, TitleSource
from starweaver_host.projection.folding import fold

from .database import Transaction


def clip(title: str | None) -> str | None:
    """A title as it is stored: at most TITLE_MAX code points; an empty or blank one is none."""
    return title[:TITLE_MAX] if title and not title.isspace() else None


def set_title(
    tx: Transaction,
    session: Session,
    title: str | None,
    source: TitleSource | None,
    *,
    set_at: int,
    position: int,
    pinned: bool = False,
) -> None:
    """Make `title` the current one from `position` on. `pinned` keeps it from importers."""
    namespace_id, session_id = session.header.namespace_id, session.header.session_id
    tx.execute(
        "UPDATE sessions SET title = ?, title_source = ?, title_pinned = ? WHERE namespace_id = ? AND session_id = ?",
        (title, source if title else None, pinned and title is not None, namespace_id, session_id),
    )
    if title == session.title:
        return
    tx.execute(
        "UPDATE session_titles SET superseded_position = ? "
        "WHERE namespace_id = ? AND session_id = ? AND superseded_position IS NULL",
        (position, namespace_id, session_id),
    )
    if title is not None:
        tx.execute(
            "INSERT INTO session_titles VALUES (?, ?, ?, NULL, ?, ?, ?)",
            (namespace_id, session_id, position, set_at, title, fold(title).encode()),
        )


def outranks(tx: Transaction, session: Session, source: TitleSource | None) -> bool:
    """Whether a transcript's title may replace the current one: never one set here, and a person's only by another."""
    if session.title is None:
        return True
    row = tx.execute(
        "SELECT title_pinned FROM sessions WHERE namespace_id = ? AND session_id = ?",
        (session.header.namespace_id, session.header.session_id),
    ).fetchone()
    return not row[0] and (session.title_source != "user" or source == "user")


__all__ = ["clip", "outranks", "set_title"]
