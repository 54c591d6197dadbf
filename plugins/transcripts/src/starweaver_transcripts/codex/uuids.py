"""The time in a version 7 UUID, which is how Codex names sessions and turns."""

from __future__ import annotations

from uuid import UUID

_VERSION = 7


def made_at(text: str) -> int | None:
    """When a version 7 UUID was made, UTC microseconds (to the millisecond); None for any other text."""
    try:
        found = UUID(text)
    except ValueError:
        return None
    return (found.int >> 80) * 1000 if found.version == _VERSION else None


__all__ = ["made_at"]
