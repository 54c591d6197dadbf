"""Writing the corpus again from logs, runs and titles: after a new fold or a new projection of documents.

One transaction per session, so that others write in between. The versions the corpus claims change when all is done;
stopped in the middle, it is begun again.
"""

from __future__ import annotations

from starweaver_host.contract.records import RunKey
from starweaver_host.projection.documents import event_documents, run_documents
from starweaver_host.projection.folding import fold

from . import chunks, feed, rewrites
from .database import Transaction
from .run_rows import find_run
from .segments import read_segments

SessionPlace = tuple[str, str]
"""(namespace_id, session_id)"""


def next_session(tx: Transaction, after: SessionPlace) -> SessionPlace | None:
    """The session that follows in the order of places; None behind the last."""
    row = tx.execute(
        "SELECT namespace_id, session_id FROM sessions WHERE (namespace_id, session_id) > (?, ?) "
        "ORDER BY namespace_id, session_id LIMIT 1",
        after,
    ).fetchone()
    return None if row is None else (row[0], row[1])


def rebuild_session(tx: Transaction, place: SessionPlace) -> None:
    """Write one session's documents and folded titles again. `corrupt` when its log cannot be read."""
    namespace_id, session_id = place
    position = feed.touch(tx, *place)
    rewrites.note(tx, *place, position)
    chunks.clear(tx, *place)
    for run_id in run_ids(tx, place):
        stored = find_run(tx, RunKey(namespace_id=namespace_id, session_id=session_id, run_id=run_id))
        if stored is not None:
            chunks.append_documents(tx, *place, run_documents(*stored), position)
    for events in read_segments(tx, namespace_id, session_id, 0):
        chunks.append_documents(tx, *place, event_documents(session_id, events), position)
    _fold_titles(tx, place)


def run_ids(tx: Transaction, place: SessionPlace) -> list[str]:
    """A session's runs in their order."""
    rows = tx.execute(
        "SELECT run_id FROM runs WHERE namespace_id = ? AND session_id = ? ORDER BY sequence_no", place
    ).fetchall()
    return [row[0] for row in rows]


def _fold_titles(tx: Transaction, place: SessionPlace) -> None:
    rows = tx.execute(
        "SELECT position, title FROM session_titles WHERE namespace_id = ? AND session_id = ?", place
    ).fetchall()
    for position, title in rows:
        tx.execute(
            "UPDATE session_titles SET folded = ? WHERE namespace_id = ? AND session_id = ? AND position = ?",
            (fold(title).encode(), *place, position),
        )


__all__ = ["SessionPlace", "next_session", "rebuild_session", "run_ids"]
