"""The entry tree of a Pi session and its active path, beside the surface the path makes.

A row whose parent is not the current leaf steps back: what lies behind the parent on the path is abandoned. Shadowed
messages cannot return to a surface, so on the way into an older branch its messages stay shadowed, and on the way
behind a compaction its summary stays.
"""

from __future__ import annotations

from typing import NamedTuple

from starweaver_transcripts.nodes import Placed, SurfaceNodes


class _Step(NamedTuple):
    """An entry of the path, and how many surface nodes of the path stood before it."""

    entry: str
    before: int


class Tree:
    """Parents of all entries, the active path, and its surface nodes."""

    def __init__(self) -> None:
        self._parents: dict[str, str | None] = {}
        self._path: list[_Step] = []
        self._places: dict[str, int] = {}
        self._abandoned: tuple[int, int] | None = None
        self._summary: int | None = None
        self._nodes = SurfaceNodes()

    def enter(self, entry: str, parent: str | None) -> bool:
        """Put an entry on the path; tell whether that was a step back.

        A parent nobody has seen is taken for the leaf: nothing is abandoned because a record is damaged.
        """
        leaf = self._path[-1].entry if self._path else None
        steps_back = parent != leaf and (parent is None or parent in self._parents)
        if steps_back:
            self._step_back(parent)
        self._parents[entry] = parent if steps_back else leaf
        self._push(entry)
        return steps_back

    def last_kept(self) -> int | None:
        """The seq of the last node before the abandoned ones."""
        start = self._abandoned[0] if self._abandoned is not None else len(self._nodes)
        return self._nodes.seqs[start - 1] if start else None

    def _step_back(self, parent: str | None) -> None:
        chain: list[str] = []
        while parent is not None and parent not in self._places:
            chain.append(parent)
            parent = self._parents[parent]
        stays = 0 if parent is None else self._places[parent] + 1
        if stays < len(self._path):
            self._abandon(0 if stays == 0 else self._path[stays].before)
        for step in self._path[stays:]:
            del self._places[step.entry]
        del self._path[stays:]
        for entry in reversed(chain):
            self._push(entry)

    def _abandon(self, start: int) -> None:
        if self._abandoned is not None:
            start = min(start, self._abandoned[0])
        end = len(self._nodes)
        self._abandoned = (start, end) if start < end else None

    def _push(self, entry: str) -> None:
        start, end = self._abandoned or (0, 0)
        self._places[entry] = len(self._path)
        self._path.append(_Step(entry, len(self._nodes) - (end - start)))

    def place_message(self, seq: int) -> Placed:
        """Place a message at the end, or instead of what a step back abandoned."""
        abandoned, self._abandoned = self._abandoned, None
        return self._nodes.append(seq) if abandoned is None else self._nodes.replace(*abandoned, seq)

    def place_result(self, seq: int) -> Placed:
        """Place a tool's answer at the end; it never stands for another event."""
        return self._nodes.append(seq)

    def place_summary(self, seq: int, first_kept: str | None) -> Placed:
        """Place a compaction's summary instead of the nodes before the first kept entry; of all when it is unknown.

        An earlier summary that had nothing before it stands behind what it left, and is the one thing replaced then.
        """
        place = None if first_kept is None else self._places.get(first_kept)
        if place is None:
            self._abandoned = None
        end = len(self._nodes) if place is None else self._path[place].before
        if end == 0 and self._summary in self._nodes.seqs:
            place_of_summary = self._nodes.seqs.index(self._summary)
            placed = self._nodes.replace(place_of_summary, place_of_summary + 1, seq)
        else:
            placed = self._nodes.replace(0, end, seq)
            self._shift(end)
        self._summary = seq
        return placed

    def _shift(self, end: int) -> None:
        """`end` nodes at the beginning became one."""
        if end == 0:
            return
        self._path = [_Step(step.entry, max(step.before - end, 0) + 1) for step in self._path]
        if self._abandoned is not None:
            start, stop = self._abandoned
            self._abandoned = (max(start - end, 0) + 1, stop - end + 1)


__all__ = ["Tree"]
