"""The corpus as an index: how large it is, and whether it is what logs, runs and titles would give today.

Reads only. `status` decodes what describes the documents and no text; `verify` reads and folds everything.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from starweaver_host.contract.corpus import DocumentRef
from starweaver_host.contract.errors import StoreError
from starweaver_host.contract.indexing import IndexStatus
from starweaver_host.contract.records import RunKey
from starweaver_host.projection.documents import event_documents, run_documents
from starweaver_host.projection.folding import fold

from . import health, meta
from .chunks import decode_documents
from .database import Transaction
from .rebuild import SessionPlace, next_session, run_ids
from .run_rows import find_run
from .segments import read_segments

Held = tuple[DocumentRef, int, bytes]
"""A document: its place, its time and its folded text."""


def status(tx: Transaction) -> IndexStatus:
    """Sizes and versions. Healthy means: of this version's fold and projection, and readable."""
    return _status(tx, next(health.versions(tx), None))


def verify(tx: Transaction) -> IndexStatus:
    """The same after every session's documents were compared with what its records give."""
    return _status(tx, next(chain(health.versions(tx), health.corpus(tx), _differences(tx)), None))


def _status(tx: Transaction, problem: str | None) -> IndexStatus:
    identity = meta.identity(tx)
    alive = dead = size = 0
    rows = tx.execute("SELECT session_id, documents, text_bytes FROM corpus_chunks")
    for session_id, data, text_bytes in rows:
        size += len(data) + text_bytes
        try:
            documents = decode_documents(session_id, data, text_bytes)
        except StoreError as error:
            problem = problem or error.message
            continue
        superseded = sum(document.superseded is not None for document in documents)
        alive, dead = alive + len(documents) - superseded, dead + superseded
    return IndexStatus(
        generation=f"{identity.epoch}-{identity.fold_version}.{identity.projection_version}",
        documents=alive,
        dead_documents=dead,
        size_bytes=size,
        healthy=problem is None,
        detail=problem,
    )


def _differences(tx: Transaction) -> Iterator[str]:
    place = next_session(tx, ("", ""))
    while place is not None:
        try:
            if _expected(tx, place) != _held(tx, place):
                yield f"corpus of {place[1]!r}: the documents of its log and runs were wanted, found others"
        except StoreError as error:
            yield error.message
        place = next_session(tx, place)


def _expected(tx: Transaction, place: SessionPlace) -> set[Held]:
    namespace_id, session_id = place
    found = []
    for run_id in run_ids(tx, place):
        stored = find_run(tx, RunKey(namespace_id=namespace_id, session_id=session_id, run_id=run_id))
        found += run_documents(*stored) if stored is not None else []
    for events in read_segments(tx, namespace_id, session_id, 0):
        found += event_documents(session_id, events)
    return {(document.ref, document.time, fold(document.text).encode()) for document in found}


def _held(tx: Transaction, place: SessionPlace) -> set[Held]:
    rows = tx.execute("SELECT documents, text FROM corpus_chunks WHERE namespace_id = ? AND session_id = ?", place)
    return {
        (document.ref(place[1]), document.time, text[document.start : document.start + document.size])
        for data, text in rows
        for document in decode_documents(place[1], data, len(text))
        if document.superseded is None
    }


__all__ = ["status", "verify"]
