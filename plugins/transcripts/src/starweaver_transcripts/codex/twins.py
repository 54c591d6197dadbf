"""Recognising the same message written twice: as a protocol event, as an API item and as a completed item.

The families of a file record the same texts the same number of times, so a text is new exactly when its family has
counted it more often than every other family did. Twins stand a few records apart: what was counted longer ago is
forgotten, so that a rollout whose family changes when a newer release resumes it keeps a prompt that is typed again.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Literal

import msgspec

Family = Literal["event", "response", "item"]
_PLACES: dict[Family, int] = {"event": 0, "response": 1, "item": 2}
_REMEMBERED = 48
_APART = 32
"""How many records twins may stand apart."""


def key_of(role: str, text: str) -> bytes:
    """A short digest of a message; white space does not count, families differ in it."""
    return blake2b("".join(text.split()).encode("utf-8", "replace"), digest_size=8, person=role.encode()).digest()


class Counted(msgspec.Struct, array_like=True):
    """How often each family recorded a text, and the number of the record that did so last."""

    key: bytes
    counts: list[int]
    last: int


class Twins:
    """The recently recorded texts, oldest first. `at` is the number of the record that is being read."""

    def __init__(self, counted: list[Counted]) -> None:
        self._counted = {entry.key: entry for entry in counted}
        self.at = 0

    def counted(self) -> list[Counted]:
        """What to remember."""
        return list(self._counted.values())

    def is_new(self, key: bytes, family: Family) -> bool:
        """Count the text for the family, and tell whether no other family recorded it before."""
        counts = list(self._recent(key))
        place = _PLACES[family]
        seen = max(counts)
        counts[place] += 1
        self._counted.pop(key, None)
        self._counted[key] = Counted(key, counts, self.at)
        if len(self._counted) > _REMEMBERED:
            del self._counted[next(iter(self._counted))]
        return counts[place] > seen

    def would_be_new(self, key: bytes, family: Family) -> bool:
        """Tell the same without counting."""
        counts = self._recent(key)
        return counts[_PLACES[family]] >= max(counts)

    def times(self, key: bytes) -> int:
        """How often the text was recorded lately, twins counted once."""
        return max(self._recent(key))

    def _recent(self, key: bytes) -> list[int]:
        entry = self._counted.get(key)
        return entry.counts if entry is not None and self.at - entry.last <= _APART else [0, 0, 0]


__all__ = ["Counted", "Family", "Twins", "key_of"]
