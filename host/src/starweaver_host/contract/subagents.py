"""Background subagents: attempts, their results, and the delivery of each result to exactly one continuation.

Provisional until a store implements it. An attempt belongs to the run that accepted it and outlives it. Its result is
delivered once: claimed, then linked to one new run (trigger `async_subagent_result`) in the transaction that admits
that run. The parent run, which has ended, is never changed. A fence on the parent's session refuses every write of an
attempt's owner but its end.
"""

from __future__ import annotations

from typing import Literal, Protocol, runtime_checkable

from .admission import AdmittedRun, RunAdmission
from .control import CommandRecord, ControlId, RunQuota
from .controlled import CommandResult
from .records import AccessScope
from .values import Value

AttemptStatus = Literal["accepted", "starting", "running", "waiting", "completed", "failed", "cancelled"]
DeliveryStatus = Literal["undelivered", "claimed", "delivered"]


class AttemptLease(Value, frozen=True, kw_only=True):
    """Ownership of an attempt, as `admission.RunLease` is of a run; a stale one is `stale_fence`."""

    attempt: ControlId
    host_instance_id: str
    fencing_generation: int
    expires_at: int


class AttemptResult(Value, frozen=True, kw_only=True):
    """What an attempt came to; `content` or an error, or neither. `digest` is the hex SHA-256 of the encoded outcome.

    `artifact_ref` names content that is too large to be kept in the row. Committed once and never changed.
    """

    content: str | None = None
    error: str | None = None
    artifact_ref: str | None = None
    digest: str
    size_bytes: int


class DeliveryClaim(Value, frozen=True, kw_only=True):
    """The right to deliver a result until `deadline`. A claim of a consumer that is gone is reconciled."""

    attempt: ControlId
    claim_id: str
    deadline: int


class SubagentAttempt(Value, frozen=True, kw_only=True):
    """A background attempt. The `run` of its identity is the parent; `child_run_id` is what it runs as, if anything.

    `suppressed_by_run_id` names a consumer that ended badly: the result is then not continued on its own again.
    """

    attempt: ControlId
    agent_id: str
    subagent_name: str
    profile: str | None = None
    child_run_id: str | None = None
    status: AttemptStatus = "accepted"
    failure_category: str | None = None
    result: AttemptResult | None = None
    delivery: DeliveryStatus = "undelivered"
    claim: DeliveryClaim | None = None
    continuation_run_id: str | None = None
    suppressed_by_run_id: str | None = None
    accepted_at: int
    updated_at: int
    ended_at: int | None = None


class AttemptQuery(Value, frozen=True, kw_only=True):
    """Attempts of a session, of one parent run where named, oldest first."""

    parent_run_id: str | None = None
    statuses: tuple[AttemptStatus, ...] = ()
    deliveries: tuple[DeliveryStatus, ...] = ()
    limit: int = 50
    after: tuple[int, str] | None = None


class AttemptPage(Value, frozen=True, kw_only=True):
    """Attempts and where to go on, (`accepted_at`, id); None on the last page."""

    attempts: tuple[SubagentAttempt, ...]
    after: tuple[int, str] | None = None


@runtime_checkable
class SubagentAttempts(Protocol):
    """Attempts in the transaction domain of their sessions. Raises StoreError."""

    async def accept_attempt(
        self, scope: AccessScope, attempt: SubagentAttempt, *, host_instance_id: str, lease_seconds: float = 30.0
    ) -> AttemptLease:
        """Accept an attempt and own it.

        `conflict` while the session is fenced, or when the agent has an attempt in it that has not ended;
        `already_exists` for an id that is taken.
        """
        ...

    async def heartbeat_attempt(self, lease: AttemptLease, *, lease_seconds: float = 30.0) -> AttemptLease:
        """Renew the lease."""
        ...

    async def advance_attempt(
        self, lease: AttemptLease, status: AttemptStatus, *, child_run_id: str | None = None
    ) -> SubagentAttempt:
        """Move to another status that is no end: accepted, starting, running, waiting and back to running."""
        ...

    async def finish_attempt(
        self, lease: AttemptLease, status: AttemptStatus, *, result: AttemptResult, failure_category: str | None = None
    ) -> SubagentAttempt:
        """Commit an end once. The exact same again is the same, even with an expired lease; another is `terminal`."""
        ...

    async def get_attempt(self, scope: AccessScope, attempt: ControlId) -> SubagentAttempt:
        """Read one attempt."""
        ...

    async def list_attempts(self, scope: AccessScope, session_id: str, query: AttemptQuery) -> AttemptPage:
        """Attempts of one session."""
        ...

    async def claim_delivery(
        self, scope: AccessScope, attempt: ControlId, *, claim_id: str, seconds: float
    ) -> DeliveryClaim:
        """Claim the result of an attempt that has ended; the same claim id again is the same claim.

        `conflict` when somebody else claims it, when it is delivered, or when it is suppressed.
        """
        ...

    async def release_claim(
        self, scope: AccessScope, claim: DeliveryClaim, *, ended_run_id: str | None = None
    ) -> SubagentAttempt:
        """Give a claim back; with `ended_run_id`, the consumer that ended badly, the result is suppressed."""
        ...

    async def admit_continuation(
        self,
        scope: AccessScope,
        claim: DeliveryClaim,
        admission: RunAdmission,
        *,
        input_digest: str,
        command: CommandRecord,
        quota: RunQuota | None = None,
    ) -> CommandResult[AdmittedRun]:
        """Deliver a result: admit one new run of the parent's session and mark the result delivered, or neither.

        The admission has the trigger `async_subagent_result` and the accepting run as parent. The store derives the
        input of the run from the stored result itself: `conflict` when its digest is not `input_digest`. `stale_fence`
        for a claim that is gone; the errors of `admit_run` besides. A second delivery cannot happen: the same command
        replays, any other is `conflict`.
        """
        ...

    async def reconcile_attempts(self, namespace_id: str, *, limit: int = 100) -> tuple[SubagentAttempt, ...]:
        """Settle what lost its owner, and return it. For the host alone, as `reconcile_expired` is.

        An attempt with an expired lease fails (`host_process_lost`). An expired claim is kept while its consumer runs;
        it is delivered when the consumer completed, suppressed when it failed or was cancelled, given back otherwise.
        """
        ...


__all__ = [
    "AttemptLease",
    "AttemptPage",
    "AttemptQuery",
    "AttemptResult",
    "AttemptStatus",
    "DeliveryClaim",
    "DeliveryStatus",
    "SubagentAttempt",
    "SubagentAttempts",
]
