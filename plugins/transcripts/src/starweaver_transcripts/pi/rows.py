"""The records of a Pi session, all versions: header, entries of the tree, and the messages in them.

Image data and tool arguments stay undecoded bytes of the line they stand in; `details`, which repeats results, is not
declared and passed over.
"""

from __future__ import annotations

import msgspec

from starweaver_transcripts.jsonrows import RowDecoder

ABSENT = msgspec.Raw()
"""A part of a record that is not there."""


class Block(msgspec.Struct, gc=False, rename="camel"):
    """A block of a message's content: text, thinking, toolCall or image."""

    type: str = ""
    text: str | None = None
    thinking: str | None = None
    id: str | None = None
    name: str | None = None
    arguments: msgspec.Raw = ABSENT
    data: msgspec.Raw = ABSENT
    mime_type: str | None = None


class Usage(msgspec.Struct, gc=False, rename="camel"):
    """Tokens of one answer. `input` does not count what came from the cache."""

    input: int | float | None = None
    output: int | float | None = None
    cache_read: int | float | None = None
    cache_write: int | float | None = None


class Message(msgspec.Struct, gc=False, rename="camel"):
    """A message by role. `timestamp` is milliseconds."""

    role: str = ""
    content: str | list[Block] | None = None
    timestamp: int | float | None = None
    model: str | None = None
    usage: Usage | None = None
    stop_reason: str | None = None
    error_message: str | None = None
    tool_call_id: str | None = None
    tool_name: str | None = None
    is_error: bool | None = None
    command: str | None = None
    output: str | None = None
    exit_code: int | None = None
    cancelled: bool | None = None
    summary: str | None = None


class Row(msgspec.Struct, gc=False, rename="camel"):
    """A line. Version 1 has neither `id` nor `parentId` on entries and counts entries instead."""

    type: str = ""
    id: str | None = None
    parent_id: str | None = None
    timestamp: str | int | None = None
    message: Message | None = None
    version: int | None = None
    cwd: str | None = None
    parent_session: str | None = None
    branched_from: str | None = None
    model_id: str | None = None
    summary: str | None = None
    first_kept_entry_id: str | None = None
    first_kept_entry_index: int | None = None
    tokens_before: int | float | None = None
    content: str | list[Block] | None = None
    name: str | None = None


ROWS = RowDecoder(Row)
"""Decodes a line."""

__all__ = ["ABSENT", "ROWS", "Block", "Message", "Row", "Usage"]
