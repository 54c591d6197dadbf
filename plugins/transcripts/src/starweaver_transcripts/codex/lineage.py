"""Telling a session's own records from those a fork or subagent repeats of its parent.

A forked rollout begins with its parent's records. They are dropped while the turns they belong to are found in the
parent's rollout; when the parent is not there, or names no turns, everything is kept and message identities tell.
"""

from __future__ import annotations

from collections.abc import Callable

from .state import Replay, RolloutState
from .uuids import made_at

FindTurns = Callable[[str], frozenset[str] | None]
"""The turn ids a session's rollout names, by the session's id; None when the rollout is not there."""


class ReplayGate:
    """Lets a rollout's own records through. The parent is read when a record cannot be told without it, once."""

    def __init__(self, state: RolloutState, find_turns: FindTurns) -> None:
        self._state = state
        self._find_turns = find_turns
        self._turns: frozenset[str] | None = None
        self._is_read = False

    def arm(self) -> None:
        """Start watching: the session was just found to have a parent."""
        self._state.replay = "undecided"

    def begin_copy(self) -> None:
        """Another session's first record: what follows is that session's."""
        if self._state.replay == "undecided" and self._parent_turns():
            self._state.replay = "dropping"

    def admits(self, turn_id: str | None, time: int | None) -> bool:
        """Whether a record of this turn and time (UTC microseconds) is the session's own."""
        if self._state.replay != "off" and turn_id is not None:
            self._state.replay = self._decided(turn_id)
        match self._state.replay:
            case "off":
                return True
            case "dropping":
                return False
        return not self._is_older(time) or self._parent_turns() is None

    def _decided(self, turn_id: str) -> Replay:
        made = made_at(turn_id)
        if made is not None and made >= self._created_at():
            return "off"
        turns = self._parent_turns()
        if not turns:
            return self._state.replay
        return "dropping" if turn_id in turns else "off"

    def _is_older(self, time: int | None) -> bool:
        return time is not None and time < self._created_at()

    def _created_at(self) -> int:
        return 0 if self._state.identity is None else self._state.identity.created_at

    def _parent_turns(self) -> frozenset[str] | None:
        parent = None if self._state.identity is None else self._state.identity.parent
        if not self._is_read and parent is not None:
            self._turns = self._find_turns(parent)
            self._is_read = True
        return self._turns


__all__ = ["FindTurns", "ReplayGate"]
