"""The control group of a store: commands and their receipts, intents, approvals, quotas and audit.

Provisional until a store implements it. Values and Protocols show their final place in the transaction domain; the
session operations that take a command are in `contract.controlled`, background subagents in `contract.subagents`.

A receipt is written in the transaction of its effect. The same key and fingerprint give the stored receipt, also after
the world moved on; the same key with another fingerprint is `idempotency_conflict` and changes nothing. Everything that
belongs to a run is addressed by namespace, session, run and id, so that one session's control lives in one place; all
operations take a scope and apply it inside, and a target outside it, or of another namespace, is `not_found`.
Times are the store's clock, UTC microseconds. All raise StoreError.
"""

from __future__ import annotations

from typing import Literal, Protocol, runtime_checkable

from .records import AccessScope, RunKey, SessionKey
from .values import Value

CommandFamily = Literal["session", "run", "control", "approval", "attempt"]
"""Commands that share a space of keys: edits of sessions, run starts, steers and interrupts, decisions, attempts."""
IntentKind = Literal["steer", "interrupt"]
IntentStatus = Literal["pending", "delivered", "consumed", "reconciled"]
ApprovalStatus = Literal["pending", "approved", "denied", "expired", "cancelled", "consumed"]
ReceiptPhase = Literal["done", "deleting", "deleted"]


class ControlId(Value, frozen=True, kw_only=True, order=True):
    """The identity of something that belongs to a run: an intent, an approval, an attempt."""

    run: RunKey
    id: str


class IdempotencyKey(Value, frozen=True, kw_only=True):
    """Scope and name of a retried command, and the fingerprint of its arguments.

    Unique by (namespace of `target`, `authority`, `family`, `key`). The receipt is kept with its target session. A
    command that creates a session makes its id of namespace, authority and key, so that a retry finds the same session.
    """

    target: SessionKey
    authority: str
    family: CommandFamily
    key: str
    fingerprint: str


class AuditRow(Value, frozen=True, kw_only=True):
    """Who did what to which session under which policy. Never prompts, steering text, metadata or secrets.

    `outcome` is `done`, `replayed`, or the code of the refusal. The `controller_…` fields are empty for a person.
    """

    time: int
    namespace_id: str
    actor: str
    source_product: str
    operation: str
    session_id: str | None = None
    run_id: str | None = None
    controller_session_id: str | None = None
    controller_run_id: str | None = None
    controller_agent_id: str | None = None
    tool_call_id: str | None = None
    command_fingerprint: str | None = None
    policy_fingerprint: str | None = None
    approval_id: str | None = None
    receipt_id: str | None = None
    outcome: str
    trace_id: str | None = None


class CommandRecord(Value, frozen=True, kw_only=True):
    """What goes into the transaction of an effect beside the effect: key, audit row, and the approval it uses up.

    The store completes the audit row's time, outcome and receipt id. An approval that does not fit is refused as
    `consume_approval` has it, with nothing written.
    """

    key: IdempotencyKey
    receipt_id: str
    audit: AuditRow
    approval: ControlId | None = None
    arguments_digest: str | None = None


class Receipt(Value, frozen=True, kw_only=True):
    """What a command did. `body` is the encoded result; `phase` tells a resumable effect from a finished one."""

    key: IdempotencyKey
    receipt_id: str
    phase: ReceiptPhase = "done"
    body: bytes
    created_at: int
    idempotent_replay: bool = False


class ControlIntent(Value, frozen=True, kw_only=True):
    """A steer or interrupt for the owner of a run. Status only moves forward; `reconciled` is the end of all others.

    `sent_by` says who, shown to the steered model with the text. `operation_id` is the caller's name of it.
    """

    intent: ControlId
    kind: IntentKind
    operation_id: str
    text: str | None = None
    reason: str | None = None
    sent_by: str
    fencing_generation: int
    status: IntentStatus = "pending"
    created_at: int
    updated_at: int


class IntentQuery(Value, frozen=True, kw_only=True):
    """Intents of one run, oldest first. `after` is (`created_at`, id) of the last one seen."""

    statuses: tuple[IntentStatus, ...] = ()
    limit: int = 50
    after: tuple[int, str] | None = None


class IntentPage(Value, frozen=True, kw_only=True):
    """Intents and where to go on; None on the last page."""

    intents: tuple[ControlIntent, ...]
    after: tuple[int, str] | None = None


class Approval(Value, frozen=True, kw_only=True):
    """A single-use human decision, bound to tool, arguments, run and caller.

    `summary` is what a person is shown: safe, one line. `revision` grows with each change of status.
    """

    approval: ControlId
    tool: str
    tool_call_id: str
    arguments_digest: str
    caller: str
    summary: str
    status: ApprovalStatus = "pending"
    decided_by: str | None = None
    revision: int = 1
    created_at: int
    expires_at: int


class ApprovalQuery(Value, frozen=True, kw_only=True):
    """Approvals of the scope, oldest first; those of one session or run where named."""

    session_id: str | None = None
    run_id: str | None = None
    statuses: tuple[ApprovalStatus, ...] = ("pending",)
    limit: int = 50
    after: tuple[int, str] | None = None


class ApprovalPage(Value, frozen=True, kw_only=True):
    """Approvals and where to go on; None on the last page."""

    approvals: tuple[Approval, ...]
    after: tuple[int, str] | None = None


class RunQuota(Value, frozen=True, kw_only=True):
    """Bounds on runs that agents start; None leaves one out. Checked in the transaction of the admission.

    `max_active` counts active managed runs of the authority, `max_starts` what one run has started, `max_depth` the
    length of the chain of causes that ends at the new run.
    """

    max_active: int | None = None
    max_starts: int | None = None
    max_depth: int | None = None


class QuotaUsage(Value, frozen=True, kw_only=True):
    """How much of a quota is used, counted as `RunQuota` has it."""

    active: int
    starts: int
    depth: int


class AuditQuery(Value, frozen=True, kw_only=True):
    """Audit rows of the scope, newest first. `after` is the opaque place of the last page."""

    session_id: str | None = None
    actor: str | None = None
    operations: tuple[str, ...] = ()
    since: int | None = None
    until: int | None = None
    limit: int = 50
    after: str | None = None


class AuditPage(Value, frozen=True, kw_only=True):
    """Audit rows and where to go on; None on the last page."""

    rows: tuple[AuditRow, ...]
    after: str | None = None


@runtime_checkable
class RunIntents(Protocol):
    """Steering and interrupting, durable: the heartbeat of a run's owner names what is pending."""

    async def submit_intent(self, scope: AccessScope, intent: ControlIntent, command: CommandRecord) -> Receipt:
        """Store an intent for the run that its generation owns now, and its receipt.

        `terminal` for a run that has ended, `stale_fence` for one whose lease is another or has expired. `full` is not
        among the answers: a bounded queue is the coordinator's.
        """
        ...

    async def get_intent(self, scope: AccessScope, intent: ControlId) -> ControlIntent:
        """Read one intent."""
        ...

    async def list_intents(self, scope: AccessScope, run: RunKey, query: IntentQuery) -> IntentPage:
        """Intents of one run."""
        ...

    async def advance_intent(self, scope: AccessScope, intent: ControlId, status: IntentStatus) -> ControlIntent:
        """Move an intent forward; the same status again is no change, a step back is `conflict`.

        The end of a run reconciles what was not consumed, in the same transaction.
        """
        ...


@runtime_checkable
class Approvals(Protocol):
    """Decisions that people take for one call of one tool."""

    async def request_approval(self, scope: AccessScope, approval: Approval) -> Approval:
        """Record a pending approval; the same one again is the same, another under its id is `conflict`."""
        ...

    async def get_approval(self, scope: AccessScope, approval: ControlId) -> Approval:
        """Read one approval; a pending one past its time reads as `expired`."""
        ...

    async def list_approvals(self, scope: AccessScope, query: ApprovalQuery) -> ApprovalPage:
        """Approvals, oldest first."""
        ...

    async def decide_approval(
        self, scope: AccessScope, approval: ControlId, *, approve: bool, expected_revision: int, command: CommandRecord
    ) -> Approval:
        """Decide once, with receipt and audit. `conflict` when it is decided or expired, or at another revision."""
        ...

    async def consume_approval(
        self, scope: AccessScope, approval: ControlId, *, arguments_digest: str, caller: str
    ) -> Approval:
        """Use an approved decision for exactly what it was given for; a second use, or another call, is `conflict`.

        An effect of the store names the approval in its command instead, and uses it up in its own transaction.
        """
        ...


@runtime_checkable
class ControlLedger(Protocol):
    """Receipts, audit and quotas: what is left of commands."""

    async def receipt(self, scope: AccessScope, key: IdempotencyKey) -> Receipt | None:
        """The stored receipt; `idempotency_conflict` when the fingerprint is another. Asked before anything else."""
        ...

    async def write_audit(self, scope: AccessScope, row: AuditRow) -> None:
        """Record a command without effect: a refusal, or a replay. Effects bring their row in their command."""
        ...

    async def read_audit(self, scope: AccessScope, query: AuditQuery) -> AuditPage:
        """Audit rows, newest first."""
        ...

    async def quota_usage(self, scope: AccessScope, authority: str, run: RunKey | None) -> QuotaUsage:
        """What an authority, and the run that acts for it, has used."""
        ...


@runtime_checkable
class SessionControl(RunIntents, Approvals, ControlLedger, Protocol):
    """Control that stands beside sessions and runs, in the transaction domain of their store."""


__all__ = [
    "Approval",
    "ApprovalPage",
    "ApprovalQuery",
    "ApprovalStatus",
    "Approvals",
    "AuditPage",
    "AuditQuery",
    "AuditRow",
    "CommandFamily",
    "CommandRecord",
    "ControlId",
    "ControlIntent",
    "ControlLedger",
    "IdempotencyKey",
    "IntentKind",
    "IntentPage",
    "IntentQuery",
    "IntentStatus",
    "QuotaUsage",
    "Receipt",
    "ReceiptPhase",
    "RunIntents",
    "RunQuota",
    "SessionControl",
]
