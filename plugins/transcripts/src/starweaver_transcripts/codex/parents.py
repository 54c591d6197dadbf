"""Finding a session's rollout by its id and the turns it names, for telling what a fork of it repeats."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec

from starweaver_host.contract.errors import SourceError
from starweaver_transcripts.jsonrows import RowDecoder

from .streams import open_rollout
from .uuids import made_at

_SCAN_BYTES = 256 * 1024 * 1024
"""How much of a parent is looked at."""
_KEPT = 16
"""Of how many parents the turns are kept; siblings are read one after the other."""
_HEAD_BYTES = 200
_MARKS = (b'"turn_context"', b'"task_started"')


class _TurnPayload(msgspec.Struct):
    turn_id: Any = None


class _TurnRow(msgspec.Struct):
    payload: _TurnPayload | None = None


class ParentTurns:
    """The turns of rollouts, kept until the rollout changes. Safe to keep for the life of a process."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Path, tuple[tuple[int, int], frozenset[str]]] = OrderedDict()
        self._decoder = RowDecoder(_TurnRow)

    def of(self, thread_id: str, folders: tuple[Path, ...]) -> frozenset[str] | None:
        """The turn ids of a session whose rollout lies in one of the sessions folders; None when none does.

        Looks into the days its id was made in, so a missing parent costs four listings. Reads at most 256 MiB.
        """
        for root in folders:
            for path in _candidates(thread_id, root):
                try:
                    return self._fresh(path, root)
                except (SourceError, OSError):
                    continue
        return None

    def _fresh(self, path: Path, root: Path) -> frozenset[str]:
        found = path.stat()
        stamp = (found.st_mtime_ns, found.st_size)
        kept = self._kept.get(path)
        if kept is None or kept[0] != stamp:
            kept = self._kept[path] = (stamp, frozenset(self._scan(path, root)))
        self._kept.move_to_end(path)
        if len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return kept[1]

    def _scan(self, path: Path, root: Path) -> Iterator[str]:
        read = 0
        with open_rollout(path, root) as stream:
            for line in stream:
                read += len(line)
                if read > _SCAN_BYTES:
                    return
                head = line[:_HEAD_BYTES]
                if any(mark in head for mark in _MARKS) and (found := self._turn_id(line)):
                    yield found

    def _turn_id(self, line: bytes) -> str | None:
        try:
            payload = self._decoder.decode(line).payload
        except ValueError:
            return None
        return payload.turn_id if payload is not None and isinstance(payload.turn_id, str) else None


def _candidates(thread_id: str, root: Path) -> Iterator[Path]:
    if not thread_id or any(mark in thread_id for mark in "/\\*?["):
        return
    for folder in (root, *_days(thread_id, root)):
        for ending in (".jsonl", ".jsonl.zst"):
            yield from sorted(folder.glob(f"*-{thread_id}{ending}"))


def _days(thread_id: str, root: Path) -> Iterator[Path]:
    """The folders the session may lie in: an id tells its time in UTC, folders are local days."""
    made = made_at(thread_id)
    if made is None:
        yield from root.glob("*/*/*")
        return
    day = datetime.fromtimestamp(made / 1_000_000, UTC)
    for days in (0, -1, 1):
        yield root / (day + timedelta(days=days)).strftime("%Y/%m/%d")


__all__ = ["ParentTurns"]
