"""Who says what: rows to message payloads. Pure functions; where a message stands in the log is the session's."""

from __future__ import annotations

from collections.abc import Sequence

from starweaver_host.contract.events import AssistantMessage, MessageBlock, TextBlock

from .blocks import message_blocks
from .human import typed_text
from .rows import Block, Message, Origin, Row

UNSETTLED = "interrupted"
"""How a turn ends that a prompt cut short: the model did not have the last word."""

Rows = Sequence[tuple[Row, Message]]


def assistant_message(rows: Rows, blocks: Sequence[Block]) -> AssistantMessage:
    """One message out of all its rows; usage is repeated and grows, so the largest counts."""
    _, message = rows[0]
    usages = [part.usage for _, part in rows if part.usage is not None]
    return AssistantMessage(
        content=tuple(message_blocks(blocks)),
        message_id=message.id,
        model=message.model,
        input_tokens=max((usage.input_tokens or 0 for usage in usages), default=None),
        output_tokens=max((usage.output_tokens or 0 for usage in usages), default=None),
    )


def ending_of(rows: Rows, blocks: Sequence[Block]) -> str:
    """How the turn ends if nothing but a prompt follows this message."""
    if any(block.type == "tool_use" for block in blocks) or not any(block.text for block in blocks):
        return UNSETTLED
    cut = any(message.stop_reason == "max_tokens" for _, message in rows)
    return "max-tokens" if cut else "completed"


def attributed(row: Row, blocks: Sequence[Block], *, is_subagent: bool) -> tuple[str, tuple[MessageBlock, ...]]:
    """Who said a user row, and what of it counts: glued wrappers are dropped from what a person typed."""
    whole = tuple(message_blocks(blocks))
    if row.is_meta or row.prompt_source == "system" or is_notification(row.origin):
        return "injected", whole
    typed = [
        TextBlock(text=text) if isinstance(block, TextBlock) else block
        for block in whole
        if not isinstance(block, TextBlock) or (text := typed_text(block.text)).strip()
    ]
    if not typed:
        return "injected", whole
    sender = row.origin.sender if row.origin is not None else None
    return "agent" if is_subagent or sender else "user", tuple(typed)


def is_notification(origin: Origin | None) -> bool:
    """Tell whether a row reports on a background task."""
    return origin is not None and origin.kind == "task-notification"


__all__ = ["UNSETTLED", "assistant_message", "attributed", "ending_of", "is_notification"]
