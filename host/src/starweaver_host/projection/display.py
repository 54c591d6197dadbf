"""Display messages: a log as people read it.

Assistant texts and turns that did not simply complete; with `include_user` also what people typed. Never reasoning,
tool payloads or metadata.
"""

from __future__ import annotations

from collections.abc import Iterable

from starweaver_host.contract.display import DisplayKind, DisplayMessage, DisplayRole
from starweaver_host.contract.events import AssistantMessage, Event, TurnEnd, UserMessage

from .text import visible_text

HUMAN_SOURCES = frozenset({"user", "steering"})
"""Sources of a user message that a person typed."""

_TYPES = frozenset({AssistantMessage.event_type, TurnEnd.event_type})
_ENDINGS: dict[str, tuple[DisplayKind, str]] = {
    "failed": ("error", "failed"),
    "cancelled": ("cancelled", "cancelled"),
    "interrupted": ("cancelled", "interrupted"),
    "max-tokens": ("finished", "stopped at the token limit"),
}


def display_messages(session_id: str, events: Iterable[Event], *, include_user: bool = False) -> list[DisplayMessage]:
    """Return the display messages of events, in their order. An ending without a message of its own names itself."""
    types = _TYPES | {UserMessage.event_type} if include_user else _TYPES
    shown = ((event, _shown(event)) for event in events if event.type in types)
    return [
        DisplayMessage(
            session_id=session_id,
            run_id=event.run_id,
            sequence=event.seq,
            kind=what[0],
            role=what[1],
            text=what[2],
            time=event.time,
        )
        for event, what in shown
        if what is not None
    ]


def _shown(event: Event) -> tuple[DisplayKind, DisplayRole, str] | None:
    payload = event.payload()
    if isinstance(payload, TurnEnd):
        kind, name = _ENDINGS.get(payload.reason, ("error", "failed"))
        text = payload.error_message or (name if payload.reason in _ENDINGS else "")
        return (kind, "system", text) if text else None
    if isinstance(payload, UserMessage) and payload.source not in HUMAN_SOURCES:
        return None
    text = visible_text(payload)
    role: DisplayRole = "user" if isinstance(payload, UserMessage) else "assistant"
    return ("text", role, text) if text.strip() else None


__all__ = ["HUMAN_SOURCES", "display_messages"]
