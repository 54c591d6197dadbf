"""Admission of runs: at most one active run per session, idempotent by key, fenced by generation."""

# ruff: noqa: S608  names in statements are constants of this package; every value is a parameter

from __future__ import annotations

import os

import msgspec

from starweaver_host.contract.errors import StoreError
from starweaver_host.contract.records import STABLE, Run, Session
from starweaver_host.contract.store import AdmittedRun, RunAdmission, RunLease

from . import feed
from .database import Transaction
from .leases import lease_end, move_activity, reconcile_session, write_lease
from .run_rows import ACTIVE, StoredRun, document_change, find_run, write_run
from .session_rows import find_session, not_found

FAMILY = "run.admit"
"""Idempotency family of admissions: a key used for another kind of command is another key."""


def admit_run(tx: Transaction, admission: RunAdmission) -> AdmittedRun:
    """Admit a run, or replay the admission of the same key and fingerprint."""
    replayed = _replay(tx, admission)
    if replayed is not None:
        return replayed
    key = admission.key
    reconcile_session(tx, key.namespace_id, key.session_id)
    session = _admissible(tx, admission)
    expires_at = lease_end(tx, admission.lease_seconds)
    sequence_no, generation = _allocate(tx, session)
    run = admission.queued_run(sequence_no, tx.now)
    lease = RunLease(
        key=key,
        admission_id=admission.admission_id,
        host_instance_id=admission.host_instance_id,
        fencing_generation=generation,
        expires_at=expires_at,
    )
    _store(tx, run, lease)
    admitted = AdmittedRun(run=run, lease=lease)
    _keep_receipt(tx, admission, admitted)
    return admitted


def _replay(tx: Transaction, admission: RunAdmission) -> AdmittedRun | None:
    if admission.idempotency_key is None:
        return None
    row = tx.execute(
        "SELECT fingerprint, body FROM receipts WHERE namespace_id = ? AND authority = ? AND family = ? AND key = ?",
        (admission.key.namespace_id, admission.authority, FAMILY, admission.idempotency_key),
    ).fetchone()
    if row is None:
        return None
    if row[0] != (admission.command_fingerprint or ""):
        raise StoreError(
            "idempotency_conflict",
            f"key {admission.idempotency_key!r} was wanted for one command, found it used for another",
        )
    stored = msgspec.json.decode(row[1], type=AdmittedRun)
    return msgspec.structs.replace(stored, idempotent_replay=True)


def _admissible(tx: Transaction, admission: RunAdmission) -> Session:
    key = admission.key
    session = find_session(tx, key.namespace_id, key.session_id)
    if session is None:
        raise not_found(key.session_id)
    if session.status != "active":
        raise StoreError(
            "conflict",
            f"an active session was wanted, found {key.session_id!r} {session.status}",
            current_revision=session.revision,
        )
    if session.fence != STABLE:
        raise StoreError(
            "conflict",
            f"session {key.session_id!r} was wanted for a run, found it being deleted",
            current_revision=session.revision,
        )
    active = tx.execute(
        f"SELECT run_id FROM runs WHERE namespace_id = ? AND session_id = ? AND status IN {ACTIVE}",
        (key.namespace_id, key.session_id),
    ).fetchone()
    if active is not None:
        raise StoreError("run_conflict", f"no active run was wanted in {key.session_id!r}, found {active[0]!r}")
    if find_run(tx, key) is not None:
        raise StoreError("already_exists", f"a new run id was wanted, found {key.run_id!r} in {key.session_id!r}")
    return session


def _allocate(tx: Transaction, session: Session) -> tuple[int, int]:
    """The next sequence number and fencing generation of a session; neither is ever used again."""
    row = tx.execute(
        "UPDATE sessions SET last_run_no = last_run_no + 1, generation = generation + 1 "
        "WHERE namespace_id = ? AND session_id = ? RETURNING last_run_no, generation",
        (session.header.namespace_id, session.header.session_id),
    ).fetchone()
    return row[0], row[1]


def _store(tx: Transaction, run: Run, lease: RunLease) -> None:
    namespace_id, session_id = run.namespace_id, run.session_id
    stored = StoredRun(run)
    write_run(tx, stored)
    write_lease(tx, lease)
    tx.execute(
        "UPDATE sessions SET runs = runs + 1, head_run_id = ?, active_run_id = ? "
        "WHERE namespace_id = ? AND session_id = ?",
        (run.run_id, run.run_id, namespace_id, session_id),
    )
    move_activity(tx, namespace_id, session_id)
    position = feed.touch(tx, namespace_id, session_id)
    document_change([(None, stored)]).apply(tx, namespace_id, session_id, position)


def _keep_receipt(tx: Transaction, admission: RunAdmission, admitted: AdmittedRun) -> None:
    if admission.idempotency_key is None:
        return
    key = (admission.key.namespace_id, admission.authority, FAMILY, admission.idempotency_key)
    fingerprint = admission.command_fingerprint or ""
    body = msgspec.json.encode(admitted)
    tx.execute(
        "INSERT INTO receipts VALUES (?, ?, ?, ?, ?, ?, 'done', ?, ?)",
        (*key, fingerprint, os.urandom(16).hex(), body, tx.now),
    )


__all__ = ["admit_run"]
