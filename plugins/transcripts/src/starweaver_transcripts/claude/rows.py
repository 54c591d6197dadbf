"""The shapes of Claude Code's rows, as far as they are read.

Only fields that mean something here are named, so that decoding passes over the rest at the speed of the parser:
`toolUseResult` repeats the tool result and is the largest part of most files. Everything that may be big or of many
shapes stays raw until it is wanted.
"""

from __future__ import annotations

import msgspec
from msgspec import Raw


class Source(msgspec.Struct, gc=False):
    """Where an image's bytes are; they stay raw and are only measured."""

    media_type: str | None = None
    data: Raw = Raw()


class Usage(msgspec.Struct, gc=False):
    """Token counts of a response so far."""

    input_tokens: int | None = None
    output_tokens: int | None = None


class Block(msgspec.Struct, gc=False):
    """A content block of any kind; `type` tells which fields count."""

    type: str = ""
    text: str | None = None
    thinking: str | None = None
    id: str | None = None
    name: str | None = None
    input: Raw = Raw()
    tool_use_id: str | None = None
    content: Raw = Raw()
    is_error: bool | None = None
    source: Source | None = None


class Message(msgspec.Struct, gc=False):
    """The API message of a user or assistant row."""

    id: str | None = None
    model: str | None = None
    content: str | list[Block | str] | None = None
    stop_reason: str | None = None
    usage: Usage | None = None


class Origin(msgspec.Struct, gc=False):
    """Who put a user row there, in newer versions."""

    kind: str | None = None
    sender: str | None = msgspec.field(default=None, name="from")


class Attachment(msgspec.Struct, gc=False):
    """Of some thirty kinds only the queued command is read."""

    type: str = ""
    prompt: Raw = Raw()
    is_meta: bool | None = msgspec.field(default=None, name="isMeta")
    origin: Origin | None = None


class Compaction(msgspec.Struct, gc=False):
    """What a compaction boundary says of itself."""

    trigger: str | None = None
    pre_tokens: int | None = msgspec.field(default=None, name="preTokens")


class Row(msgspec.Struct, gc=False, rename="camel"):
    """One row of any type."""

    type: str = ""
    uuid: str | None = None
    parent_uuid: str | None = None
    session_id: str | None = None
    timestamp: str | None = None
    cwd: str | None = None
    version: str | None = None
    is_sidechain: bool | None = None
    is_meta: bool | None = None
    is_compact_summary: bool | None = None
    is_api_error_message: bool | None = None
    agent_id: str | None = None
    prompt_source: str | None = None
    origin: Origin | None = None
    message: Message | str | None = None
    tool_use_result: Raw = Raw()
    subtype: str | None = None
    level: str | None = None
    content: Raw = Raw()
    error: Raw = Raw()
    operation: str | None = None
    compact_metadata: Compaction | None = None
    attachment: Attachment | None = None
    summary: str | None = None
    leaf_uuid: str | None = None
    custom_title: str | None = None
    ai_title: str | None = None


class Link(msgspec.Struct, gc=False):
    """What is read of a progress row: its place in the tree, and a subagent it reports on."""

    uuid: str | None
    parent_uuid: str | None
    agent_id: str | None = None
    call_id: str | None = None


READ_TYPES = frozenset(
    {"user", "assistant", "system", "attachment", "queue-operation", "summary", "custom-title", "ai-title"}
)
"""Types whose rows mean something here; rows of any other type are passed over."""

__all__ = ["READ_TYPES", "Attachment", "Block", "Compaction", "Link", "Message", "Origin", "Row", "Source", "Usage"]
