"""JSON and JSON Lines: contract values as they are on the wire, one object to a line."""

from __future__ import annotations

import sys
from collections.abc import Iterable

import msgspec

from .stream import tell_announced

_UNICODE = frozenset({"utf-8", "utf8"})


def write_json(value: object) -> None:
    """Write one JSON object and a newline, valid whatever the stream can encode.

    Paths may hold bytes that are no text; they come out as U+FFFD.
    """
    try:
        text = msgspec.json.encode(value).decode()
    except UnicodeEncodeError:
        text = _repaired(value)
    if (sys.stdout.encoding or "utf-8").lower() not in _UNICODE and not text.isascii():
        text = _in_ascii(text)
    tell_announced()
    sys.stdout.write(text + "\n")


def _in_ascii(text: str) -> str:
    import json

    return json.dumps(json.loads(text), separators=(",", ":"))


def _repaired(value: object) -> str:
    """The JSON of a value with lone surrogates, which is how Python keeps the bytes of a file name that are no text."""
    import json

    text = json.dumps(msgspec.to_builtins(value), ensure_ascii=False, separators=(",", ":"))
    return "".join("\ufffd" if "\ud800" <= character <= "\udfff" else character for character in text)


def write_json_lines(items: Iterable[object], trailer: object | None = None) -> None:
    """Write items a line each, then the trailer that says how the list ended."""
    for item in items:
        write_json(item)
    if trailer is not None:
        write_json(trailer)


__all__ = ["write_json", "write_json_lines"]
