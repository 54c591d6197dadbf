"""Executing runs: what a coordinator asks of an executor and what the executor may do.

Provisional until the run coordinator is complete. An executor turns a run's input into events; it never touches
leases, fences or status, which are the coordinator's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from .admission import RunOutcome
from .control import Approval
from .events import Event, NewEvent
from .records import Checkpoint, InputPart, Run, Session
from .values import Value


class RunRequest(Value, frozen=True, kw_only=True):
    """One run to execute: the session, the queued run, its input, the current surface, and where it had stopped.

    A run that was parked comes back with its `checkpoint`, and with `decisions`, the approvals it had asked for.
    """

    session: Session
    run: Run
    input: tuple[InputPart, ...]
    surface: tuple[Event, ...] = ()
    checkpoint: Checkpoint | None = None
    decisions: tuple[Approval, ...] = ()


class Steering(Value, frozen=True, kw_only=True):
    """Text that entered while the run worked, when and by whom (UTC microseconds). Each is taken once."""

    intent_id: str
    text: str
    sent_by: str
    sent_at: int


class RunPort(Protocol):
    """What a running executor may do; each call is fenced by the coordinator."""

    async def append(self, events: Sequence[NewEvent]) -> None:
        """Append events to the session's log."""
        ...

    async def checkpoint(self, checkpoint: Checkpoint) -> None:
        """Save what a resume needs."""
        ...

    async def take_steering(self) -> tuple[Steering, ...]:
        """Steering that arrived since the last call; asked for at control boundaries."""
        ...

    async def request_approval(self, *, tool: str, tool_call_id: str, arguments_digest: str, summary: str) -> Approval:
        """Ask a person about one call; its status may be `pending`, and the run then parks by returning None."""
        ...

    def interrupted(self) -> bool:
        """Whether the run should stop at the next boundary."""
        ...


@runtime_checkable
class RunExecutor(Protocol):
    """Turns a request into events and an outcome."""

    async def execute(self, request: RunRequest, port: RunPort) -> RunOutcome | None:
        """Run to an end, or return None to park the run as `waiting` with its checkpoint saved."""
        ...


__all__ = [
    "RunExecutor",
    "RunPort",
    "RunRequest",
    "Steering",
]
