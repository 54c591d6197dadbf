"""Original texts of documents, read only for the hits that are shown."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from starweaver_host.contract.corpus import DocumentRef
from starweaver_host.contract.errors import StoreError
from starweaver_host.contract.records import AccessScope, RunKey
from starweaver_host.projection.documents import event_documents, run_documents, title_document

from .database import Transaction
from .listing import get_sessions
from .log_reading import find_events
from .run_rows import StoredRun, find_run


def read_texts(tx: Transaction, scope: AccessScope, refs: Sequence[DocumentRef]) -> tuple[str | None, ...]:
    """The texts in the order asked for; None where a document is gone, unreadable or outside the scope."""
    sessions = {
        session.header.session_id: session for session in get_sessions(tx, scope, [ref.session_id for ref in refs])
    }
    by_session: defaultdict[str, list[DocumentRef]] = defaultdict(list)
    for ref in refs:
        if ref.session_id in sessions:
            by_session[ref.session_id].append(ref)
    found: dict[DocumentRef, str] = {}
    for session_id, wanted in by_session.items():
        title = sessions[session_id].title
        if title is not None:
            document = title_document(session_id, title, 0)
            found[document.ref] = document.text
        found |= _run_texts(tx, scope.namespace_id, session_id, wanted)
        found |= _event_texts(tx, scope.namespace_id, session_id, wanted)
    return tuple(found.get(ref) for ref in refs)


def _run_texts(
    tx: Transaction, namespace_id: str, session_id: str, refs: Sequence[DocumentRef]
) -> dict[DocumentRef, str]:
    run_ids = {ref.run_id for ref in refs if ref.run_id is not None and ref.seq is None}
    keys = [RunKey(namespace_id=namespace_id, session_id=session_id, run_id=run_id) for run_id in sorted(run_ids)]
    runs = [_readable_run(tx, key) for key in keys]
    return {document.ref: document.text for found in runs if found is not None for document in run_documents(*found)}


def _readable_run(tx: Transaction, key: RunKey) -> StoredRun | None:
    try:
        return find_run(tx, key)
    except StoreError as error:
        if error.code != "corrupt":
            raise
        return None


def _event_texts(
    tx: Transaction, namespace_id: str, session_id: str, refs: Sequence[DocumentRef]
) -> dict[DocumentRef, str]:
    seqs = [ref.seq for ref in refs if ref.seq is not None]
    events = find_events(tx, namespace_id, session_id, seqs)
    return {document.ref: document.text for document in event_documents(session_id, events)}


__all__ = ["read_texts"]
