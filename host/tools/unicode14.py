"""Generate `starweaver_host/projection/unicode14.py`: what pins the fold to Unicode 14.0.

Run with Python 3.11, whose `unicodedata` is 14.0, and the newest `unicodedata2` from PyPI, which stands for every later
version up to its own:

    python3.11 -m pip install unicodedata2 && python3.11 host/tools/unicode14.py

Only needed again when a supported Python has a newer Unicode than the table was made with.
"""

from __future__ import annotations

import sys
import textwrap
import unicodedata as old
from collections.abc import Iterable
from pathlib import Path

import unicodedata2 as new

OUTPUT = Path(__file__).parents[1] / "src/starweaver_host/projection/unicode14.py"
CODE_POINTS = range(sys.maxunicode + 1)
JOIN = 64  # ranges this near to each other are joined when nothing of 14.0 lies between


def main() -> None:
    """Rewrite the two tables in place; the rest of the module is kept."""
    if old.unidata_version != "14.0.0":
        raise SystemExit(f"needs a Python with Unicode 14.0.0, found {old.unidata_version}")
    text = OUTPUT.read_text(encoding="utf-8")
    text = _replaced(text, "LATER", joined(sorted(later())))
    text = _replaced(text, "GLUE", [(code, code) for code in sorted(glue())])
    OUTPUT.write_text(text, encoding="utf-8")


def later() -> set[int]:
    """Code points that 14.0 does not have and a later version folds, composes, decomposes or reorders.

    Letters with case stand for what is folded: no case table is at hand for the newest version, and one too many does
    no harm.
    """
    parts = {part for code in CODE_POINTS for part in _canonical(new, code)}
    found = set()
    for code in CODE_POINTS:
        character = chr(code)
        if old.category(character) == "Cn" and new.category(character) != "Cn":
            cased = new.category(character) in {"Lu", "Ll", "Lt"}
            if cased or new.combining(character) or _canonical(new, code) or code in parts:
                found.add(code)
    return found


def glue() -> set[int]:
    """Code points of class 0 that compose with what precedes them, or decompose to something that belongs to it."""
    vowels, finals = range(0x1161, 0x1176), range(0x11A8, 0x11C3)  # Hangul composes by rule, not by table
    found = {*vowels, *finals}
    for code in CODE_POINTS:
        parts = _canonical(old, code)
        if len(parts) == 2 and old.normalize("NFC", "".join(map(chr, parts))) == chr(code):
            found.add(parts[1])
        if parts and old.combining(chr(parts[0])):
            found.add(code)
    return {code for code in found if not old.combining(chr(code))}


def joined(codes: Iterable[int]) -> list[tuple[int, int]]:
    """Ranges of `codes`, over gaps that 14.0 left empty."""
    ranges: list[tuple[int, int]] = []
    for code in codes:
        if ranges and code - ranges[-1][1] < JOIN and _empty(ranges[-1][1] + 1, code):
            ranges[-1] = (ranges[-1][0], code)
        else:
            ranges.append((code, code))
    return ranges


def _empty(first: int, end: int) -> bool:
    return all(old.category(chr(code)) == "Cn" for code in range(first, end))


def _canonical(data: object, code: int) -> list[int]:
    mapping: str = data.decomposition(chr(code))  # type: ignore[attr-defined]
    return [] if mapping.startswith("<") else [int(part, 16) for part in mapping.split()]


def _replaced(text: str, name: str, ranges: Iterable[tuple[int, int]]) -> str:
    head, _, rest = text.partition(f"{name} = (\n")
    _, _, tail = rest.partition("\n)\n")
    words = " ".join(f"{first:X}-{last:X}" for first, last in _adjacent(ranges))
    lines = textwrap.wrap(words, 112, break_on_hyphens=False)
    body = "\n".join(f'    "{line} "' for line in lines[:-1]) + f'\n    "{lines[-1]}"'
    return f"{head}{name} = (\n{body}\n)\n{tail}"


def _adjacent(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for first, last in ranges:
        if merged and first == merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], last)
        else:
            merged.append((first, last))
    return merged


if __name__ == "__main__":
    main()
