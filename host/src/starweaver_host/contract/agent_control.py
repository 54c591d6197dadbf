"""What an agent may do to sessions, through a handle that holds its authority inside.

Provisional until the agent tools are complete. A command is what the model says; `ToolCallContext` is what the host
knows of the call, and no argument of a tool. A command's fingerprint is the SHA-256 of its canonical JSON without the
key, and its key is scoped by the handle's authority: two agents may use the same one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, Protocol, runtime_checkable

import msgspec

from .agents import SessionView
from .records import RunKey, RunStatus
from .values import Input, Value

RUN_TEXT_MAX_BYTES = 65_536
STEERING_TEXT_MAX_BYTES = 16_384

Key = Annotated[str, msgspec.Meta(min_length=1, max_length=128)]
InterruptReason = Literal["user_request", "superseded", "timeout", "policy", "other"]


class ToolCallContext(Value, frozen=True, kw_only=True):
    """The call as the host knows it: which tool call of which agent, its approval, its trace.

    `arguments_digest` is the hex SHA-256 of the arguments as the model gave them, which an approval is bound to. The
    `approval_id` comes from the host, after a person decided; a model cannot give one.
    """

    tool: str
    tool_call_id: str
    arguments_digest: str
    agent_id: str | None = None
    approval_id: str | None = None
    trace_id: str | None = None


class CreateSession(Input, frozen=True, kw_only=True):
    """Create a session. `workspace` is one the grant allows, `metadata` keys are those the product allows."""

    title: str | None = None
    profile: str | None = None
    workspace: str | None = None
    metadata: Mapping[str, str] = msgspec.field(default_factory=dict)
    idempotency_key: Key


class UpdateSession(Input, frozen=True, kw_only=True):
    """Edit a session. None leaves a field alone; `clear_…` empties it and wins; a None metadata value removes the key.

    `archived` True archives, False makes it active again.
    """

    session_id: str
    expected_revision: int
    title: str | None = None
    clear_title: bool = False
    profile: str | None = None
    clear_profile: bool = False
    archived: bool | None = None
    metadata: Mapping[str, str | None] = msgspec.field(default_factory=dict)
    idempotency_key: Key


class DeleteSession(Input, frozen=True, kw_only=True):
    """Delete a session: a tombstone, whose evidence is kept."""

    session_id: str
    expected_revision: int
    idempotency_key: Key


class StartSessionRun(Input, frozen=True, kw_only=True):
    """Start a run with a text that is not blank, at most RUN_TEXT_MAX_BYTES of UTF-8.

    Without a profile it is the session's. `environment_refs` name environments that the grant allows.
    """

    session_id: str
    text: str
    profile: str | None = None
    environment_refs: tuple[str, ...] = ()
    idempotency_key: Key


class SteerSessionRun(Input, frozen=True, kw_only=True):
    """Send a text that is not blank to a run, at most STEERING_TEXT_MAX_BYTES of UTF-8.

    Without a key, `steering_id` is the key.
    """

    session_id: str
    run_id: str
    steering_id: Key
    text: str
    idempotency_key: Key | None = None


class InterruptSessionRun(Input, frozen=True, kw_only=True):
    """Ask a run to stop. Without a key, `operation_id` is the key."""

    session_id: str
    run_id: str
    operation_id: Key
    reason_category: InterruptReason | None = None
    idempotency_key: Key | None = None


class ControlReceipt(Value, frozen=True, kw_only=True):
    """What every control operation answers; the same key gives the same receipt, `created_at` included.

    `accepted` says that it was queued, signalled or done, as the operation has it; a steer that was accepted need not
    have been read. `idempotent_replay` says that it had been done before, and nothing was done now.
    """

    receipt_id: str
    operation_id: str
    accepted: bool
    created_at: int
    idempotent_replay: bool = False
    policy_fingerprint: str


class SessionReceipt(ControlReceipt, frozen=True, kw_only=True):
    """A session was created, edited or deleted; `session` is as the operation left it.

    `phase` is `deleting` while owned work has not ended: the same key again goes on, until it is `deleted`.
    """

    session: SessionView
    phase: Literal["done", "deleting", "deleted"] = "done"


class RunStartReceipt(ControlReceipt, frozen=True, kw_only=True):
    """A run was admitted. `replay_cursor` is the token with which a replay of it begins."""

    target: RunKey
    status: RunStatus
    fencing_generation: int
    replay_cursor: str | None = None


class RunControlReceipt(ControlReceipt, frozen=True, kw_only=True):
    """A steer or interrupt was recorded for the owner that has this generation."""

    target: RunKey
    fencing_generation: int


@runtime_checkable
class AgentSessionControlHandle(Protocol):
    """Idempotent, revision-checked, fenced, audited control under one scope. Raises AgentSessionError.

    Checked in this order: arguments (`invalid_command`), scope and grant (`permission_denied`, `not_found`), a stored
    receipt (replay or `idempotency_conflict`), then the state. The own run is never a target, the own session only with
    `allow_self_control`, and never of `delete_session`. Runs it starts record this run as their cause and get no
    control of their own unless their profile grants it.
    """

    async def create_session(self, command: CreateSession, call: ToolCallContext) -> SessionReceipt:
        """Create a session of the scope's owner."""
        ...

    async def update_session(self, command: UpdateSession, call: ToolCallContext) -> SessionReceipt:
        """Edit a session; `conflict` with `current_revision`. A run in progress is no obstacle."""
        ...

    async def delete_session(self, command: DeleteSession, call: ToolCallContext) -> SessionReceipt:
        """Fence, quiesce, tombstone. `approval_required` until a person decided, unless policy says otherwise."""
        ...

    async def start_session_run(self, command: StartSessionRun, call: ToolCallContext) -> RunStartReceipt:
        """Start a run and return once it is admitted. `run_conflict`, `conflict` (fenced), `quota_exceeded`."""
        ...

    async def steer_session_run(self, command: SteerSessionRun, call: ToolCallContext) -> RunControlReceipt:
        """Send text to a run; it says who sent it.

        `terminal` for a run that has ended, `not_active` for one that does not take steering, `stale_active` for one
        whose owner is gone, `unavailable` when its queue is full.
        """
        ...

    async def interrupt_session_run(self, command: InterruptSessionRun, call: ToolCallContext) -> RunControlReceipt:
        """Ask a run to stop at its next boundary; refusals as for steering. A waiting run is cancelled."""
        ...


__all__ = [
    "RUN_TEXT_MAX_BYTES",
    "STEERING_TEXT_MAX_BYTES",
    "AgentSessionControlHandle",
    "ControlReceipt",
    "CreateSession",
    "DeleteSession",
    "InterruptReason",
    "InterruptSessionRun",
    "Key",
    "RunControlReceipt",
    "RunStartReceipt",
    "SessionReceipt",
    "StartSessionRun",
    "SteerSessionRun",
    "ToolCallContext",
    "UpdateSession",
]
