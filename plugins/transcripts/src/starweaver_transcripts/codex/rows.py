"""The records of a rollout, as far as they say something; every other field is passed over undecoded.

`compacted.replacement_history` and `encrypted_content` are deliberately not declared: they are copies and ciphertext.
Fields whose shape has changed between releases are `Any` and read through `values`.
"""

from __future__ import annotations

from typing import Any

import msgspec

from starweaver_transcripts.jsonrows import RowDecoder

ABSENT = msgspec.Raw()
"""A part of a record that is not there."""


def is_absent(part: msgspec.Raw) -> bool:
    """Whether a part is not there; looks at its size without copying it."""
    return memoryview(part).nbytes == 0


class Row(msgspec.Struct, gc=False):
    """The envelope of a line. Without `payload` it is of the bare era and the line itself is the item."""

    type: Any = None
    timestamp: Any = None
    created_at: Any = None
    record_type: Any = None
    role: Any = None
    id: Any = None
    payload: msgspec.Raw = ABSENT


class SessionMeta(msgspec.Struct):
    """What a session's first record says. `source` is a word or an object that names a subagent's parent."""

    id: Any = None
    timestamp: Any = None
    cwd: Any = None
    cli_version: Any = None
    source: Any = None
    forked_from_id: Any = None
    parent_thread_id: Any = None
    history_base: Any = None


class TurnContext(msgspec.Struct):
    """The settings of a turn."""

    turn_id: Any = None
    model: Any = None


class Compacted(msgspec.Struct):
    """A compaction's summary."""

    message: Any = None


class ResponseItem(msgspec.Struct):
    """An item of the API: message, reasoning, or a call and its output. The bare era's lines are these too."""

    type: Any = None
    id: Any = None
    role: Any = None
    content: Any = None
    message: Any = None
    summary: Any = None
    call_id: Any = None
    name: Any = None
    namespace: Any = None
    function: Any = None
    arguments: Any = None
    input: Any = None
    action: Any = None
    output: Any = None
    result: Any = None
    revised_prompt: Any = None
    tools: Any = None
    author: Any = None
    metadata: Any = None
    internal_chat_message_metadata_passthrough: Any = None


class EventMsg(msgspec.Struct):
    """An event of the protocol, as recorded."""

    type: Any = None
    turn_id: Any = None
    kind: Any = None
    message: Any = None
    text: Any = None
    images: Any = None
    local_images: Any = None
    item: msgspec.Raw = ABSENT
    error: Any = None
    codex_error_info: Any = None
    reason: Any = None
    num_turns: Any = None
    last_agent_message: Any = None
    thread_name: Any = None
    new_thread_id: Any = None
    call_id: Any = None
    tool: Any = None
    command: Any = None
    invocation: Any = None
    changes: Any = None
    arguments: Any = None
    query: Any = None
    aggregated_output: Any = None
    stdout: Any = None
    stderr: Any = None
    exit_code: Any = None
    success: Any = None
    result: Any = None
    content_items: Any = None


class Item(msgspec.Struct):
    """The item of an `item_completed` event."""

    type: Any = None
    id: Any = None
    content: Any = None
    text: Any = None
    summary_text: Any = None
    raw_content: Any = None
    command: Any = None
    aggregated_output: Any = None
    stdout: Any = None
    stderr: Any = None
    exit_code: Any = None
    status: Any = None
    changes: Any = None
    server: Any = None
    tool: Any = None
    arguments: Any = None
    result: Any = None
    error: Any = None
    kind: Any = None
    query: Any = None
    action: Any = None
    results: Any = None


class Decoders:
    """One decoder per record type, built once."""

    def __init__(self) -> None:
        self.row = RowDecoder(Row)
        self.session_meta = RowDecoder(SessionMeta)
        self.turn_context = RowDecoder(TurnContext)
        self.compacted = RowDecoder(Compacted)
        self.response_item = RowDecoder(ResponseItem)
        self.event_msg = RowDecoder(EventMsg)
        self.item = RowDecoder(Item)


__all__ = [
    "ABSENT",
    "Compacted",
    "Decoders",
    "EventMsg",
    "Item",
    "ResponseItem",
    "Row",
    "SessionMeta",
    "TurnContext",
    "is_absent",
]
