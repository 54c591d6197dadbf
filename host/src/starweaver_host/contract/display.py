"""Display messages: the projection of a log that people read and `session replay` prints.

Assistant text and terminal states only. Never tool payloads, reasoning or metadata.
"""

from __future__ import annotations

from typing import Literal

from .values import Value

DisplayKind = Literal["text", "finished", "error", "cancelled"]
DisplayRole = Literal["user", "assistant", "system"]


class DisplayMessage(Value, frozen=True, kw_only=True):
    """One thing shown. `sequence` is the seq of its event; `time` is UTC milliseconds."""

    session_id: str
    run_id: str | None
    sequence: int
    kind: DisplayKind
    role: DisplayRole = "assistant"
    text: str
    time: int


__all__ = ["DisplayKind", "DisplayMessage", "DisplayRole"]
