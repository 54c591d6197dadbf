"""What a scan must find, worked out from nothing but the store's records: slow and plain."""

from __future__ import annotations

from collections.abc import Sequence

from starweaver_host.conformance.memory.filters import sees_root, selects, selects_run, shows
from starweaver_host.contract.corpus import CorpusQuery, DocumentRef
from starweaver_host.contract.records import Run
from starweaver_host.contract.store import RunListQuery, SessionStore
from starweaver_host.projection.documents import event_documents, run_documents, title_document
from starweaver_host.projection.folding import fold

from .samples import EVERYTHING

Found = tuple[DocumentRef, str, bytes | None]
"""A document as the oracle knows it: where, folded text, identity (of display messages only)."""


async def expected(store: SessionStore, query: CorpusQuery, session_ids: Sequence[str]) -> list[Found]:
    """The documents of the named sessions that a scan must find, sorted; titles of any time."""
    found: list[Found] = []
    for session in await store.get_sessions(EVERYTHING, session_ids):
        session_id = session.header.session_id
        runs = (await store.list_runs(EVERYTHING, session_id, RunListQuery(limit=500))).runs
        roots = await store.get_sessions(EVERYTHING, [session.root_session_id])
        is_root_seen = sees_root(query.scope, query.filter, roots[0])
        if shows(query.scope, session) and selects(query.filter, session, runs, is_root_seen=is_root_seen):
            titles = [] if session.title is None else [title_document(session_id, session.title, 0)]
            events = (await store.read_events(EVERYTHING, session_id, limit=100_000)).events
            spoken = [document for run in runs for document in run_documents(run)]
            every = [*titles, *spoken, *event_documents(session_id, events)]
            found += [_known(each.ref, each.text, each.identity) for each in every if _is_wanted(query, each.ref, runs)]
    return sorted(found, key=repr)


async def actual(store: SessionStore, query: CorpusQuery) -> list[Found]:
    """The documents a scan finds, in the same form."""
    found = []
    async for batch in store.scan_corpus(query):
        for document in batch.documents():
            text = batch.text[document.start : document.end].decode()
            identity = document.identity if document.ref.source == "display_message" else None
            found.append((document.ref, text, identity))
    return sorted(found, key=repr)


def _known(ref: DocumentRef, text: str, identity: bytes | None) -> Found:
    return (ref, fold(text), identity if ref.source == "display_message" else None)


def _is_wanted(query: CorpusQuery, ref: DocumentRef, runs: tuple[Run, ...]) -> bool:
    run = next((each for each in runs if each.run_id == ref.run_id), None)
    return ref.source in query.filter.sources and selects_run(query.filter, run)


__all__ = ["Found", "actual", "expected"]
