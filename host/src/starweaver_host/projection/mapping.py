"""From a match in folded text back to the original characters. Not for matching itself: that is `casefold`.

A text is cut into clusters: a character and what may compose with it. Folding a cluster never depends on its
neighbours, so every folded character belongs to one cluster, and a match that begins or ends inside one (`s` in `ß`)
is a match of the whole cluster.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import islice
from typing import NamedTuple
from unicodedata import combining

from .casefold import WHITE_SPACE, find_all, fold, fold_needle
from .unicode14 import GLUE, LATER, character_class

_BLOCK = 256  # characters folded and mapped together; small, because a whole block is mapped for one match in it
_SHORT = 8  # code points; folds of longer clusters are not worth remembering


class FoldedText(NamedTuple):
    """Folded text, and for each folded code point the half-open range of original code points it came from."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Return the original range of the folded range [start, end), which must not be empty."""
        return self.starts[start], self.ends[end - 1]


def fold_mapped(text: str) -> FoldedText:
    """Fold a text with its map. Linear; some 100 times slower than `fold` where it is not ASCII."""
    folded = fold(text)
    if text.isascii():
        starts = _ascii_starts(text)
        return FoldedText(folded, starts, [*starts, len(text)][1:])
    return FoldedText(folded, *_ranges(text))


def iter_matches(text: str, needle: str) -> Iterator[tuple[int, int]]:
    """Yield the original [start, end) of each non-overlapping match of `needle`, left to right, lazily.

    Two matches inside one original character (`s` in `ß`) are one. Yields something exactly when the needle matches.
    Cost: one fold of the text, and a map of each block that holds a match.
    """
    needle = fold_needle(needle)
    blocks = _Blocks(text)
    last = (-1, -1)
    for at in find_all(blocks.folded, needle):
        start, end = blocks.original(at, at + len(needle))
        if start < last[1]:
            last = (last[0], max(last[1], end))
            continue
        if last[0] >= 0:
            yield last
        last = (start, end)
    if last[0] >= 0:
        yield last


def map_matches(text: str, needle: str, limit: int | None = None) -> list[tuple[int, int]]:
    """Return the first `limit` matches as original ranges, ascending, none overlapping."""
    return list(islice(iter_matches(text, needle), limit))


def safe_cut(text: str, place: int) -> int:
    """Return the first place from `place` on where a text may be cut without changing its fold.

    What stands before the cut folds to a prefix of the text's fold, and what stands behind it to the rest.
    """
    while place < len(text) and (_is_glue(text[place]) or (_is_space(text[place]) and _is_space(text[place - 1]))):
        place += 1
    return min(place, len(text))


class _Blocks:
    """A text in blocks that fold apart from each other; a block is mapped when a match falls into it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._cuts = [0]
        self._offsets = [0]
        self._plain = False
        if text.isascii():
            self.folded = fold(text)
            self._plain = len(self.folded) == len(text)
        if not self._plain:
            self.folded = "".join(self._fold_blocks())
        self._mapped: dict[int, FoldedText] = {}

    def original(self, start: int, end: int) -> tuple[int, int]:
        if self._plain:
            return start, end
        return self._at(start)[0], self._at(end - 1)[1]

    def _at(self, place: int) -> tuple[int, int]:
        number = bisect_right(self._offsets, place) - 1
        cut = self._cuts[number]
        mapped = self._mapped.get(number)
        if mapped is None:
            self._mapped = {key: value for key, value in self._mapped.items() if key == number - 1}
            mapped = self._mapped[number] = fold_mapped(self._text[cut : self._cuts[number + 1]])
        offset = place - self._offsets[number]
        return cut + mapped.starts[offset], cut + mapped.ends[offset]

    def _fold_blocks(self) -> Iterator[str]:
        text, start = self._text, 0
        while start < len(text):
            end = safe_cut(text, start + _BLOCK)
            part = fold(text[start:end])
            yield part
            self._cuts.append(end)
            self._offsets.append(self._offsets[-1] + len(part))
            start = end
        self._offsets.pop()


def _ascii_starts(text: str) -> list[int]:
    """Where each folded character begins: every place, but of a white-space run the first only."""
    starts: list[int] = []
    place = 0
    for run in _ascii_run().finditer(text):
        starts.extend(range(place, run.start() + 1))
        place = run.end()
    starts.extend(range(place, len(text)))
    return starts


def _ranges(text: str) -> tuple[list[int], list[int]]:
    starts: list[int] = []
    ends: list[int] = []
    after_space = False
    for start, end in _clusters(text):
        part = _fold_cluster(text[start:end]) if end - start <= _SHORT else fold(text[start:end])
        if after_space and part[0] == " ":
            ends[-1] = end
            part = part[1:]
        if part:
            starts.extend([start] * len(part))
            ends.extend([end] * len(part))
            after_space = part[-1] == " "
    return starts, ends


def _clusters(text: str) -> Iterator[tuple[int, int]]:
    """Yield the clusters of a text. White space takes nothing in: it composes with no mark, and its run may go on."""
    start = 0
    for place in range(1, len(text)):
        if text[place] < "\u0300" or not _is_glue(text[place]) or _is_space(text[place - 1]):
            yield start, place
            start = place
    if text:
        yield start, len(text)


@lru_cache(4096)
def _fold_cluster(cluster: str) -> str:
    return fold(cluster)


def _is_space(character: str) -> bool:
    return character in WHITE_SPACE


@lru_cache(4096)
def _is_glue(character: str) -> bool:
    if _later().match(character):
        return False
    return combining(character) != 0 or _glue().match(character) is not None


@cache
def _ascii_run() -> re.Pattern[str]:
    return re.compile("[\t-\r ]{2,}")


@cache
def _glue() -> re.Pattern[str]:
    return re.compile(f"[{character_class(GLUE)}]")


@cache
def _later() -> re.Pattern[str]:
    return re.compile(f"[{character_class(LATER)}]")


__all__ = ["FoldedText", "fold_mapped", "iter_matches", "map_matches", "safe_cut"]
