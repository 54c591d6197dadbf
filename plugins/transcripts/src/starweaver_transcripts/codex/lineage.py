"""Telling a session's own records from those a fork or subagent repeats of its parent.

A forked rollout begins with its parent's records. They are dropped while the turns they belong to are found in the
parent's rollout; when the parent is not there, or names no turns, everything is kept and message identities tell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec

from starweaver_host.contract.errors import SourceError
from starweaver_transcripts.jsonrows import RowDecoder

from .state import RolloutState
from .streams import open_rollout

_SCAN_BYTES = 256 * 1024 * 1024
"""How much of a parent is looked at."""
_HEAD_BYTES = 200
_MARKS = (b'"turn_context"', b'"task_started"')


class _TurnPayload(msgspec.Struct):
    turn_id: Any = None


class _TurnRow(msgspec.Struct):
    payload: _TurnPayload | None = None


class ReplayGate:
    """Lets a rollout's own records through. `find_turns` reads the parent, once, when it is first needed."""

    def __init__(self, state: RolloutState, find_turns: Callable[[str], frozenset[str] | None]) -> None:
        self._state = state
        self._find_turns = find_turns
        self._turns: frozenset[str] | None = None

    def arm(self) -> None:
        """Start watching: the session was just found to have a parent."""
        if self._parent_turns() is not None:
            self._state.replay = "undecided"

    def begin_copy(self) -> None:
        """Another session's first record: what follows is that session's."""
        if self._state.replay == "undecided" and self._parent_turns():
            self._state.replay = "dropping"

    def admits(self, turn_id: str | None, time: int | None) -> bool:
        """Whether a record of this turn and time (UTC microseconds) is the session's own."""
        if self._state.replay == "off":
            return True
        turns = self._parent_turns() or frozenset()
        if turn_id is not None and turns:
            self._state.replay = "dropping" if turn_id in turns else "off"
        if self._state.replay == "undecided":
            return time is None or self._state.identity is None or time >= self._state.identity.created_at
        return self._state.replay == "off"

    def _parent_turns(self) -> frozenset[str] | None:
        parent = None if self._state.identity is None else self._state.identity.parent
        if self._turns is None and parent is not None:
            self._turns = self._find_turns(parent)
        return self._turns


def turns_of(thread_id: str, folders: tuple[Path, ...]) -> frozenset[str] | None:
    """The turn ids of a session whose rollout lies in one of the sessions folders; None when none does.

    Looks into the days its id was made in, so a missing parent costs three listings. Reads at most 256 MiB.
    """
    for root in folders:
        for path in _candidates(thread_id, root):
            try:
                return frozenset(_scan(path, root))
            except SourceError:
                continue
    return None


def _candidates(thread_id: str, root: Path) -> Iterator[Path]:
    if not thread_id or any(mark in thread_id for mark in "/\\*?["):
        return
    for folder in (root, *_days(thread_id, root)):
        yield from sorted(folder.glob(f"*-{thread_id}.jsonl"))
        yield from sorted(folder.glob(f"*-{thread_id}.jsonl.zst"))


def _days(thread_id: str, root: Path) -> Iterator[Path]:
    """The folders a version 7 UUID was made in: its first 48 bits are UTC milliseconds, folders are local days."""
    try:
        made = datetime.fromtimestamp(int(thread_id.replace("-", "")[:12], 16) / 1000, UTC)
    except (ValueError, OverflowError, OSError):
        yield from root.glob("*/*/*")
        return
    for days in (0, -1, 1):
        yield root / (made + timedelta(days=days)).strftime("%Y/%m/%d")


def _scan(path: Path, root: Path) -> Iterator[str]:
    decoder = RowDecoder(_TurnRow)
    read = 0
    with open_rollout(path, root) as stream:
        for line in stream:
            read += len(line)
            if read > _SCAN_BYTES:
                return
            head = line[:_HEAD_BYTES]
            if any(mark in head for mark in _MARKS) and (found := _turn_id(decoder, line)):
                yield found


def _turn_id(decoder: RowDecoder[_TurnRow], line: bytes) -> str | None:
    try:
        payload = decoder.decode(line).payload
    except ValueError:
        return None
    return payload.turn_id if payload is not None and isinstance(payload.turn_id, str) else None


__all__ = ["ReplayGate", "turns_of"]
