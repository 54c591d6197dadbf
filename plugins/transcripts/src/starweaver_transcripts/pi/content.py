"""Message content of a Pi session as message blocks, without image bytes."""

from __future__ import annotations

from hashlib import blake2b
from typing import NamedTuple

from starweaver_host.contract.events import (
    ImageBlock,
    MessageBlock,
    ReasoningBlock,
    TextBlock,
    ToolCall,
    ToolCallBlock,
)
from starweaver_transcripts.emit import base64_size, clean, clip, decode

from .rows import Block, Message

Content = str | list[Block] | None


class Parts(NamedTuple):
    """The blocks of a message in order, and the calls among them with their arguments."""

    blocks: tuple[MessageBlock, ...]
    calls: tuple[ToolCall, ...] = ()


def parts(content: Content, *, row: str) -> Parts:
    """All blocks of a content; `row` names calls whose writer gave them no id."""
    if isinstance(content, str):
        return Parts((TextBlock(text=clean(content)),) if content else ())
    blocks: list[MessageBlock] = []
    calls: list[ToolCall] = []
    for block in content or ():
        if block.type == "toolCall":
            call = _call(block, f"{row}-{len(calls) + 1}")
            calls.append(call)
            blocks.append(ToolCallBlock(id=call.call_id, name=call.name))
        elif (made := _block(block)) is not None:
            blocks.append(made)
    return Parts(tuple(blocks), tuple(calls))


def _call(block: Block, fallback: str) -> ToolCall:
    arguments = decode(bytes(block.arguments)) or "{}"
    return ToolCall(call_id=clean(block.id or fallback), name=clean(block.name or "tool"), arguments=arguments)


def _block(block: Block) -> MessageBlock | None:
    if block.type == "text" and block.text:
        return TextBlock(text=clean(block.text))
    if block.type == "thinking" and block.thinking:
        return ReasoningBlock(text=clean(block.thinking))
    if block.type == "image":
        return ImageBlock(media_type=block.mime_type, size_bytes=base64_size(memoryview(block.data)[1:-1]))
    return None


def text_of(content: Content) -> str:
    """The visible text, a line break between blocks."""
    if isinstance(content, str):
        return clean(content)
    return "\n".join(clean(block.text) for block in content or () if block.type == "text" and block.text)


def images_of(content: Content) -> int:
    """How many images a content holds."""
    return 0 if content is None or isinstance(content, str) else sum(block.type == "image" for block in content)


def clipped(content: Content, max_bytes: int) -> tuple[MessageBlock, ...]:
    """The text of a content within a bound, for what nobody typed."""
    text = clip(text_of(content), max_bytes).text
    return (TextBlock(text=text),) if text else ()


def identity_of(message: Message, timestamp: str | int | None) -> str | None:
    """A name of the message that every copy keeps: forks and migrations copy its times and content, not its id."""
    if timestamp is None and message.timestamp is None:
        return None
    digest = blake2b(text_of(message.content).encode(), digest_size=8)
    for block in message.content if isinstance(message.content, list) else ():
        digest.update((block.id or "").encode())
    return f"pi/{timestamp}/{message.timestamp}/{message.role}/{digest.hexdigest()}"


__all__ = ["Content", "Parts", "clipped", "identity_of", "images_of", "parts", "text_of"]
