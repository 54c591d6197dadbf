"""Admission and ownership of runs: what starting one takes, the lease that owns it, and how it ended.

The operations are those of `contract.store.RunRegister`, where these names can be imported from as well.
"""

from __future__ import annotations

from typing import Literal

from .records import Cause, DeletionFence, InputPart, Run, RunKey, RunTrigger, TerminalError
from .values import Value


class RunAdmission(Value, frozen=True, kw_only=True):
    """A request to start a run. `admission_id` and `host_instance_id` name the owner; `lease_seconds` bounds it.

    `idempotency_key` with the same `command_fingerprint` replays the stored admission.
    """

    key: RunKey
    admission_id: str
    host_instance_id: str
    lease_seconds: float = 30.0
    input: tuple[InputPart, ...] = ()
    trigger: RunTrigger = "user"
    profile: str | None = None
    parent_run_id: str | None = None
    caused_by: Cause | None = None
    authority: str = "local"
    idempotency_key: str | None = None
    command_fingerprint: str | None = None

    def queued_run(self, sequence_no: int, now: int) -> Run:
        """The run that this admission makes; `now` is the store's clock, UTC microseconds."""
        return Run(
            namespace_id=self.key.namespace_id,
            session_id=self.key.session_id,
            run_id=self.key.run_id,
            sequence_no=sequence_no,
            status="queued",
            trigger=self.trigger,
            input=self.input,
            profile=self.profile,
            parent_run_id=self.parent_run_id,
            caused_by=self.caused_by,
            created_at=now,
            updated_at=now,
        )


class RunLease(Value, frozen=True, kw_only=True):
    """Ownership of a running run. Every write of the owner names it; a stale one is `stale_fence`.

    Times are the store's clock, UTC microseconds.
    """

    key: RunKey
    admission_id: str
    host_instance_id: str
    fencing_generation: int
    expires_at: int


class AdmittedRun(Value, frozen=True, kw_only=True):
    """An admission: the queued run and its lease. `idempotent_replay` when it had been admitted before."""

    run: Run
    lease: RunLease
    idempotent_replay: bool = False


class HeartbeatReply(Value, frozen=True, kw_only=True):
    """A renewed lease, the session's fence, and the control intents waiting for the run's owner."""

    lease: RunLease
    fence: DeletionFence
    pending_intents: tuple[str, ...] = ()


class RunOutcome(Value, frozen=True, kw_only=True):
    """How a run ended. `failed` needs an error, `completed` must have none."""

    status: Literal["completed", "failed", "cancelled"]
    output_preview: str | None = None
    error: TerminalError | None = None


__all__ = ["AdmittedRun", "HeartbeatReply", "RunAdmission", "RunLease", "RunOutcome"]
