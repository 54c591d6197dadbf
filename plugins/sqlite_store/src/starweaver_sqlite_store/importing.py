"""Storing a batch of an importer: session, events, runs, documents and ledger entry in one transaction."""

# ruff: noqa: S608  names in statements are constants of this package; every value is a parameter

from __future__ import annotations

from collections.abc import Sequence

from starweaver_host.contract.errors import StoreError
from starweaver_host.contract.events import AssistantMessage, Event, UserMessage
from starweaver_host.contract.records import FenceDeleting, Run, RunKey, Session, SessionHeader
from starweaver_host.contract.transcripts import ImportBatch, ImportReceipt
from starweaver_host.projection.documents import NO_IDENTITIES, RunIdentities, identity_hash

from . import chunks, feed, identities, ledger, rewrites
from .database import Transaction
from .edits import insert_session, stored_session
from .leases import find_lease
from .log import check_next_seq, last_title, write_events
from .run_rows import ACTIVE, StoredRun, document_change, find_run, write_run
from .session_rows import find_session
from .titles import clip, outranks, set_title

_HUMAN_SOURCES = frozenset({"user", "steering"})


def import_batch(tx: Transaction, batch: ImportBatch) -> ImportReceipt:
    """Store a batch. A session that was deleted here stays deleted; its ledger entry is written all the same."""
    version = ledger.write(tx, batch.namespace_id, batch.source, batch.ledger)
    if batch.session is None:
        return ImportReceipt(session_id=None, next_seq=0, incarnation=0, ledger_version=version)
    if batch.session.namespace_id != batch.namespace_id:
        found = batch.session.namespace_id
        raise StoreError("invalid", f"a session of namespace {batch.namespace_id!r} was wanted, found {found!r}")
    existing = find_session(tx, batch.namespace_id, batch.session.session_id)
    skipped = existing is not None and existing.status == "deleted"
    session = existing if existing is not None and skipped else _store(tx, batch, batch.session, existing)
    return ImportReceipt(
        session_id=session.header.session_id,
        next_seq=session.next_seq,
        incarnation=session.incarnation,
        ledger_version=version,
        created=existing is None,
        skipped_tombstone=skipped,
    )


def _store(tx: Transaction, batch: ImportBatch, header: SessionHeader, existing: Session | None) -> Session:
    position = None
    if existing is None:
        updated_at = batch.updated_at or header.created_at
        position = insert_session(tx, header, updated_at=updated_at, imported_at=tx.now)
        session = stored_session(tx, header)
    else:
        session = _opened(tx, batch, existing)
    if not batch.replace:
        check_next_seq(session, batch.expected_next_seq)
    if position is None and (batch.replace or _says_something(tx, batch, session)):
        position = feed.touch(tx, session.header.namespace_id, session.header.session_id)
        if batch.replace:
            rewrites.note(tx, session.header.namespace_id, session.header.session_id, position)
    if position is None:
        return session
    _write(tx, batch, session, position)
    return stored_session(tx, session.header)


def _opened(tx: Transaction, batch: ImportBatch, session: Session) -> Session:
    """An existing session, made empty under a new incarnation if the batch replaces it."""
    if isinstance(session.fence, FenceDeleting):
        raise StoreError(
            "conflict",
            f"a session that takes events was wanted, found {session.header.session_id!r} being deleted",
            current_revision=session.revision,
        )
    if not batch.replace:
        return session
    key = (session.header.namespace_id, session.header.session_id)
    if find_lease(tx, *key) is not None:
        raise StoreError("run_conflict", f"no running run was wanted in {key[1]!r}, found one while replacing its log")
    identities.forget(tx, session.header)
    chunks.clear(tx, *key)
    for table in ("segments", "runs", "checkpoints"):
        tx.execute(f"DELETE FROM {table} WHERE namespace_id = ? AND session_id = ?", key)
    tx.execute(
        "UPDATE sessions SET incarnation = incarnation + 1, next_seq = 0, runs = 0, messages = 0, tool_calls = 0, "
        "head_run_id = NULL, active_run_id = NULL, last_run_no = 0 WHERE namespace_id = ? AND session_id = ?",
        key,
    )
    return stored_session(tx, session.header)


def _says_something(tx: Transaction, batch: ImportBatch, session: Session) -> bool:
    """Whether a batch changes a session it does not create or replace; one that does not moves no feed."""
    if batch.events or batch.runs:
        return True
    if batch.updated_at is not None and batch.updated_at > session.updated_at:
        return True
    title = clip(batch.title)
    return title is not None and title != session.title and outranks(tx, session, batch.title_source)


def _write(tx: Transaction, batch: ImportBatch, session: Session, position: int) -> None:
    key = (session.header.namespace_id, session.header.session_id)
    written = write_events(tx, session, batch.events)
    own = _by_run(written.events)
    pairs = [_run_pair(tx, run, own.get(run.run_id, ())) for run in batch.runs]
    change = document_change(pairs)
    change.added.extend(written.documents)
    change.added.sort(key=lambda document: document.time)
    change.apply(tx, *key, position)
    for _, after in pairs:
        write_run(tx, after)
    _apply_title(tx, batch, session, written.events, position)
    _apply_times(tx, batch, session)
    if batch.runs:
        _apply_runs(tx, key)


def _by_run(events: Sequence[Event]) -> dict[str, list[Event]]:
    """Events of runs, in order, by run: a batch may hold thousands of each."""
    found: dict[str, list[Event]] = {}
    for event in events:
        if event.run_id is not None:
            found.setdefault(event.run_id, []).append(event)
    return found


def _run_pair(tx: Transaction, run: Run, own: Sequence[Event]) -> tuple[StoredRun | None, StoredRun]:
    key = RunKey(namespace_id=run.namespace_id, session_id=run.session_id, run_id=run.run_id)
    before = find_run(tx, key)
    known = NO_IDENTITIES if before is None else before.identities
    has_input = before is not None and bool(before.run.input)
    return before, StoredRun(
        run,
        RunIdentities(known.input if has_input else _input_identity(own), _output_identity(own, known.output)),
    )


def _input_identity(events: Sequence[Event]) -> bytes | None:
    """The identity of the first message a person wrote."""
    for event in events:
        if event.type == UserMessage.event_type:
            payload = event.payload()
            if isinstance(payload, UserMessage) and payload.source in _HUMAN_SOURCES:
                return _hash(event.identity)
    return None


def _output_identity(events: Sequence[Event], known: bytes | None) -> bytes | None:
    """The identity of the last message of the model."""
    for event in reversed(events):
        if event.type == AssistantMessage.event_type:
            return _hash(event.identity)
    return known


def _hash(identity: str | None) -> bytes | None:
    return None if identity is None else identity_hash(identity)


def _apply_title(tx: Transaction, batch: ImportBatch, session: Session, events: Sequence[Event], position: int) -> None:
    """The title's time is its event's, or the session's beginning: the same however the transcript was cut."""
    title = clip(batch.title)
    if title is None or title == session.title or not outranks(tx, session, batch.title_source):
        return
    found = last_title(events)
    named = found is not None and clip(found[0].title) == title
    set_at = found[1] if found is not None and named else session.header.created_at
    set_title(tx, session, title, batch.title_source, set_at=set_at, position=position)


def _apply_times(tx: Transaction, batch: ImportBatch, session: Session) -> None:
    updated_at = session.updated_at if batch.updated_at is None else batch.updated_at
    if not batch.replace:
        updated_at = max(updated_at, session.updated_at)
    tx.execute(
        "UPDATE sessions SET updated_at = ?, imported_at = ?, activity_revision = activity_revision + ? "
        "WHERE namespace_id = ? AND session_id = ?",
        (
            updated_at,
            tx.now,
            bool(batch.events or batch.runs),
            session.header.namespace_id,
            session.header.session_id,
        ),
    )


def _apply_runs(tx: Transaction, key: tuple[str, str]) -> None:
    """Set what the session says of its runs."""
    newest = tx.execute(
        "SELECT run_id, sequence_no FROM runs WHERE namespace_id = ? AND session_id = ? "
        "ORDER BY sequence_no DESC LIMIT 1",
        key,
    ).fetchone()
    active = tx.execute(
        f"SELECT run_id FROM runs WHERE namespace_id = ? AND session_id = ? AND status IN {ACTIVE}",
        key,
    ).fetchone()
    count = tx.execute("SELECT count(*) FROM runs WHERE namespace_id = ? AND session_id = ?", key).fetchone()[0]
    tx.execute(
        "UPDATE sessions SET head_run_id = ?, last_run_no = max(last_run_no, ?), active_run_id = ?, runs = ? "
        "WHERE namespace_id = ? AND session_id = ?",
        (newest[0], newest[1], None if active is None else active[0], count, *key),
    )


__all__ = ["import_batch"]
