"""Ownership of running runs: heartbeat, transition, end, and what becomes of a run whose owner went away.

Every write of an owner names its lease; only the current, unexpired one counts. Times are the store's clock.
"""

# ruff: noqa: S608  names in statements are constants of this package; every value is a parameter

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from starweaver_host.contract.errors import StoreError
from starweaver_host.contract.records import (
    ACTIVE_RUN_STATUSES,
    OUTPUT_PREVIEW_MAX,
    TERMINAL_RUN_STATUSES,
    Checkpoint,
    Run,
    RunKey,
    RunStatus,
    TerminalError,
)
from starweaver_host.contract.store import HeartbeatReply, RunLease, RunOutcome

from . import feed
from .database import Transaction
from .run_rows import StoredRun, document_change, find_run, run_not_found, write_run
from .session_rows import find_session, not_found

EXPIRED = TerminalError(code="admission_lease_expired", message="the host that ran this stopped renewing its lease")
_LEASE_COLUMNS = "namespace_id, session_id, run_id, admission_id, host_instance_id, generation, expires_at"


def lease_end(tx: Transaction, lease_seconds: float) -> int:
    """When a lease of this length ends that begins now."""
    if not 0 < lease_seconds < float("inf"):
        raise StoreError("invalid", f"a lease of more than 0 seconds was wanted, found {lease_seconds}")
    return tx.now + round(lease_seconds * 1_000_000)


def write_lease(tx: Transaction, lease: RunLease) -> None:
    """Make this the session's lease."""
    key = lease.key
    owner = (lease.admission_id, lease.host_instance_id, lease.fencing_generation, lease.expires_at)
    tx.execute(
        "INSERT OR REPLACE INTO leases VALUES (?, ?, ?, ?, ?, ?, ?)",
        (key.namespace_id, key.session_id, key.run_id, *owner),
    )


def find_lease(tx: Transaction, namespace_id: str, session_id: str) -> RunLease | None:
    """The session's lease, expired or not."""
    row = tx.execute(
        f"SELECT {_LEASE_COLUMNS} FROM leases WHERE namespace_id = ? AND session_id = ?",
        (namespace_id, session_id),
    ).fetchone()
    return None if row is None else _lease(row)


def check_lease(tx: Transaction, lease: RunLease) -> None:
    """Refuse a lease that is not the session's current one, or has expired, with `stale_fence`."""
    held = find_lease(tx, lease.key.namespace_id, lease.key.session_id)
    if held is None or _owner(held) != _owner(lease) or held.expires_at <= tx.now:
        raise StoreError("stale_fence", f"the current lease of run {lease.key.run_id!r} was wanted, found another")


def heartbeat(tx: Transaction, lease: RunLease, lease_seconds: float) -> HeartbeatReply:
    """Renew a lease; tell its owner of the session's fence and of what waits for the run."""
    check_lease(tx, lease)
    key = lease.key
    session = find_session(tx, key.namespace_id, key.session_id)
    if session is None:
        raise not_found(key.session_id)
    renewed = replace(lease, expires_at=lease_end(tx, lease_seconds))
    write_lease(tx, renewed)
    rows = tx.execute(
        "SELECT intent_id FROM control_intents WHERE namespace_id = ? AND session_id = ? AND run_id = ? "
        "AND status = 'pending' ORDER BY created_at, intent_id",
        (key.namespace_id, key.session_id, key.run_id),
    )
    return HeartbeatReply(lease=renewed, fence=session.fence, pending_intents=tuple(row[0] for row in rows))


def transition_run(tx: Transaction, lease: RunLease, status: RunStatus) -> Run:
    """Move an active run to another active status."""
    if status not in ACTIVE_RUN_STATUSES:
        raise StoreError("invalid", f"an active status was wanted, found {status!r}", hint="finalise the run")
    stored = _run(tx, lease.key)
    if stored.run.status in TERMINAL_RUN_STATUSES:
        raise _ended(stored.run)
    check_lease(tx, lease)
    started = tx.now if stored.run.started_at is None and status != "queued" else stored.run.started_at
    return _change(tx, stored, replace(stored.run, status=status, started_at=started))


def save_checkpoint(tx: Transaction, lease: RunLease, checkpoint: Checkpoint) -> None:
    """Replace the run's checkpoint."""
    key = lease.key
    stored = _run(tx, key)
    if stored.run.status in TERMINAL_RUN_STATUSES:
        raise _ended(stored.run)
    check_lease(tx, lease)
    tx.execute(
        "INSERT OR REPLACE INTO checkpoints VALUES (?, ?, ?, ?, ?, ?)",
        (key.namespace_id, key.session_id, key.run_id, checkpoint.format, checkpoint.version, checkpoint.data),
    )


def finalise_run(tx: Transaction, lease: RunLease, outcome: RunOutcome) -> Run:
    """End a run and release its lease; the same outcome again changes nothing."""
    _check_outcome(outcome)
    stored = _run(tx, lease.key)
    preview = outcome.output_preview and outcome.output_preview[:OUTPUT_PREVIEW_MAX]
    run = stored.run
    if run.status in TERMINAL_RUN_STATUSES:
        if (run.status, run.output_preview, run.terminal_error) == (outcome.status, preview, outcome.error):
            return run
        raise _ended(run)
    check_lease(tx, lease)
    return _end(tx, stored, replace(run, status=outcome.status, output_preview=preview, terminal_error=outcome.error))


def reconcile_expired(tx: Transaction, namespace_id: str, limit: int) -> tuple[Run, ...]:
    """Cancel the runs whose leases have expired, longest expired first."""
    rows = tx.execute(
        f"SELECT {_LEASE_COLUMNS} FROM leases WHERE namespace_id = ? AND expires_at <= ? ORDER BY expires_at LIMIT ?",
        (namespace_id, tx.now, limit),
    ).fetchall()
    return tuple(run for row in rows if (run := _cancel_readable(tx, _lease(row))) is not None)


def reconcile_session(tx: Transaction, namespace_id: str, session_id: str) -> None:
    """Cancel the session's run if its lease has expired."""
    held = find_lease(tx, namespace_id, session_id)
    if held is not None and held.expires_at <= tx.now:
        _cancel_expired(tx, held)


def _cancel_readable(tx: Transaction, lease: RunLease) -> Run | None:
    """Cancel a run; one that is damaged stays, for its own session to report, and nobody else waits for it."""
    try:
        return _cancel_expired(tx, lease)
    except StoreError as error:
        if error.code != "corrupt":
            raise
        return None


def _cancel_expired(tx: Transaction, lease: RunLease) -> Run:
    stored = _run(tx, lease.key)
    return _end(tx, stored, replace(stored.run, status="cancelled", terminal_error=EXPIRED))


def _end(tx: Transaction, stored: StoredRun, run: Run) -> Run:
    key = (run.namespace_id, run.session_id)
    tx.execute("DELETE FROM leases WHERE namespace_id = ? AND session_id = ? AND run_id = ?", (*key, run.run_id))
    tx.execute(
        "UPDATE control_intents SET status = 'reconciled' WHERE namespace_id = ? AND session_id = ? AND run_id = ? "
        "AND status IN ('pending', 'delivered')",
        (*key, run.run_id),
    )
    tx.execute(
        "UPDATE sessions SET active_run_id = NULL WHERE namespace_id = ? AND session_id = ? AND active_run_id = ?",
        (*key, run.run_id),
    )
    return _change(tx, stored, replace(run, ended_at=tx.now))


def _change(tx: Transaction, stored: StoredRun, run: Run) -> Run:
    """Write a run of a live owner, its documents, and the session's activity."""
    changed = replace(run, revision=run.revision + 1, updated_at=tx.now)
    after = StoredRun(changed, stored.identities)
    write_run(tx, after)
    position = feed.touch(tx, run.namespace_id, run.session_id)
    document_change([(stored, after)]).apply(tx, run.namespace_id, run.session_id, position)
    move_activity(tx, run.namespace_id, run.session_id)
    return changed


def move_activity(tx: Transaction, namespace_id: str, session_id: str) -> None:
    """Say that a session was active now."""
    tx.execute(
        "UPDATE sessions SET activity_revision = activity_revision + 1, updated_at = max(updated_at, ?) "
        "WHERE namespace_id = ? AND session_id = ?",
        (tx.now, namespace_id, session_id),
    )


def _check_outcome(outcome: RunOutcome) -> None:
    if outcome.status == "failed" and outcome.error is None:
        raise StoreError("invalid", "an error was wanted for a failed run, found none")
    if outcome.status == "completed" and outcome.error is not None:
        raise StoreError("invalid", f"no error was wanted for a completed run, found {outcome.error.code!r}")


def _run(tx: Transaction, key: RunKey) -> StoredRun:
    found = find_run(tx, key)
    if found is None:
        raise run_not_found(key)
    return found


def _ended(run: Run) -> StoreError:
    return StoreError("terminal", f"an active run was wanted, found {run.run_id!r} {run.status}")


def _lease(row: tuple[Any, ...]) -> RunLease:
    return RunLease(
        key=RunKey(namespace_id=row[0], session_id=row[1], run_id=row[2]),
        admission_id=row[3],
        host_instance_id=row[4],
        fencing_generation=row[5],
        expires_at=row[6],
    )


def _owner(lease: RunLease) -> tuple[RunKey, str, str, int]:
    return (lease.key, lease.admission_id, lease.host_instance_id, lease.fencing_generation)


__all__ = [
    "EXPIRED",
    "check_lease",
    "finalise_run",
    "find_lease",
    "heartbeat",
    "lease_end",
    "move_activity",
    "reconcile_expired",
    "reconcile_session",
    "save_checkpoint",
    "transition_run",
    "write_lease",
]
