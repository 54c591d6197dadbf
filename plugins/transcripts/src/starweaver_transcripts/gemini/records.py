"""The records of Gemini CLI's chat files, as far as they are read: one object a file (to 0.39), or one a line.

Declared fields only are decoded; base64 stays an undecoded view of which the size is taken. Not for meaning: that is
`render`.
"""

from __future__ import annotations

import msgspec

from starweaver_transcripts.jsonrows import RowDecoder


class Inline(msgspec.Struct, rename="camel"):
    """Bytes inside a part, as base64."""

    mime_type: str | None = None
    data: msgspec.Raw = msgspec.Raw()


class FunctionResponse(msgspec.Struct):
    """A tool's answer as the model saw it."""

    id: str | None = None
    name: str | None = None
    response: msgspec.Raw = msgspec.Raw()


class Part(msgspec.Struct, rename="camel"):
    """One part of a message or of a tool's result."""

    text: str | None = None
    thought: bool | None = None
    inline_data: Inline | None = None
    function_response: FunctionResponse | None = None


Parts = str | Part | list[str | Part] | None


class Thought(msgspec.Struct):
    """A summary of reasoning."""

    subject: str | None = None
    description: str | None = None


class Tokens(msgspec.Struct):
    """Usage of one answer."""

    input: int | float | None = None
    output: int | float | None = None


class ToolCallRecord(msgspec.Struct, rename="camel"):
    """A call and what became of it."""

    id: str | None = None
    name: str = ""
    args: msgspec.Raw = msgspec.Raw()
    result: Parts = None
    status: str | None = None
    timestamp: str | None = None
    agent_id: str | None = None
    result_display: msgspec.Raw = msgspec.Raw()


class Message(msgspec.Struct, rename="camel"):
    """A message. The same id written again is a newer version of it."""

    id: str = ""
    type: str = ""
    timestamp: str | None = None
    content: Parts = None
    display_content: Parts = None
    parts: Parts = None
    tool_calls: list[ToolCallRecord] | None = None
    thoughts: list[Thought] | None = None
    tokens: Tokens | None = None
    model: str | None = None


class Metadata(msgspec.Struct, rename="camel"):
    """What a file says of its session; a `$set` gives some of it anew. `messages` replaces all messages so far."""

    session_id: str | None = None
    project_hash: str | None = None
    start_time: str | None = None
    last_updated: str | None = None
    kind: str | None = None
    summary: str | None = None
    directories: list[str] | None = None
    messages: list[msgspec.Raw] | None = None


class _Line(msgspec.Struct, rename="camel"):
    """What tells the kinds of lines apart."""

    id: str | None = None
    session_id: str | None = None
    rewind_to: str | None = msgspec.field(default=None, name="$rewindTo")
    set: msgspec.Raw = msgspec.field(default=msgspec.Raw(), name="$set")


class RewindTo(msgspec.Struct):
    """Drop a message and everything after it; all of them when the id is not known."""

    id: str


Record = Message | Metadata | RewindTo


class RecordDecoder:
    """Decodes lines and whole files. Raises ValueError for what does not fit, naming what is wrong."""

    def __init__(self) -> None:
        self._line = RowDecoder(_Line)
        self._message = RowDecoder(Message)
        self._metadata = RowDecoder(Metadata)

    def line(self, data: bytes) -> Record | None:
        """The record of a line; None for a kind that is not known."""
        found = self._line.decode(data)
        if found.rewind_to is not None:
            return RewindTo(found.rewind_to)
        if found.id is not None:
            return self._message.decode(data)
        if len(found.set):
            return self._metadata.decode(found.set)
        return self._metadata.decode(data) if found.session_id is not None else None

    def message(self, data: bytes | msgspec.Raw) -> Message:
        """A message inside a whole file or a checkpoint."""
        return self._message.decode(data)

    def whole(self, data: bytes) -> Metadata:
        """A whole file's object. Its messages stay undecoded views of the text."""
        return self._metadata.decode(data)


__all__ = [
    "FunctionResponse",
    "Inline",
    "Message",
    "Metadata",
    "Part",
    "Parts",
    "Record",
    "RecordDecoder",
    "RewindTo",
    "Thought",
    "ToolCallRecord",
]
