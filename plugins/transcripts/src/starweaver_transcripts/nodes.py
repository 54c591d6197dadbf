"""The current nodes of a session's surface while its log is being written, and the `Replace` ranges over them.

Knows seqs and positions only. Which messages a compaction or a step back takes away is each reader's own knowledge.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from starweaver_host.contract.events import Replace, SurfaceOp


class Placed(NamedTuple):
    """How a surface event joins the surface: its operation and the seqs it stands for."""

    op: SurfaceOp
    sources: tuple[int, ...]


class SurfaceNodes:
    """Seqs of the current surface in model order. Appending is constant, replacing linear in what follows the range."""

    def __init__(self, seqs: Iterable[int] = ()) -> None:
        self.seqs = list(seqs)
        self._encoded: bytearray | None = None

    def __len__(self) -> int:
        return len(self.seqs)

    def append(self, seq: int) -> Placed:
        """Place `seq` at the end."""
        if self._encoded is not None:
            _put(self._encoded, seq, self.seqs[-1] if self.seqs else 0)
        self.seqs.append(seq)
        return Placed("append", ())

    def replace(self, start: int, end: int, seq: int) -> Placed:
        """Place `seq` where the nodes at positions `start` to `end` (exclusive) stand; an empty range appends it."""
        shadowed = self.seqs[start:end]
        if not shadowed:
            return self.append(seq)
        self.seqs[start:end] = [seq]
        self._encoded = None
        return Placed(Replace(start=shadowed[0], end=shadowed[-1]), tuple(sorted(shadowed)))

    def encode(self) -> bytes:
        """The seqs as variable-length differences, about a byte each. Cost: what was appended since, and a copy."""
        if self._encoded is None:
            self._encoded = bytearray()
            for last, seq in zip((0, *self.seqs), self.seqs, strict=False):
                _put(self._encoded, seq, last)
        return bytes(self._encoded)

    @classmethod
    def decode(cls, data: bytes) -> SurfaceNodes:
        """The nodes `encode` wrote."""
        seqs, last, value, shift = [], 0, 0, 0
        for byte in data:
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                last += value // 2 if value % 2 == 0 else -(value + 1) // 2
                seqs.append(last)
                value = shift = 0
        return cls(seqs)


def _put(out: bytearray, seq: int, last: int) -> None:
    step = seq - last
    value = step * 2 if step >= 0 else -step * 2 - 1
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)


__all__ = ["Placed", "SurfaceNodes"]
