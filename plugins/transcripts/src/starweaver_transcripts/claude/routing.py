"""Which session a row belongs to: the file's own, or a subagent whose rows were written between.

Older versions wrote subagents inline as side chains. Each becomes a session of its own, named by its agent id or, in
the oldest files, by the row it began with.
"""

from __future__ import annotations

from .branches import row_hash
from .roots import FileIdentity
from .rows import Link, Row
from .session import SessionWriter
from .state import SessionState


class Sessions:
    """The sessions of one file, the main one first."""

    def __init__(self, identity: FileIdentity, states: list[SessionState], *, tool_result_max_bytes: int) -> None:
        self._identity = identity
        self._max_bytes = tool_result_max_bytes
        self._sides: dict[str, SessionWriter] = {}
        states = states or [SessionState(native_id=identity.native_id, parent_id=identity.parent_id)]
        self.main = self._writer(states[0], is_subagent=identity.is_subagent)
        for state in states[1:]:
            self._sides[state.native_id] = self._writer(state, is_subagent=True)

    def all(self) -> list[SessionWriter]:
        """Every session, the main one first."""
        return [self.main, *self._sides.values()]

    def of(self, row: Row | Link) -> SessionWriter:
        """The session of a row; a new one where a side chain begins."""
        if isinstance(row, Link) or self._identity.is_subagent or not row.is_sidechain:
            return self.main
        if row.agent_id:
            return self._side(f"agent-{row.agent_id}", row)
        if row.parent_uuid is not None:
            return self._holding(row_hash(row.parent_uuid))
        return self._side(f"{self._identity.native_id}/{row.uuid}", row) if row.uuid else self.main

    def learn_parent(self, row: Row) -> None:
        """A subagent's file whose path does not name its parent learns it from its rows."""
        state = self.main.state
        if self._identity.is_subagent and state.parent_id is None and row.session_id not in (None, state.native_id):
            state.parent_id = row.session_id

    def _side(self, native_id: str, row: Row) -> SessionWriter:
        # A stray system row opens no session: what is no conversation stays with the main one.
        if native_id not in self._sides and row.type not in ("user", "assistant"):
            return self.main
        if native_id not in self._sides:
            state = SessionState(native_id=native_id, parent_id=self._identity.native_id)
            self._sides[native_id] = self._writer(state, is_subagent=True)
        return self._sides[native_id]

    def _holding(self, parent: int) -> SessionWriter:
        for side in reversed(self._sides.values()):
            if parent in side.tree:
                return side
        return self.main

    def _writer(self, state: SessionState, *, is_subagent: bool) -> SessionWriter:
        return SessionWriter(state, tool_result_max_bytes=self._max_bytes, is_subagent=is_subagent)


__all__ = ["Sessions"]
