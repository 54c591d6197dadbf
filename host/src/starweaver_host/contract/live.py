"""Sessions that are running in this process, so that queries see what has not reached the store yet.

Provisional until the session-query service and the run coordinator are complete. The coordinator attaches a run's
session before its first append and detaches it when the run has ended; the session query prefers what it finds here.
Nothing here awaits: a snapshot is of one moment.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from .events import Event
from .records import AccessScope, SessionHeader
from .values import Value


class LiveSnapshot(Value, frozen=True, kw_only=True):
    """A running session at one moment: its whole log from seq 0, with what is not stored yet."""

    header: SessionHeader
    title: str | None = None
    incarnation: int = 0
    events: tuple[Event, ...]


@runtime_checkable
class LiveSession(Protocol):
    """A session that runs here."""

    @property
    def header(self) -> SessionHeader:
        """Its header, which never changes."""
        ...

    def snapshot(self) -> LiveSnapshot:
        """Its state now, detached. Cost is that of the log."""
        ...


@runtime_checkable
class LiveSessions(Protocol):
    """The registry of a process. The scope decides as in the store: what lies outside is absent."""

    def attach(self, session: LiveSession) -> Callable[[], None]:
        """Make a session visible; returns what detaches it, once. ValueError when its identity is attached already."""
        ...

    def get(self, scope: AccessScope, session_id: str) -> LiveSession | None:
        """The running session of this id."""
        ...

    def list(self, scope: AccessScope) -> tuple[LiveSession, ...]:
        """Running sessions, newest created first, ties by id."""
        ...


__all__ = ["LiveSession", "LiveSessions", "LiveSnapshot"]
