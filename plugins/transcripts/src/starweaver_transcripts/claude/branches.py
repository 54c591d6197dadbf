"""The conversation tree of a file and the path that is current in each session.

Rows name their parent. Most forks of the tree are parallel tool results or reports and mean nothing; a person's prompt
whose parent lies before messages that came after it is a rewind, and abandons those. Rows are remembered by eight
bytes of their id and the node they hang on, so the memory of a long session stays small and linear.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from functools import lru_cache

ROOT = -1
"""The node of rows before the first message."""
_MASK = (1 << 64) - 1
_ODD = 0x9E3779B97F4A7C15


def is_uuid(text: str) -> bool:
    """Tell whether an id has the form of a UUID; other ids cannot be trusted to be unique in a file."""
    return len(text) == 36 and text[8] == text[13] == text[18] == text[23] == "-"


@lru_cache(maxsize=64)  # a row's id is asked for several times, and once more by the next row, as its parent's
def row_hash(uuid: str) -> int:
    """64 bits that stand for a row's id."""
    if is_uuid(uuid):
        try:
            value = int(uuid.replace("-", ""), 16)
        except ValueError:
            pass
        else:  # both halves: ids made of time or a counter differ in one of them alone
            return (value ^ (value >> 64) * _ODD) & _MASK
    return int.from_bytes(hashlib.blake2b(uuid.encode("utf-8", "replace"), digest_size=8).digest())


class Surface:
    """The current nodes of one session: ascending seqs, and whether each is a message that was said."""

    def __init__(self, seqs: list[int] | None = None, spoken: bytearray | None = None) -> None:
        self.seqs = seqs if seqs is not None else []
        self.spoken = spoken if spoken is not None else bytearray()

    @property
    def last(self) -> int:
        """The newest current node, or ROOT."""
        return self.seqs[-1] if self.seqs else ROOT

    def push(self, seq: int, *, spoken: bool) -> None:
        """Append a node."""
        self.seqs.append(seq)
        self.spoken.append(spoken)

    def beyond(self, node: int) -> tuple[int, ...]:
        """The nodes after `node`; a node that is no longer current stands for what is left of its path."""
        return tuple(self.seqs[bisect_right(self.seqs, node) :])

    def abandoned(self, node: int) -> tuple[int, ...]:
        """The nodes a prompt on top of `node` abandons; empty when nothing that was said lies between."""
        cut = bisect_right(self.seqs, node)
        return tuple(self.seqs[cut:]) if any(self.spoken[cut:]) else ()

    def replace(self, shadowed: tuple[int, ...], seq: int, *, spoken: bool) -> None:
        """Take the last `len(shadowed)` nodes off and put `seq` in their place."""
        keep = len(self.seqs) - len(shadowed)
        del self.seqs[keep:]
        del self.spoken[keep:]
        self.push(seq, spoken=spoken)


__all__ = ["ROOT", "Surface", "is_uuid", "row_hash"]
