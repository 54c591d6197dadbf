"""Sessions and runs under control: the operations of a store that take a command, and waiting runs.

Provisional until a store implements it. `SessionStore` holds what a host does on its own account, and takes no command;
these are the same effects done for somebody, with the receipt, the audit row, the quota and the approval in the same
transaction. A store offers both or the plain ones alone; nothing wraps one into the other, because a receipt written
after its effect can be lost.
"""

from __future__ import annotations

from typing import Generic, Protocol, TypeVar, runtime_checkable

from .admission import AdmittedRun, RunAdmission, RunLease
from .control import CommandRecord, Receipt, RunQuota
from .records import AccessScope, Checkpoint, Run, RunKey, Session, SessionChange, SessionDraft
from .values import Value

T = TypeVar("T")


class CommandResult(Value, Generic[T], frozen=True, kw_only=True):
    """An effect and its receipt. A replay gives the result of the first time, which may not be the present state."""

    result: T
    receipt: Receipt
    idempotent_replay: bool = False


@runtime_checkable
class ControlledCatalog(Protocol):
    """Sessions and admissions with receipts.

    The order inside is: receipt by key (replay or `idempotency_conflict`), target and scope, status and fence,
    `expected_revision`, quota, approval, effect, receipt and audit. Errors are those of the plain operation, and
    `quota_exceeded`. `admit_run` is scoped here, unlike the host's own: it acts for a caller.
    """

    async def create_session(
        self, scope: AccessScope, draft: SessionDraft, command: CommandRecord
    ) -> CommandResult[Session]:
        """Create a session; `not_found` for a draft of another namespace or owner than the scope's."""
        ...

    async def update_session(
        self,
        scope: AccessScope,
        session_id: str,
        change: SessionChange,
        *,
        expected_revision: int,
        command: CommandRecord,
    ) -> CommandResult[Session]:
        """Edit a session."""
        ...

    async def acquire_fence(
        self,
        scope: AccessScope,
        session_id: str,
        *,
        fence_id: str,
        requested_by: str,
        expected_revision: int,
        command: CommandRecord,
    ) -> CommandResult[Session]:
        """Begin a deletion; its receipt has the phase `deleting`, and the same key resumes it."""
        ...

    async def release_fence(
        self, scope: AccessScope, session_id: str, *, fence_id: str, command: CommandRecord
    ) -> CommandResult[Session]:
        """Give up a deletion; the receipt of its beginning goes with it, so that its key begins anew."""
        ...

    async def tombstone_session(
        self, scope: AccessScope, session_id: str, *, fence_id: str, command: CommandRecord
    ) -> CommandResult[Session]:
        """Complete a deletion; moves the receipt of its beginning to `deleted`, which the same key then replays."""
        ...

    async def admit_run(
        self, scope: AccessScope, admission: RunAdmission, *, command: CommandRecord, quota: RunQuota | None = None
    ) -> CommandResult[AdmittedRun]:
        """Admit a run. The command's key is used; the admission's `idempotency_key` stays None."""
        ...


@runtime_checkable
class WaitingRuns(Protocol):
    """Runs that wait for a decision without an owner: they survive their host and no lease expires over them.

    A parked run is `waiting`, keeps the session's active slot, and is left alone by reconciliation.
    """

    async def park_run(self, lease: RunLease, checkpoint: Checkpoint) -> Run:
        """Save the checkpoint, make the run `waiting` and give up its lease, in one transaction."""
        ...

    async def resume_run(
        self, scope: AccessScope, run: RunKey, *, admission: RunAdmission, command: CommandRecord
    ) -> CommandResult[AdmittedRun]:
        """Own a parked run again under a new generation; its input and sequence stay, the admission's are not used.

        `conflict` while an approval of the run is pending, or when the session is fenced; `run_conflict` when somebody
        owns it; `terminal` when it has ended.
        """
        ...

    async def cancel_waiting(
        self, scope: AccessScope, run: RunKey, *, reason: str, command: CommandRecord
    ) -> CommandResult[Run]:
        """End a parked run as `cancelled`; its pending approvals are cancelled and its intents reconciled with it."""
        ...


__all__ = ["CommandResult", "ControlledCatalog", "WaitingRuns"]
