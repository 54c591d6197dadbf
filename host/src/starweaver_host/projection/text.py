"""The searchable text of an event, and the visible text of a message.

Semantic text is what the event search indexes: messages with their reasoning, tool calls and results,
blocked prompts, todos, failures and status rows. A call is indexed once, from its `tool/call`. Structural and unknown
events have none. Not for display: that is `display`.
"""

from __future__ import annotations

from collections.abc import Iterator

from starweaver_host.contract.events import (
    AssistantMessage,
    Event,
    EventPayload,
    NewEvent,
    Payload,
    PromptBlocked,
    ReasoningBlock,
    StatusDetail,
    TextBlock,
    TodoWrite,
    ToolCall,
    ToolResult,
    TurnEnd,
    UnknownPayload,
    UserMessage,
)

from .casefold import WHITE_SPACE

_EDGES = WHITE_SPACE + "\ufeff"
_SILENT_REASONS = frozenset({"completed", "unknown"})


def semantic_text(event: Event | NewEvent) -> str:
    """Return the text an event is found by: its parts trimmed, joined by a newline; empty when it has none."""
    parts = (part.strip(_EDGES) for part in _parts(decode_payload(event)))
    return "\n".join(part for part in parts if part)


def visible_text(payload: EventPayload | Payload) -> str:
    """Return the text blocks of a message as written, joined by a newline; empty for anything else."""
    if not isinstance(payload, UserMessage | AssistantMessage):
        return ""
    return "\n".join([block.text for block in payload.content if isinstance(block, TextBlock)])


def decode_payload(event: Event | NewEvent) -> EventPayload | Payload:
    """Return the payload of an event, stored or about to be; `UnknownPayload` for data of no known class."""
    if isinstance(event, Event):
        return event.payload()
    if isinstance(event.data, Payload | UnknownPayload):
        return event.data
    return _decode_loose(event)


def _decode_loose(event: NewEvent) -> EventPayload:
    import msgspec

    return Event(seq=0, type=event.type, time=0, data=msgspec.Raw(msgspec.json.encode(event.data))).payload()


def _parts(payload: EventPayload | Payload) -> Iterator[str]:
    match payload:
        case UserMessage() | AssistantMessage():
            yield from (block.text for block in payload.content if isinstance(block, TextBlock | ReasoningBlock))
        case ToolCall():
            yield from (payload.name, payload.arguments)
        case ToolResult() | StatusDetail():
            yield payload.text
        case PromptBlocked():
            yield from (payload.text, payload.reason or "")
        case TodoWrite():
            for todo in payload.todos:
                yield from (todo.status, todo.content)
        case TurnEnd():
            yield "" if payload.reason in _SILENT_REASONS else payload.reason
            yield from (payload.error_code or "", payload.error_message or "")


__all__ = ["decode_payload", "semantic_text", "visible_text"]
