"""Where a text may be cut without tearing what a person sees as one character.

An approximation of grapheme clusters that needs no tables: marks, joiners, emoji modifiers, tags and flag pairs stay
with what they follow. For cosmetic cuts only, so it may differ between Python versions.
"""

from __future__ import annotations

from unicodedata import category

_JOINER = "\u200d"
_EXTENDING = (
    ("\u0e33", "\u0e33"),  # Thai and Lao vowels that are letters by category
    ("\u0eb3", "\u0eb3"),
    ("\u1160", "\u11ff"),  # Hangul vowels and finals
    (_JOINER, _JOINER),
    ("\U0001f3fb", "\U0001f3ff"),  # skin tones
    ("\U000e0020", "\U000e007f"),  # tags
)
_REACH = 32  # code points looked at for a better cut; a longer cluster is torn


def fits(text: str, max_bytes: int) -> int:
    """Return how many leading code points of `text` take at most `max_bytes` of UTF-8. No surrogates."""
    return len(text[:max_bytes].encode()[:max_bytes].decode(errors="ignore"))


def fits_back(text: str, max_bytes: int) -> int:
    """Return how many trailing code points of `text` take at most `max_bytes` of UTF-8. No surrogates."""
    if max_bytes <= 0:
        return 0
    return len(text[-max_bytes:].encode()[-max_bytes:].decode(errors="ignore"))


def cut_before(text: str, place: int, *, least: int = 0) -> int:
    """Return the last whole cut at or before `place` and not before `least`; `place` itself when there is none near."""
    for cut in range(place, max(least, place - _REACH) - 1, -1):
        if is_cut(text, cut):
            return cut
    return place


def cut_after(text: str, place: int, *, most: int) -> int:
    """Return the first whole cut at or after `place` and not after `most`; `place` itself when there is none near."""
    for cut in range(place, min(most, place + _REACH) + 1):
        if is_cut(text, cut):
            return cut
    return place


def is_cut(text: str, place: int) -> bool:
    """Tell whether cutting at `place` leaves whole characters on both sides."""
    if place <= 0 or place >= len(text):
        return True
    before, after = text[place - 1], text[place]
    if after < "\u0300":
        return True
    if before == _JOINER or _extends(after):
        return False
    return not (_is_flag_half(after) and _flag_halves_before(text, place) % 2)


def _extends(character: str) -> bool:
    return category(character)[0] == "M" or any(first <= character <= last for first, last in _EXTENDING)


def _is_flag_half(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _flag_halves_before(text: str, place: int) -> int:
    start = place
    while start > 0 and _is_flag_half(text[start - 1]):
        start -= 1
    return place - start


__all__ = ["cut_after", "cut_before", "fits", "fits_back", "is_cut"]
