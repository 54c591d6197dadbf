"""Runs: admission, ownership by lease and fencing generation, and their end."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec

from starweaver_host.contract.errors import StoreError
from starweaver_host.contract.records import (
    ACTIVE_RUN_STATUSES,
    OUTPUT_PREVIEW_MAX,
    STABLE,
    TERMINAL_RUN_STATUSES,
    Checkpoint,
    Run,
    RunKey,
    RunStatus,
    TerminalError,
)
from starweaver_host.contract.store import AdmittedRun, HeartbeatReply, RunAdmission, RunLease, RunOutcome

from .base import MemoryBase, check_limit
from .documents import with_runs
from .state import Holding, Receipt, State, StoredRun, conflict

EXPIRED = TerminalError(code="admission_lease_expired", message="the host that ran this stopped renewing its lease")


class MemoryRuns(MemoryBase):
    """The writing half of RunRegister."""

    async def admit_run(self, admission: RunAdmission) -> AdmittedRun:
        """Admit a run, or replay the admission of the same key and fingerprint."""
        with self._transaction() as work:
            replayed = self._replayed(work, admission)
            if replayed is not None:
                return replayed
            key = admission.key
            holding = work.held(key.namespace_id, key.session_id)
            if holding.lease is not None and not self._is_live(holding.lease):
                holding = self._expire(work, holding)
            self._check_admissible(holding, admission)
            admitted = self._admit(work, holding, admission)
            if admission.idempotency_key is not None:
                place = (key.namespace_id, admission.authority, admission.idempotency_key)
                work.receipts[place] = Receipt(admission.command_fingerprint, admitted)
            return admitted

    def _replayed(self, work: State, admission: RunAdmission) -> AdmittedRun | None:
        place = (admission.key.namespace_id, admission.authority, admission.idempotency_key or "")
        receipt = work.receipts.get(place)
        if receipt is None:
            return None
        if receipt.fingerprint != admission.command_fingerprint:
            found = f"key {admission.idempotency_key!r} used for another"
            raise StoreError("idempotency_conflict", f"a key for this command was wanted, found {found}")
        return msgspec.structs.replace(receipt.admitted, idempotent_replay=True)

    def _check_admissible(self, holding: Holding, admission: RunAdmission) -> None:
        session = holding.session
        if session.status != "active":
            raise conflict(session, f"an active session was wanted, found it {session.status}")
        if session.fence != STABLE:
            raise conflict(session, "a session without a fence was wanted, found it being deleted")
        if any(stored.run.status in ACTIVE_RUN_STATUSES for stored in holding.runs):
            raise StoreError("run_conflict", f"no active run was wanted, found {session.active_run_id!r}")
        if holding.run(admission.key.run_id) is not None:
            raise StoreError("already_exists", f"a new run id was wanted, found {admission.key.run_id!r} in use")

    def _admit(self, work: State, holding: Holding, admission: RunAdmission) -> AdmittedRun:
        number = holding.last_run_no + 1
        run = admission.queued_run(number, self._clock.now())
        lease = RunLease(
            key=admission.key,
            admission_id=admission.admission_id,
            host_instance_id=admission.host_instance_id,
            fencing_generation=holding.generation + 1,
            expires_at=self._lease_end(admission.lease_seconds),
        )
        holding = replace(holding, last_run_no=number, generation=lease.fencing_generation, lease=lease)
        holding = holding.with_session(head_run_id=run.run_id, active_run_id=run.run_id)
        self._write(work, holding, StoredRun(run))
        return AdmittedRun(run=run, lease=lease)

    def _lease_end(self, lease_seconds: float) -> int:
        if not 0 < lease_seconds < float("inf"):
            raise StoreError("invalid", f"a lease of more than 0 seconds was wanted, found {lease_seconds}")
        return self._clock.now() + round(lease_seconds * 1_000_000)

    async def heartbeat(self, lease: RunLease, *, lease_seconds: float = 30.0) -> HeartbeatReply:
        """Renew a lease and tell its owner of the session's fence."""
        with self._transaction() as work:
            holding = work.held(lease.key.namespace_id, lease.key.session_id)
            self._check_lease(holding, lease)
            renewed = msgspec.structs.replace(lease, expires_at=self._lease_end(lease_seconds))
            work.put(replace(holding, lease=renewed))
            return HeartbeatReply(lease=renewed, fence=holding.session.fence)

    async def transition_run(self, lease: RunLease, status: RunStatus) -> Run:
        """Move an active run to another active status."""
        if status not in ACTIVE_RUN_STATUSES:
            raise StoreError("invalid", f"an active status was wanted, found {status!r}")
        with self._transaction() as work:
            holding, stored = self._owned(work, lease)
            started = stored.run.started_at
            if started is None and status != "queued":
                started = self._clock.now()
            return self._change(work, holding, stored, status=status, started_at=started)

    async def save_checkpoint(self, lease: RunLease, checkpoint: Checkpoint) -> None:
        """Replace the run's checkpoint."""
        with self._transaction() as work:
            holding, _ = self._owned(work, lease)
            work.put(replace(holding, checkpoints={**holding.checkpoints, lease.key.run_id: checkpoint}))

    async def finalise_run(self, lease: RunLease, outcome: RunOutcome) -> Run:
        """End a run and release its lease; the same outcome again changes nothing."""
        _check_outcome(outcome)
        preview = outcome.output_preview and outcome.output_preview[:OUTPUT_PREVIEW_MAX]
        with self._transaction() as work:
            holding, stored = _find(work, lease.key)
            run = stored.run
            if (run.status, run.output_preview, run.terminal_error) == (outcome.status, preview, outcome.error):
                return run
            holding, stored = self._owned(work, lease)
            return self._end(
                work, holding, stored, status=outcome.status, output_preview=preview, terminal_error=outcome.error
            )

    async def reconcile_expired(self, namespace_id: str, *, limit: int = 100) -> tuple[Run, ...]:
        """Cancel runs whose lease has expired, longest expired first."""
        check_limit(limit)
        with self._transaction() as work:
            leases = [held.lease for held in work.in_namespace(namespace_id) if held.lease is not None]
            expired = sorted((lease.expires_at, lease.key) for lease in leases if not self._is_live(lease))[:limit]
            for _, key in expired:
                self._expire(work, work.held(key.namespace_id, key.session_id))
            return tuple(_find(work, key)[1].run for _, key in expired)

    def _owned(self, work: State, lease: RunLease) -> tuple[Holding, StoredRun]:
        """The active run of a current lease."""
        holding, stored = _find(work, lease.key)
        if stored.run.status in TERMINAL_RUN_STATUSES:
            raise StoreError("terminal", f"an active run was wanted, found {stored.run.status}")
        self._check_lease(holding, lease)
        return holding, stored

    def _check_lease(self, holding: Holding, lease: RunLease) -> None:
        held = holding.lease
        if held is None or _owner(held) != _owner(lease) or not self._is_live(held):
            raise StoreError("stale_fence", f"the current lease of run {lease.key.run_id!r} was wanted, found another")

    def _is_live(self, lease: RunLease) -> bool:
        return lease.expires_at > self._clock.now()

    def _expire(self, work: State, holding: Holding) -> Holding:
        """Cancel the run whose owner went away."""
        if holding.lease is not None:
            stored = _find(work, holding.lease.key)[1]
            self._end(work, holding, stored, status="cancelled", terminal_error=EXPIRED)
        return work.held(holding.header.namespace_id, holding.header.session_id)

    def _end(self, work: State, holding: Holding, stored: StoredRun, **fields: Any) -> Run:
        released = replace(holding, lease=None).with_session(active_run_id=None)
        return self._change(work, released, stored, ended_at=self._clock.now(), **fields)

    def _change(self, work: State, holding: Holding, stored: StoredRun, **fields: Any) -> Run:
        now, revision = self._clock.now(), stored.run.revision + 1
        run = msgspec.structs.replace(stored.run, revision=revision, updated_at=now, **fields)
        self._write(work, holding, stored._replace(run=run))
        return run

    def _write(self, work: State, holding: Holding, stored: StoredRun) -> None:
        """Store a run of a live owner, its documents, and the session's activity."""
        holding = work.touch(put_run(holding, stored))
        work.put(self._active_now(with_runs(holding, holding.position)))

    def _active_now(self, holding: Holding) -> Holding:
        session = holding.session
        return holding.with_session(
            activity_revision=session.activity_revision + 1,
            updated_at=max(session.updated_at, self._clock.now()),
        )


def put_run(holding: Holding, stored: StoredRun) -> Holding:
    """Insert a run, or replace the one of the same id; the session's count of runs follows."""
    others = [other for other in holding.runs if other.run.run_id != stored.run.run_id]
    runs = tuple(sorted([*others, stored], key=lambda each: each.run.sequence_no))
    counts = msgspec.structs.replace(holding.session.counts, runs=len(runs))
    return replace(holding, runs=runs).with_session(counts=counts)


def _check_outcome(outcome: RunOutcome) -> None:
    if outcome.status == "failed" and outcome.error is None:
        raise StoreError("invalid", "an error was wanted for a failed run, found none")
    if outcome.status == "completed" and outcome.error is not None:
        raise StoreError("invalid", "no error was wanted for a completed run, found one")


def _find(work: State, key: RunKey) -> tuple[Holding, StoredRun]:
    holding = work.held(key.namespace_id, key.session_id)
    stored = holding.run(key.run_id)
    if stored is None:
        raise StoreError("not_found", f"run {key.run_id!r} was wanted, found none")
    return holding, stored


def _owner(lease: RunLease) -> tuple[RunKey, str, str, int]:
    return (lease.key, lease.admission_id, lease.host_instance_id, lease.fencing_generation)


__all__ = ["EXPIRED", "MemoryRuns", "put_run"]
