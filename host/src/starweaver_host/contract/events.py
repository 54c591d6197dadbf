"""The session log: events, their payloads, and the surface operations they carry.

An event is addressed by `seq` (0-based, contiguous within an incarnation of the log) and never changes. `time` is
integer UTC milliseconds as the writer recorded it and need not be monotonic. Payload classes are the vocabulary this
system writes; a log may hold other types, which decode to `UnknownPayload` and contribute no text.

Surface rules (which events are the model's current context): `user/message`, `assistant/message` and `tool/result`
are surface types and carry `surface_op`: `append`, `none` (a message on an abandoned branch: log-only), or a `Replace`
of an inclusive range of current nodes. A replacing event lists every shadowed seq in `source_event_seqs`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, cast

import msgspec

from .values import Value


class EventValue(Value, frozen=True, kw_only=True, omit_defaults=True):
    """Base of event values: fields at their default are left out of the stored JSON."""


SURFACE_TYPES = frozenset({"user/message", "assistant/message", "tool/result"})


class Replace(EventValue, frozen=True, kw_only=True):
    """Take the nodes from `start` to `end` (seqs, inclusive, by position) off the surface; stand in their place."""

    op: Literal["replace"] = "replace"
    start: int
    end: int


SurfaceOp = Literal["append", "none"] | Replace


class TextBlock(EventValue, tag_field="type", tag="text", frozen=True, kw_only=True):
    """Visible text."""

    text: str


class ReasoningBlock(EventValue, tag_field="type", tag="reasoning", frozen=True, kw_only=True):
    """The model's reasoning, where the writer kept it in clear."""

    text: str


class ImageBlock(EventValue, tag_field="type", tag="image", frozen=True, kw_only=True):
    """An image that was part of a message. Its bytes are not kept."""

    media_type: str | None = None
    size_bytes: int = 0


class ToolCallBlock(EventValue, tag_field="type", tag="tool-call", frozen=True, kw_only=True):
    """A call inside an assistant message; its arguments live in the `tool/call` event."""

    id: str
    name: str


MessageBlock = TextBlock | ReasoningBlock | ImageBlock | ToolCallBlock


class Payload(EventValue, frozen=True, kw_only=True):
    """Base of event payloads; `event_type` is the type of the events that carry one."""

    event_type: ClassVar[str]


class UserMessage(Payload, frozen=True, kw_only=True):
    """A message to the model. `source` is `user` for what a person typed, else who put it there.

    Other sources: `steering` (typed while the run worked), `summary` (a compaction's), `injected` (context a tool
    added), `agent` (another run). Only `user` and `steering` are what a person said.
    """

    event_type: ClassVar[str] = "user/message"

    content: tuple[MessageBlock, ...]
    source: str = "user"
    message_id: str | None = None


class AssistantMessage(Payload, frozen=True, kw_only=True):
    """One message of the model, all its blocks in order."""

    event_type: ClassVar[str] = "assistant/message"

    content: tuple[MessageBlock, ...]
    message_id: str | None = None
    model: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    interrupted: bool = False


class ToolCall(Payload, frozen=True, kw_only=True):
    """A tool was called. `arguments` is the writer's JSON text, or plain text where it was not JSON."""

    event_type: ClassVar[str] = "tool/call"

    call_id: str
    name: str
    arguments: str


class ToolResult(Payload, frozen=True, kw_only=True):
    """What a tool answered. `size_bytes` is the UTF-8 size before `text` was clipped; images are counted, not kept."""

    event_type: ClassVar[str] = "tool/result"

    call_id: str
    name: str | None = None
    text: str
    is_error: bool = False
    size_bytes: int
    images: int = 0


class TurnStart(Payload, frozen=True, kw_only=True):
    """A run begins. `turn` counts from 1 in a session."""

    event_type: ClassVar[str] = "turn/start"

    turn: int
    model: str | None = None


class TurnEnd(Payload, frozen=True, kw_only=True):
    """A run ends. `reason`: completed, failed, cancelled, max-tokens, interrupted, unknown."""

    event_type: ClassVar[str] = "turn/end"

    turn: int
    reason: str
    error_code: str | None = None
    error_message: str | None = None


class PromptBlocked(Payload, frozen=True, kw_only=True):
    """A prompt that was refused before it reached the model."""

    event_type: ClassVar[str] = "prompt/blocked"

    text: str
    reason: str | None = None


class Todo(EventValue, frozen=True, kw_only=True):
    """One line of a todo list."""

    content: str
    status: str


class TodoWrite(Payload, frozen=True, kw_only=True):
    """The whole todo list as it stood then."""

    event_type: ClassVar[str] = "todo/write"

    todos: tuple[Todo, ...]


class StatusDetail(Payload, frozen=True, kw_only=True):
    """A status row of the writing tool that says something: an API error, a retry, a notice."""

    event_type: ClassVar[str] = "status/detail"

    level: Literal["info", "warning", "error"]
    text: str


class TitleChange(Payload, frozen=True, kw_only=True):
    """The session got a title. `source`: user, source, rule, model."""

    event_type: ClassVar[str] = "session/title"

    title: str
    source: str


class CompactionStart(Payload, frozen=True, kw_only=True):
    """The context is about to be summarised; the summary follows as a replacing `user/message`."""

    event_type: ClassVar[str] = "compaction/start"

    trigger: str | None = None
    tokens_before: int | None = None


class Rewind(Payload, frozen=True, kw_only=True):
    """The person went back; the next message replaces what is abandoned. Structural: contributes no text."""

    event_type: ClassVar[str] = "session/rewind"

    to_seq: int | None = None


class ModelChange(Payload, frozen=True, kw_only=True):
    """Another model from here on. Structural."""

    event_type: ClassVar[str] = "model/change"

    model: str


class SubagentLink(Payload, frozen=True, kw_only=True):
    """A tool call that ran as a session of its own. Structural."""

    event_type: ClassVar[str] = "subagent/link"

    call_id: str | None = None
    child_session_id: str


class UnknownPayload(Value, frozen=True, kw_only=True):
    """The data of a type this version does not know, or data that does not fit its type. Contributes no text."""

    type: str
    data: msgspec.Raw


EventPayload = (
    UserMessage
    | AssistantMessage
    | ToolCall
    | ToolResult
    | TurnStart
    | TurnEnd
    | PromptBlocked
    | TodoWrite
    | StatusDetail
    | TitleChange
    | CompactionStart
    | Rewind
    | ModelChange
    | SubagentLink
    | UnknownPayload
)

_KNOWN: tuple[type[Payload], ...] = (
    UserMessage,
    AssistantMessage,
    ToolCall,
    ToolResult,
    TurnStart,
    TurnEnd,
    PromptBlocked,
    TodoWrite,
    StatusDetail,
    TitleChange,
    CompactionStart,
    Rewind,
    ModelChange,
    SubagentLink,
)
PAYLOAD_TYPES: Mapping[str, type[Payload]] = {cls.event_type: cls for cls in _KNOWN}
"""Event type -> payload class."""


class NewEvent(EventValue, gc=False, frozen=True, kw_only=True):
    """An event about to be appended. The store gives it its `seq`.

    `identity` names the message this event carries, if the writer gave it a name that survives copying (resume, fork):
    two sessions holding the same identity share history, and the earlier session owns it.
    """

    type: str
    time: int
    data: Any
    run_id: str | None = None
    surface_op: SurfaceOp | None = None
    source_event_seqs: tuple[int, ...] = ()
    identity: str | None = None


class Event(EventValue, gc=False, frozen=True, kw_only=True):
    """An event as the log holds it. `data` is its encoded JSON; `payload()` decodes it."""

    seq: int
    type: str
    time: int
    data: msgspec.Raw
    run_id: str | None = None
    surface_op: SurfaceOp | None = None
    source_event_seqs: tuple[int, ...] = ()
    identity: str | None = None

    def payload(self) -> EventPayload:
        """Decode `data` by type; an unknown type or data that does not fit gives `UnknownPayload`, never an error."""
        decoder = _DECODERS.get(self.type)
        if decoder is None:
            return UnknownPayload(type=self.type, data=self.data)
        try:
            return cast("EventPayload", decoder.decode(self.data))
        except msgspec.MsgspecError:
            return UnknownPayload(type=self.type, data=self.data)


class _LazyDecoders(dict[str, msgspec.json.Decoder[Any]]):
    """Decoders built on first use, so that importing this module stays cheap."""

    def get(self, key: str, default: Any = None) -> Any:
        found = super().get(key)
        if found is None and (cls := PAYLOAD_TYPES.get(key)) is not None:
            found = self[key] = msgspec.json.Decoder(cls)
        return found if found is not None else default


_DECODERS = _LazyDecoders()


def new_event(
    payload: Payload,
    *,
    time: int,
    run_id: str | None = None,
    surface_op: SurfaceOp | None = None,
    source_event_seqs: tuple[int, ...] = (),
    identity: str | None = None,
) -> NewEvent:
    """Make the NewEvent of a payload; its type is the payload's `event_type`.

    A surface type without `surface_op` is appended to the surface.
    """
    kind = payload.event_type
    if surface_op is None and kind in SURFACE_TYPES:
        surface_op = "append"
    return NewEvent(
        type=kind,
        time=time,
        data=payload,
        run_id=run_id,
        surface_op=surface_op,
        source_event_seqs=source_event_seqs,
        identity=identity,
    )


__all__ = [
    "PAYLOAD_TYPES",
    "SURFACE_TYPES",
    "AssistantMessage",
    "CompactionStart",
    "Event",
    "EventPayload",
    "EventValue",
    "ImageBlock",
    "MessageBlock",
    "ModelChange",
    "NewEvent",
    "Payload",
    "PromptBlocked",
    "ReasoningBlock",
    "Replace",
    "Rewind",
    "StatusDetail",
    "SubagentLink",
    "SurfaceOp",
    "TextBlock",
    "TitleChange",
    "Todo",
    "TodoWrite",
    "ToolCall",
    "ToolCallBlock",
    "ToolResult",
    "TurnEnd",
    "TurnStart",
    "UnknownPayload",
    "UserMessage",
    "new_event",
]
