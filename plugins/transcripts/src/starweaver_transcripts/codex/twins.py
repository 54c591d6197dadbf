"""Recognising the same message written twice: as a protocol event, as an API item and as a completed item.

The families of a file record the same texts the same number of times, so a text is new exactly when its family has
counted it more often than every other family did. Only recent texts are remembered: twins stand a few records apart.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Literal

import msgspec

Family = Literal["event", "response", "item"]
_PLACES: dict[Family, int] = {"event": 0, "response": 1, "item": 2}
_REMEMBERED = 48


def key_of(role: str, text: str) -> bytes:
    """A short digest of a message; white space does not count, families differ in it."""
    return blake2b("".join(text.split()).encode("utf-8", "replace"), digest_size=8, person=role.encode()).digest()


class Counted(msgspec.Struct, array_like=True):
    """How often each family recorded a text."""

    key: bytes
    counts: list[int]


class Twins:
    """The recently recorded texts, oldest first."""

    def __init__(self, counted: list[Counted]) -> None:
        self._counted = {entry.key: entry for entry in counted}

    def counted(self) -> list[Counted]:
        """What to remember."""
        return list(self._counted.values())

    def is_new(self, key: bytes, family: Family) -> bool:
        """Count the text for the family, and tell whether no other family recorded it before."""
        entry = self._counted.pop(key, None) or Counted(key, [0, 0, 0])
        self._counted[key] = entry
        if len(self._counted) > _REMEMBERED:
            del self._counted[next(iter(self._counted))]
        place = _PLACES[family]
        seen = max(entry.counts)
        entry.counts[place] += 1
        return entry.counts[place] > seen

    def would_be_new(self, key: bytes, family: Family) -> bool:
        """Tell the same without counting."""
        entry = self._counted.get(key)
        return entry is None or entry.counts[_PLACES[family]] >= max(entry.counts)

    def times(self, key: bytes) -> int:
        """How often the text was recorded so far, twins counted once."""
        entry = self._counted.get(key)
        return 0 if entry is None else max(entry.counts)


__all__ = ["Counted", "Family", "Twins", "key_of"]
