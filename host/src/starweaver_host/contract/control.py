"""The control group of a store: receipts, intents, approvals, audit and subagent attempts.

Provisional until the agent-control issue's operations are complete in a store; values and Protocol show their final
place in the transaction domain. Rules: a receipt is written in the transaction of its effect; the same key and
fingerprint replay it, another fingerprint is `idempotency_conflict`; keys are scoped by (namespace, authority, family).
"""

from __future__ import annotations

from typing import Literal, Protocol

from .records import RunKey
from .values import Value

IntentStatus = Literal["pending", "delivered", "consumed", "reconciled"]
ApprovalStatus = Literal["pending", "approved", "denied", "expired", "consumed"]
AttemptStatus = Literal["accepted", "starting", "running", "waiting", "completed", "failed", "cancelled"]
DeliveryStatus = Literal["undelivered", "claimed", "delivered"]


class IdempotencyKey(Value, frozen=True, kw_only=True):
    """Scope and name of a retried command, with the fingerprint of its arguments."""

    namespace_id: str
    authority: str
    family: str
    key: str
    fingerprint: str


class Receipt(Value, frozen=True, kw_only=True):
    """What a command did. `body` is the encoded result; `phase` tells a resumable effect from a finished one."""

    key: IdempotencyKey
    receipt_id: str
    phase: Literal["deleting", "deleted", "done"] = "done"
    body: bytes
    created_at: int


class ControlIntent(Value, frozen=True, kw_only=True):
    """A steer or interrupt for the owner of a run. Status only moves forward."""

    intent_id: str
    target: RunKey
    kind: Literal["steer", "interrupt"]
    text: str | None = None
    sent_by: str
    fencing_generation: int
    status: IntentStatus = "pending"
    created_at: int


class Approval(Value, frozen=True, kw_only=True):
    """A single-use human decision, bound to tool, arguments, run and caller."""

    approval_id: str
    tool: str
    arguments_digest: str
    run: RunKey
    caller: str
    status: ApprovalStatus = "pending"
    decided_by: str | None = None
    expires_at: int


class AuditRow(Value, frozen=True, kw_only=True):
    """Who did what to which session under which policy."""

    time: int
    namespace_id: str
    actor: str
    operation: str
    session_id: str | None = None
    run_id: str | None = None
    outcome: str
    policy_fingerprint: str | None = None


class SubagentAttempt(Value, frozen=True, kw_only=True):
    """A background attempt and the delivery of its result to exactly one continuation run."""

    attempt_id: str
    parent: RunKey
    agent_id: str
    status: AttemptStatus = "accepted"
    delivery: DeliveryStatus = "undelivered"
    result_digest: str | None = None
    continuation_run_id: str | None = None
    updated_at: int


class SessionControl(Protocol):
    """Control operations of a store; completed together with the run coordinator."""

    async def receipt(self, key: IdempotencyKey) -> Receipt | None:
        """The stored receipt; StoreError `idempotency_conflict` when the fingerprint is another."""
        ...

    async def submit_intent(self, intent: ControlIntent, key: IdempotencyKey) -> Receipt:
        """Store an intent for a live, fenced run; `stale_fence`, `terminal` or `not_found` otherwise."""
        ...

    async def advance_intent(self, intent_id: str, status: IntentStatus) -> ControlIntent:
        """Move an intent forward; a step back is `conflict`."""
        ...

    async def request_approval(self, approval: Approval) -> Approval:
        """Record a pending approval."""
        ...

    async def decide_approval(self, approval_id: str, *, approve: bool, decided_by: str) -> Approval:
        """Decide once; a second decision is `conflict`."""
        ...

    async def consume_approval(self, approval_id: str, *, arguments_digest: str, caller: str) -> Approval:
        """Use an approved decision for exactly what it was given for."""
        ...

    async def accept_attempt(self, attempt: SubagentAttempt) -> SubagentAttempt:
        """Accept a background attempt; `conflict` while the parent is fenced or the agent has an open attempt."""
        ...

    async def finish_attempt(self, attempt_id: str, status: AttemptStatus, *, result: bytes) -> SubagentAttempt:
        """Commit a terminal result once; an exact repeat is idempotent."""
        ...


__all__ = [
    "Approval",
    "ApprovalStatus",
    "AttemptStatus",
    "AuditRow",
    "ControlIntent",
    "DeliveryStatus",
    "IdempotencyKey",
    "IntentStatus",
    "Receipt",
    "SessionControl",
    "SubagentAttempt",
]
