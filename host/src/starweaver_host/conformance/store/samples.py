"""Small values for the store suite. Every helper has the shortest arguments that say what a test is about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from starweaver_host.conformance.context import START
from starweaver_host.contract.corpus import CorpusDocument, CorpusQuery
from starweaver_host.contract.errors import StoreError, StoreErrorCode
from starweaver_host.contract.events import AssistantMessage, NewEvent, TextBlock, UserMessage, new_event
from starweaver_host.contract.records import (
    LOCAL_NAMESPACE,
    AccessScope,
    InputPart,
    Run,
    RunKey,
    Session,
    SessionDraft,
    SessionHeader,
    SessionKey,
    TextPart,
)
from starweaver_host.contract.store import AdmittedRun, RunAdmission, RunLease, RunOutcome, SearchCorpus, SessionStore
from starweaver_host.contract.transcripts import ImportBatch, LedgerEntry

SCOPE = AccessScope()
EVERYTHING = AccessScope(include_deleted=True)
DAY = 86_400_000_000
"""Microseconds."""
COMPLETED = RunOutcome(status="completed", output_preview="all done")
FENCE = "fence-1"


def key(session_id: str = "s1", namespace_id: str = LOCAL_NAMESPACE) -> SessionKey:
    """A session's identity."""
    return SessionKey(namespace_id=namespace_id, session_id=session_id)


def header(session_id: str = "s1", **fields: Any) -> SessionHeader:
    """A header created at the start of the manual clock."""
    return SessionHeader(**{"namespace_id": LOCAL_NAMESPACE, "session_id": session_id, "created_at": START, **fields})


def draft(
    session_id: str = "s1", *, title: str | None = None, profile: str | None = None, **fields: Any
) -> SessionDraft:
    """A draft; `fields` are the header's."""
    return SessionDraft(header=header(session_id, **fields), title=title, profile=profile)


async def created(store: SessionStore, session_id: str = "s1", **fields: Any) -> Session:
    """Create a session and return it."""
    return await store.create_session(draft(session_id, **fields))


async def deleted(store: SessionStore, session_id: str = "s1", scope: AccessScope = SCOPE) -> Session:
    """Fence and tombstone a session."""
    await fenced(store, session_id, scope=scope)
    return await store.tombstone_session(scope, session_id, fence_id=FENCE)


async def fenced(store: SessionStore, session_id: str = "s1", *, scope: AccessScope = SCOPE) -> Session:
    """Acquire the fence FENCE."""
    return await store.acquire_fence(scope, session_id, fence_id=FENCE, requested_by="a person", expected_revision=None)


def admission(run_id: str = "r1", session_id: str = "s1", **fields: Any) -> RunAdmission:
    """A request of host `h1` for a lease of 30 seconds."""
    run_key = RunKey(namespace_id=fields.pop("namespace_id", LOCAL_NAMESPACE), session_id=session_id, run_id=run_id)
    return RunAdmission(**{"key": run_key, "admission_id": f"a-{run_id}", "host_instance_id": "h1", **fields})


async def admitted(store: SessionStore, run_id: str = "r1", session_id: str = "s1", **fields: Any) -> AdmittedRun:
    """Admit a run."""
    return await store.admit_run(admission(run_id, session_id, **fields))


async def ended(
    store: SessionStore, run_id: str = "r1", session_id: str = "s1", outcome: RunOutcome = COMPLETED, **fields: Any
) -> RunLease:
    """Admit a run and end it; its lease is returned."""
    lease = (await admitted(store, run_id, session_id, **fields)).lease
    await store.finalise_run(lease, outcome)
    return lease


def text_input(*texts: str) -> tuple[InputPart, ...]:
    """Input of text parts."""
    return tuple(TextPart(text=text) for text in texts)


def says(text: str, *, at: int = START, run_id: str | None = None, identity: str | None = None) -> NewEvent:
    """An assistant message. `at` is UTC microseconds."""
    message = AssistantMessage(content=(TextBlock(text=text),))
    return new_event(message, time=at // 1000, run_id=run_id, identity=identity)


def asks(text: str, *, at: int = START, run_id: str | None = None, identity: str | None = None) -> NewEvent:
    """A user message. `at` is UTC microseconds."""
    return new_event(UserMessage(content=(TextBlock(text=text),)), time=at // 1000, run_id=run_id, identity=identity)


def imported(
    session_id: str, version: int, *events: NewEvent, run: tuple[str, int] | None = None, replace: bool = False
) -> ImportBatch:
    """A batch of item `session_id` read against ledger `version`; `run` is its only run: preview, seconds."""
    return ImportBatch(
        namespace_id=LOCAL_NAMESPACE,
        source="kit",
        session=header(session_id),
        events=events,
        runs=() if run is None else (_imported_run(session_id, *run),),
        replace=replace,
        ledger=LedgerEntry(item_key=session_id, fingerprint=str(version), reader_version=1, version=version),
    )


def _imported_run(session_id: str, preview: str, seconds: int) -> Run:
    at = START + seconds * 1_000_000
    return Run(
        namespace_id=LOCAL_NAMESPACE,
        session_id=session_id,
        run_id="t1",
        sequence_no=1,
        status="completed",
        trigger="import",
        output_preview=preview,
        created_at=START,
        started_at=START,
        ended_at=at,
        updated_at=at,
    )


class Refusal:
    """What a refused operation raised, once it did."""

    error: StoreError


@contextmanager
def refused(code: StoreErrorCode) -> Iterator[Refusal]:
    """Expect a StoreError of this code."""
    refusal = Refusal()
    with pytest.raises(StoreError) as caught:
        yield refusal
    refusal.error = caught.value
    assert caught.value.code == code, f"{caught.value.code!r} was raised ({caught.value.message}), {code!r} was wanted"


async def scanned(store: SearchCorpus, query: CorpusQuery | None = None) -> list[tuple[CorpusDocument, str]]:
    """Every document of a scan with its folded text, in the order of the scan."""
    found = []
    async for batch in store.scan_corpus(query or CorpusQuery(scope=SCOPE)):
        found += [(document, batch.text[document.start : document.end].decode()) for document in batch.documents()]
    return found


async def scanned_texts(store: SearchCorpus, query: CorpusQuery | None = None) -> list[str]:
    """The folded texts of a scan, sorted."""
    return sorted(text for _, text in await scanned(store, query))


def ids(sessions: Sequence[Session]) -> list[str]:
    """Session ids in order."""
    return [session.header.session_id for session in sessions]


__all__ = [
    "COMPLETED",
    "DAY",
    "EVERYTHING",
    "FENCE",
    "SCOPE",
    "Refusal",
    "admission",
    "admitted",
    "asks",
    "created",
    "deleted",
    "draft",
    "ended",
    "fenced",
    "header",
    "ids",
    "imported",
    "key",
    "refused",
    "says",
    "scanned",
    "scanned_texts",
    "text_input",
]
