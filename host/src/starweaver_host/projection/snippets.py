"""Snippets: a bounded piece of original text around a match, with every match in it marked.

Plain text that is safe to print: a control, bidi-format or line-breaking character becomes one space and a lone
surrogate U+FFFD, one for one, so offsets stay those of the original. Nothing is added, not even an ellipsis. Escaping
for a terminal or a page is the caller's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from starweaver_host.contract.search import Highlight, Snippet

from .casefold import REPLACEMENT
from .graphemes import cut_after, cut_before, fits, fits_back
from .mapping import iter_matches, safe_cut

SNIPPET_MAX_BYTES = 320
"""Most UTF-8 bytes of a snippet's text, as the search contract promises."""

_HEAD = 16384  # code points tried first: most texts that match do so early, and folding a long one takes milliseconds


def make_snippet(text: str, needle: str) -> Snippet:
    """Return the piece of `text` around the first match of `needle`, or its beginning when nothing matches.

    Highlights are half-open code-point ranges of the snippet, ascending, none overlapping; there is at least one
    exactly when the needle matches literally. A match longer than the snippet is cut, another one that is not wholly
    inside is not marked. Cost: a fold of the text, or of its beginning when the match is there.
    """
    text, matches = _searched(text, needle)
    first = next(matches, None)
    if first is None:
        return Snippet(text=_beginning(text, SNIPPET_MAX_BYTES))
    start, shown = _window(text, *first)
    end = start + len(shown)
    return Snippet(text=shown, highlights=tuple(_highlights(first, matches, start, end)))


def safe_line(text: str, max_bytes: int) -> str:
    """Return `text` on one line, safe to print, at most `max_bytes` of UTF-8: for titles and labels."""
    return _beginning(" ".join(safe_text(text).split()), max_bytes).rstrip()


def safe_text(text: str) -> str:
    """Return `text` with every unsafe character replaced, one for one."""
    return _lone_surrogate().sub(REPLACEMENT, _unsafe().sub(" ", text))


def _searched(text: str, needle: str) -> tuple[str, Iterator[tuple[int, int]]]:
    """Return as much of the text as decides its snippet, and the matches in that."""
    if len(text) > 2 * _HEAD:
        head = text[: safe_cut(text, _HEAD)]
        first = next(iter_matches(head, needle), None)
        if first is not None and first[1] + SNIPPET_MAX_BYTES < len(head):
            return head, iter_matches(head, needle)
    return text, iter_matches(text, needle)


def _beginning(text: str, max_bytes: int) -> str:
    shown = safe_text(text[: max_bytes + 1])
    return shown[: cut_before(shown, fits(shown, max_bytes), least=1)]


def _window(text: str, start: int, end: int) -> tuple[int, str]:
    """Return the snippet's text around [start, end) and where it begins in `text`."""
    reach = SNIPPET_MAX_BYTES  # a code point takes a byte or more, so nothing beyond can be shown
    low = max(0, start - reach)
    near = safe_text(text[low : min(end, start + reach) + reach])
    start, end = start - low, min(end, start + reach) - low
    spare = SNIPPET_MAX_BYTES - len(near[start:end].encode())
    if spare < 0:
        first, last = start, cut_before(near, start + fits(near[start:], SNIPPET_MAX_BYTES), least=start + 1)
    else:
        first, last = _around(near, start, end, spare)
    return low + first, near[first:last]


def _around(near: str, start: int, end: int, spare: int) -> tuple[int, int]:
    """Share `spare` bytes between both sides; what one side does not need goes to the other."""
    first = start - fits_back(near[:start], spare // 2)
    spare -= len(near[first:start].encode())
    last = end + fits(near[end:], spare)
    spare -= len(near[end:last].encode())
    first -= fits_back(near[:first], spare)
    return cut_after(near, first, most=start), cut_before(near, last, least=end)


def _highlights(first: tuple[int, int], others: Iterable[tuple[int, int]], start: int, end: int) -> Iterator[Highlight]:
    yield Highlight(start=first[0] - start, end=min(first[1], end) - start)
    for match_start, match_end in others:
        if match_end > end:
            return
        yield Highlight(start=match_start - start, end=match_end - start)


@cache
def _unsafe() -> re.Pattern[str]:
    return re.compile("[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


@cache
def _lone_surrogate() -> re.Pattern[str]:
    return re.compile("[\ud800-\udfff]")


__all__ = ["SNIPPET_MAX_BYTES", "make_snippet", "safe_line", "safe_text"]
