"""The one meaning of literal: `fold_needle(needle) in fold(text)`.

The fold is NFC, full case folding, NFC again; every run of White_Space becomes one space; NUL and lone surrogates
become U+FFFD. It is pinned to Unicode 14.0: characters assigned later fold to themselves and neither compose with nor
move past their neighbours, so that every supported Python, and every stored corpus, agrees for every text.

White_Space is the Unicode property: U+0085 and U+3000 are in it; U+FEFF and U+001C to U+001F are not, and stay
themselves. No locale folding (U+0131 is not `i`), no width, accent or compatibility folding. How matches map back to
the original text is in `mapping`; other packages take both from `folding`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import groupby
from unicodedata import combining, normalize

from .unicode14 import LATER, character_class

FOLD_VERSION = 1
"""Raised when any text would fold differently; stored folded text of another version is rebuilt."""

WHITE_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029"
WHITE_SPACE += "\u202f\u205f\u3000"
"""The White_Space property of Unicode 14.0."""

_ASCII_SPACE = WHITE_SPACE[:6]
_WIDE_SPACE = WHITE_SPACE[6:]
_SURROGATES = "\ud800-\udfff"
REPLACEMENT = "\ufffd"
_LONG_RUN = 128  # combining marks in a row; no language comes near


def fold(text: str) -> str:
    """Return the folded text; idempotent. White space at the ends becomes one space.

    Linear; ASCII at a third of a GB/s. A line is folded at a time: a line break composes with nothing, and most lines
    even of non-ASCII texts are ASCII.
    """
    if text.isascii():
        lines = text.lower().split("\n")
    else:
        lines = [line.lower() if line.isascii() else _fold_line(line) for line in text.split("\n")]
    folded = _collapse(" ".join(filter(None, [line.strip(_ASCII_SPACE) for line in lines])))
    if "\0" in folded:
        folded = folded.replace("\0", REPLACEMENT)
    return _with_edges(folded, text)


def fold_needle(text: str) -> str:
    """Return the fold of a query, without white space at its ends. Empty when the query is blank."""
    return fold(text).strip(" ")


def find_all(folded: str, needle: str) -> Iterator[int]:
    """Yield the start of every non-overlapping match, left to right; nothing for an empty needle. Both are folded."""
    step = len(needle)
    at = folded.find(needle) if step else -1
    while at >= 0:
        yield at
        at = folded.find(needle, at + step)


def _collapse(text: str) -> str:
    for space in "\t\r\v\f":
        if space in text:
            text = text.replace(space, " ")
    while "  " in text:  # each pass halves every run
        text = text.replace("  ", " ")
    return text


def _with_edges(folded: str, text: str) -> str:
    """Give back the white space at the ends that went with the lines', as one space each."""
    if not folded:
        return " " if text else ""
    first = " " if text[0] in WHITE_SPACE else ""
    last = " " if text[-1] in WHITE_SPACE else ""
    return f"{first}{folded}{last}" if first or last else folded


def _fold_line(line: str) -> str:
    if _trigger().search(line) is None:
        return _fold_plain(line)
    line = _surrogate().sub(REPLACEMENT, _wide_space().sub(" ", line))
    parts = _later().split(line)  # the pattern captures: texts at even places, later characters at odd ones
    return "".join([part if place % 2 else _fold_plain(part) for place, part in enumerate(parts)])


def _fold_plain(text: str) -> str:
    if len(text) > _LONG_RUN and any(map(combining, text[:: _LONG_RUN // 2])):
        text = _ordered(text)
    return normalize("NFC", normalize("NFC", text).casefold())


def _ordered(text: str) -> str:
    """Put marks in canonical order: `normalize` does it by insertion, quadratic in the length of a run."""
    runs = groupby(text, key=lambda character: combining(character) != 0)
    return "".join(["".join(sorted(run, key=combining)) if marks else "".join(run) for marks, run in runs])


# Compiled on first use: an ASCII search needs none of them.


@cache
def _trigger() -> re.Pattern[str]:
    """Matches when a line may need more than `_fold_plain`; coarse above U+FFFF, where exact ranges would be slow."""
    later = " ".join(item for item in LATER.split() if len(item.split("-")[0]) <= 4)
    return re.compile(f"[{_SURROGATES}{_WIDE_SPACE}{character_class(later)}\U00010000-\U0001efff]")


@cache
def _surrogate() -> re.Pattern[str]:
    return re.compile(f"[{_SURROGATES}]")


@cache
def _wide_space() -> re.Pattern[str]:
    return re.compile(f"[{_WIDE_SPACE}]")


@cache
def _later() -> re.Pattern[str]:
    return re.compile(f"([{character_class(LATER)}]+)")


__all__ = ["FOLD_VERSION", "REPLACEMENT", "WHITE_SPACE", "find_all", "fold", "fold_needle"]
