"""How messages name things: nearest known word, quoted lists. Not for anything that ends in a program's input."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word closest to `word`, None when none is close."""
    import difflib

    found = difflib.get_close_matches(word, sorted(known), n=1, cutoff=0.6)
    return found[0] if found else None


def quoted(names: Iterable[str]) -> str:
    """`'a', 'b'`, sorted; `none` when there is nothing."""
    return ", ".join(repr(name) for name in sorted(names)) or "none"


def suggestion(word: str, known: Iterable[str]) -> str | None:
    """`did you mean 'x'?`, or None."""
    close = nearest(word, known)
    return None if close is None else f"did you mean {close!r}?"


def cause(error: BaseException) -> str:
    """One line about an exception: its type, and the first line of its message if it has one."""
    text = str(error).strip().partition("\n")[0]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


__all__ = ["cause", "nearest", "quoted", "suggestion"]
