"""Content of Claude's messages as blocks of the event vocabulary. Image bytes are measured, not kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec

from starweaver_host.contract.events import (
    ImageBlock,
    MessageBlock,
    ReasoningBlock,
    TextBlock,
    Todo,
    TodoWrite,
    ToolCall,
    ToolCallBlock,
)
from starweaver_transcripts.emit import base64_size, clean

from .rows import Block, Source

Content = str | list[Block | str] | None


class Answer(NamedTuple):
    """What a tool result says: its text and how many images came with it."""

    text: str
    images: int


class _TodoItem(msgspec.Struct, gc=False):
    content: str = ""
    status: str = "pending"


class _TodoInput(msgspec.Struct, gc=False):
    todos: list[_TodoItem | str]


_CONTENT = msgspec.json.Decoder(Content)
_TODOS = msgspec.json.Decoder(_TodoInput)


def blocks_of(content: Content) -> list[Block]:
    """Content in any of its spellings as blocks."""
    if content is None:
        return []
    if isinstance(content, str):
        return [Block(type="text", text=content)]
    return [Block(type="text", text=block) if isinstance(block, str) else block for block in content]


def raw_blocks(raw: msgspec.Raw) -> list[Block]:
    """The blocks of content that was left raw; none for a shape that is not content."""
    if not raw:
        return []
    try:
        return blocks_of(_CONTENT.decode(raw))
    except msgspec.MsgspecError:
        return []


def message_blocks(blocks: Iterable[Block]) -> Iterator[MessageBlock]:
    """The blocks of a message that are kept, in order."""
    for block in blocks:
        if block.type == "text" and block.text:
            yield TextBlock(text=clean(block.text))
        elif block.type == "thinking" and block.thinking:
            yield ReasoningBlock(text=clean(block.thinking))
        elif block.type == "tool_use":
            yield ToolCallBlock(id=clean(block.id or ""), name=clean(block.name or ""))
        elif block.type == "image":
            yield _image(block.source)


def _image(source: Source | None) -> ImageBlock:
    if source is None:
        return ImageBlock()
    size = base64_size(bytes(source.data)[1:-1]) if source.data else 0
    return ImageBlock(media_type=source.media_type, size_bytes=size)


def answer_of(block: Block) -> Answer:
    """The text blocks of a tool result joined by newlines."""
    parts = raw_blocks(block.content)
    texts = [part.text for part in parts if part.type == "text" and part.text]
    return Answer("\n".join(texts), sum(part.type == "image" for part in parts))


def tool_call(block: Block) -> ToolCall:
    """The call of a `tool_use` block; arguments are the writer's JSON."""
    arguments = bytes(block.input).decode("utf-8", "replace") if block.input else "{}"
    return ToolCall(call_id=clean(block.id or ""), name=clean(block.name or ""), arguments=clean(arguments))


def todo_write(block: Block) -> TodoWrite | None:
    """The list a `TodoWrite` call sets; None for another tool or a shape that is not a list of todos."""
    if block.name != "TodoWrite" or not block.input:
        return None
    try:
        todos = _TODOS.decode(block.input).todos
    except msgspec.MsgspecError:
        return None
    items = [_TodoItem(content=item) if isinstance(item, str) else item for item in todos]
    return TodoWrite(todos=tuple(Todo(content=clean(item.content), status=clean(item.status)) for item in items))


__all__ = ["Answer", "Content", "answer_of", "blocks_of", "message_blocks", "raw_blocks", "todo_write", "tool_call"]
