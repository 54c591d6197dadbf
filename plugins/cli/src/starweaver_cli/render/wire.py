"""JSON and JSON Lines: contract values as they are on the wire, one object to a line."""

from __future__ import annotations

import sys
from collections.abc import Iterable

import msgspec


def write_json(value: object) -> None:
    """Write one JSON object and a newline."""
    sys.stdout.write(msgspec.json.encode(value).decode() + "\n")


def write_json_lines(items: Iterable[object], trailer: object | None = None) -> None:
    """Write items a line each, then the trailer that says how the list ended."""
    for item in items:
        write_json(item)
    if trailer is not None:
        write_json(trailer)


__all__ = ["write_json", "write_json_lines"]
