"""The integrity check: the engine's own, then every log, corpus and count against what it should be.

Reads the whole database, one segment or chunk at a time.
"""

# ruff: noqa: S608  names in statements are constants of this package; every value is a parameter

from __future__ import annotations

from collections.abc import Iterator

from starweaver_host.contract.errors import StoreError
from starweaver_host.contract.store import StoreHealth
from starweaver_host.projection.documents import PROJECTION_VERSION
from starweaver_host.projection.folding import FOLD_VERSION

from . import meta
from .chunks import decode_documents
from .database import Transaction
from .run_rows import RUN_COLUMNS, run_from_row
from .segments import decode_segment
from .session_rows import SESSION_COLUMNS, session_from_row

PROBLEMS_MAX = 100
"""Most problems that are listed; one damaged file can have a great many."""


def check(tx: Transaction, location: str, size_bytes: int) -> StoreHealth:
    """Look for everything that can be wrong."""
    problems: list[str] = []
    for found in _problems(tx):
        problems.append(found)
        if len(problems) == PROBLEMS_MAX:
            break
    sessions, events = tx.execute("SELECT count(*), coalesce(sum(next_seq), 0) FROM sessions").fetchone()
    return StoreHealth(
        engine="sqlite",
        location=location,
        schema_version=meta.identity(tx).schema_version,
        size_bytes=size_bytes,
        sessions=sessions,
        events=events,
        problems=tuple(problems),
    )


def _problems(tx: Transaction) -> Iterator[str]:
    for (text,) in tx.execute(f"PRAGMA quick_check({PROBLEMS_MAX})"):
        if text != "ok":
            yield f"engine: {text}"
    yield from versions(tx)
    yield from _logs(tx)
    yield from corpus(tx)
    yield from _records(tx)
    yield from _counts(tx)


def _records(tx: Transaction) -> Iterator[str]:
    for row in tx.execute(f"SELECT {SESSION_COLUMNS} FROM sessions"):
        try:
            session_from_row(row)
        except StoreError as error:
            yield f"session {row[1]!r}: {error.message}"
    for row in tx.execute(f"SELECT {RUN_COLUMNS} FROM runs"):
        try:
            run_from_row(row)
        except StoreError as error:
            yield f"runs of {row[1]!r}: {error.message}"


def versions(tx: Transaction) -> Iterator[str]:
    """Where the corpus is of another fold or projection than this version's."""
    identity = meta.identity(tx)
    if identity.fold_version != FOLD_VERSION:
        yield f"corpus: fold version {FOLD_VERSION} was wanted, found {identity.fold_version}, to be rebuilt"
    if identity.projection_version != PROJECTION_VERSION:
        found = identity.projection_version
        yield f"corpus: projection version {PROJECTION_VERSION} was wanted, found {found}, to be rebuilt"


def _logs(tx: Transaction) -> Iterator[str]:
    rows = tx.execute(
        "SELECT g.namespace_id, g.session_id, g.first_seq, g.last_seq, g.codec, g.body, g.incarnation, s.incarnation "
        "FROM segments AS g LEFT JOIN sessions AS s USING (namespace_id, session_id) "
        "ORDER BY g.namespace_id, g.session_id, g.first_seq"
    )
    place: tuple[str, str] | None = None
    expected = 0
    for namespace_id, session_id, first, last, codec, body, written, current in rows:
        if (namespace_id, session_id) != place:
            place, expected = (namespace_id, session_id), 0
        if first != expected:
            yield f"log of {session_id!r}: seq {expected} was wanted, found {first}"
        if written != current:
            yield f"log of {session_id!r}: incarnation {current} was wanted, found {written} at seq {first}"
        try:
            decode_segment(session_id, first, last, codec, body)
        except StoreError as error:
            yield f"log of {session_id!r}: {error.message}"
        expected = last + 1


def corpus(tx: Transaction) -> Iterator[str]:
    """Chunks that are damaged."""
    rows = tx.execute("SELECT session_id, chunk_no, text_bytes, length(text), documents FROM corpus_chunks")
    for session_id, chunk_no, text_bytes, stored_bytes, documents in rows:
        where = f"corpus of {session_id!r}, chunk {chunk_no}"
        if text_bytes != stored_bytes:
            yield f"{where}: {text_bytes} bytes were wanted, found {stored_bytes}"
        try:
            decode_documents(session_id, documents, stored_bytes)
        except StoreError:
            yield f"{where}: its documents cannot be read"


def _counts(tx: Transaction) -> Iterator[str]:
    rows = tx.execute(
        "SELECT s.session_id, s.next_seq, coalesce(g.events, 0), s.runs, coalesce(r.runs, 0) FROM sessions AS s "
        "LEFT JOIN (SELECT namespace_id, session_id, sum(last_seq - first_seq + 1) AS events FROM segments "
        "GROUP BY namespace_id, session_id) AS g USING (namespace_id, session_id) "
        "LEFT JOIN (SELECT namespace_id, session_id, count(*) AS runs FROM runs "
        "GROUP BY namespace_id, session_id) AS r USING (namespace_id, session_id)"
    )
    for session_id, next_seq, events, runs, stored_runs in rows:
        if next_seq != events:
            yield f"log of {session_id!r}: {next_seq} events were wanted, found {events}"
        if runs != stored_runs:
            yield f"runs of {session_id!r}: {runs} were wanted, found {stored_runs}"


__all__ = ["check", "corpus", "versions"]
