"""Where output goes and how it may look: terminal or pipe, colour or not.

Colour follows the terminal and the `NO_COLOR` convention. Text from transcripts passes `clean` before it reaches a
terminal, so that no escape sequence of theirs is obeyed.
"""

from __future__ import annotations

import os
import sys
import unicodedata

import click

_BIDI = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C], " ")


_color = "auto"
_announced: str | None = None


def set_color(choice: str) -> None:
    """Set when colour is used: `auto`, `always` or `never` (`[output] color`)."""
    global _color  # noqa: PLW0603 - one process prints one way
    _color = choice


def on_terminal() -> bool:
    """Whether a person reads standard output."""
    return sys.stdout.isatty()


def coloured() -> bool:
    """Whether to use colour on standard output."""
    if _color != "auto":
        return _color == "always"
    return on_terminal() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def style(text: str, **how: object) -> str:
    """Style text for a coloured terminal; unchanged elsewhere."""
    return click.style(text, **how) if coloured() else text  # type: ignore[arg-type]


def clean(text: str) -> str:
    """Text with control, bidi, surrogate and line separator characters replaced by spaces; newlines and tabs stay."""
    if text.isascii() and text.isprintable():
        return text
    spaced = text.translate(_BIDI)
    return "".join(" " if _is_unsafe(character) else character for character in spaced)


def clean_line(text: str) -> str:
    """`clean` text on one line: what a transcript names, a title or a path, cannot pretend to be a line of ours."""
    return clean(text).replace("\n", " ").replace("\t", " ")


def _is_unsafe(character: str) -> bool:
    return character not in "\n\t" and unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"}


def write_line(text: str = "") -> None:
    """Write one line to standard output, whatever its encoding can hold."""
    tell_announced()
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "replace").decode(encoding) + "\n")


def note(text: str) -> None:
    """Tell a person something beside the result, on standard error."""
    encoding = sys.stderr.encoding or "utf-8"
    sys.stderr.write(clean(text).encode(encoding, "replace").decode(encoding) + "\n")


def announce(text: str) -> None:
    """Have `text` noted before the first output: a command that fails says nothing but its error."""
    global _announced  # noqa: PLW0603 - one process, one command
    _announced = text


def tell_announced() -> None:
    """Note what was announced, unless that is done."""
    global _announced
    if _announced is not None:
        text, _announced = _announced, None
        note(text)


__all__ = [
    "announce",
    "clean",
    "clean_line",
    "coloured",
    "note",
    "on_terminal",
    "set_color",
    "style",
    "tell_announced",
    "write_line",
]
