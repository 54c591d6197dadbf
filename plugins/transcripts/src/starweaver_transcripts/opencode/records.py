"""The records of OpenCode, as far as they are read: sessions, messages and parts of 1.x, rows of 2.x.

One set of classes serves files and table rows: 1.x tables hold the same JSON the files held. Fields of which only the
presence or a text matters stay loosely typed, so that a drifted one costs itself and not its record.
"""

from __future__ import annotations

from typing import Any

import msgspec


class Times(msgspec.Struct):
    """Milliseconds since the epoch. `end` and `completed` are absent while something is going on."""

    created: int | float | None = None
    updated: int | float | None = None
    completed: int | float | None = None
    start: int | float | None = None
    end: int | float | None = None


class Revert(msgspec.Struct):
    """The person went back: this message and what follows is not current, from this part on if one is named."""

    message_id: str | None = msgspec.field(default=None, name="messageID")
    part_id: str | None = msgspec.field(default=None, name="partID")


class SessionFile(msgspec.Struct):
    """A session of the JSON trees."""

    id: str
    parent_id: str | None = msgspec.field(default=None, name="parentID")
    directory: str | None = None
    title: str | None = None
    version: str | None = None
    time: Times | None = None
    revert: Revert | None = None


class MessagePath(msgspec.Struct):
    """Where an answer was made."""

    cwd: str | None = None


class ModelRef(msgspec.Struct):
    """A model by either of its spellings."""

    id: str | None = None
    model_id: str | None = msgspec.field(default=None, name="modelID")

    @property
    def name(self) -> str | None:
        """Its id."""
        return self.id or self.model_id


class Tokens(msgspec.Struct):
    """Usage of one answer."""

    input: int | float | None = None
    output: int | float | None = None


class ErrorInfo(msgspec.Struct):
    """Why an answer failed: 1.x gives name and data, 2.x type and message."""

    name: str | None = None
    type: str | None = None
    message: str | None = None
    data: Any = None

    @property
    def text(self) -> str:
        """What it says; its name where it says nothing."""
        inner = self.data.get("message") if isinstance(self.data, dict) else None
        return str(self.message or inner or self.code)

    @property
    def code(self) -> str:
        """Its stable name."""
        return self.name or self.type or "error"


class InlineMetadata(msgspec.Struct):
    """The earliest messages carry times here."""

    time: Times | None = None


class MessageInfo(msgspec.Struct):
    """A message of 1.x, without its parts; the earliest form holds them inside."""

    role: str
    id: str | None = None
    time: Times | None = None
    model_id: str | None = msgspec.field(default=None, name="modelID")
    model: Any = None
    path: Any = None
    summary: Any = None
    tokens: Tokens | None = None
    error: ErrorInfo | None = None
    finish: str | None = None
    parts: list[msgspec.Raw] | None = None
    metadata: InlineMetadata | None = None

    @property
    def times(self) -> Times:
        """Its times, wherever they are."""
        return self.time or (self.metadata.time if self.metadata else None) or Times()

    @property
    def model_name(self) -> str | None:
        """The model of an answer."""
        if self.model_id or not isinstance(self.model, dict):
            return self.model_id
        return self.model.get("modelID") or self.model.get("id")


class Attachment(msgspec.Struct):
    """A file beside a tool's output."""

    mime: str | None = None


class ToolState(msgspec.Struct):
    """What became of a tool call, in 1.x and 2.x."""

    status: str = ""
    input: msgspec.Raw = msgspec.Raw()
    output: Any = None
    error: Any = None
    content: list[dict[str, Any]] | None = None
    metadata: Any = None
    attachments: list[Attachment] | None = None
    time: Times | None = None


class ToolInvocation(msgspec.Struct):
    """A tool call of the earliest form."""

    tool_call_id: str = msgspec.field(default="", name="toolCallId")
    tool_name: str = msgspec.field(default="", name="toolName")
    args: msgspec.Raw = msgspec.Raw()
    result: Any = None


class PartInfo(msgspec.Struct):
    """A part of a 1.x message."""

    type: str
    id: str | None = None
    message_id: str | None = msgspec.field(default=None, name="messageID")
    text: str | None = None
    synthetic: bool | None = None
    ignored: bool | None = None
    call_id: str | None = msgspec.field(default=None, name="callID")
    tool: str | None = None
    state: ToolState | None = None
    tool_invocation: ToolInvocation | None = msgspec.field(default=None, name="toolInvocation")
    mime: str | None = None
    url: str | None = None
    prompt: str | None = None
    auto: bool | None = None
    tail_start_id: str | None = None
    error: ErrorInfo | None = None
    time: Times | None = None


class ContentPart(msgspec.Struct):
    """A piece of a 2.x answer."""

    type: str
    id: str | None = None
    name: str | None = None
    text: str | None = None
    state: Any = None
    time: Times | None = None


class RowData(msgspec.Struct):
    """The data of a 2.x row, whatever its type."""

    time: Times | None = None
    text: str | None = None
    files: list[dict[str, Any]] | None = None
    content: list[ContentPart] | None = None
    model: ModelRef | None = None
    tokens: Tokens | None = None
    error: ErrorInfo | None = None
    finish: str | None = None
    retry: dict[str, Any] | None = None
    status: str | None = None
    reason: str | None = None
    summary: str | None = None
    command: str | None = None
    output: Any = None
    exit: int | float | None = None
    outcome: str | None = None


__all__ = [
    "Attachment",
    "ContentPart",
    "ErrorInfo",
    "MessageInfo",
    "ModelRef",
    "PartInfo",
    "Revert",
    "RowData",
    "SessionFile",
    "Times",
    "Tokens",
    "ToolInvocation",
    "ToolState",
]
