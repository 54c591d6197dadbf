"""A Gemini message as the payloads of a log: what it says, what it called, what came back.

Pure: places, turns and seqs are `conversation`'s. A message without anything to say renders to nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

import msgspec

from starweaver_host.contract.events import (
    AssistantMessage,
    ImageBlock,
    MessageBlock,
    Payload,
    ReasoningBlock,
    StatusDetail,
    SubagentLink,
    TextBlock,
    ToolCall,
    ToolCallBlock,
    ToolResult,
    UserMessage,
)
from starweaver_transcripts.emit import clean, iso_ms, tool_result, whole

from .parts import answer_of, blocks_of, listed, response_text, responses_in, text_of, thoughts_in
from .places import SOURCE
from .records import Message, ToolCallRecord

SESSION_PREFIX = f"{SOURCE}:"

Kind = Literal["user", "model", "status", "other"]
_MODEL_TYPES = frozenset({"gemini", "model"})
_LEVELS: dict[str, Literal["info", "warning", "error"]] = {"info": "info", "warning": "warning", "error": "error"}
_OPEN_STATUSES = frozenset({"validating", "scheduled", "executing", "awaiting_approval"})
_UUID_LENGTH = 36
_CANCELLED = "request cancelled"


class Rendered(NamedTuple):
    """A message's payloads, each with its time (UTC ms, None where the message has none).

    `identity` names the message in every copy of it; an id that is not unique everywhere is one of its session only.
    """

    id: str
    identity: str
    kind: Kind
    payloads: tuple[tuple[Payload, int | None], ...]
    answered: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The text of a status row."""
        first = self.payloads[0][0] if self.payloads else None
        return first.text if isinstance(first, StatusDetail) else ""

    @property
    def is_cancellation(self) -> bool:
        """Tell whether this row says that the person stopped the model."""
        return self.kind == "status" and self.text.strip().lower().startswith(_CANCELLED)


class Renderer:
    """Renders messages of a session. `user_source` is who its prompts come from: a person, or another agent."""

    def __init__(self, session: str, *, user_source: str, tool_result_max_bytes: int) -> None:
        self._session = session
        self._user_source = user_source
        self._max_bytes = tool_result_max_bytes

    def render(self, message: Message, answered: frozenset[str]) -> Rendered:
        """The payloads of a message. Answers to calls in `answered` were told by the calls' own records."""
        time, identity = iso_ms(message.timestamp), self._identity(message.id)
        if message.type == "user":
            payloads = list(self._user(message, answered))
            kind: Kind = "user" if any(isinstance(p, UserMessage) for p in payloads) else "other"
            return Rendered(message.id, identity, kind, tuple((payload, time) for payload in payloads))
        if message.type in _MODEL_TYPES:
            calls = message.tool_calls or []
            done = tuple(call.id for call in calls if call.id and call.result is not None)
            return Rendered(message.id, identity, "model", tuple(self._model(message, time)), done)
        if message.type in _LEVELS:
            text = clean(text_of(message.content))
            detail = StatusDetail(level=_LEVELS[message.type], text=text)
            return Rendered(message.id, identity, "status", ((detail, time),) if text.strip() else ())
        return Rendered(message.id, identity, "other", ())

    def _identity(self, message_id: str) -> str:
        scope = "" if len(message_id) == _UUID_LENGTH else f"{self._session}/"
        return f"{SESSION_PREFIX}{scope}{message_id}"

    def _user(self, message: Message, answered: frozenset[str]) -> Iterator[Payload]:
        shown = message.content if message.content is not None else message.parts
        blocks = blocks_of(shown)
        if message.display_content is not None and text_of(message.display_content).strip():
            images = tuple(block for block in blocks if isinstance(block, ImageBlock))
            typed = tuple(block for block in blocks_of(message.display_content) if isinstance(block, TextBlock))
            blocks = typed + images
        if blocks:
            yield UserMessage(content=blocks, source=self._user_source, message_id=clean(message.id))
        for response in responses_in(shown):
            if response.id is None or response.id not in answered:
                text, failed = response_text(response)
                yield tool_result(
                    response.id or f"{message.id}#result",
                    text,
                    max_bytes=self._max_bytes,
                    name=response.name,
                    is_error=failed,
                )

    def _model(self, message: Message, time: int | None) -> Iterator[tuple[Payload, int | None]]:
        calls = message.tool_calls or []
        ids = [call.id or f"{message.id}#{place}" for place, call in enumerate(calls)]
        content = (*_reasoning(message), *_said(message), *_call_blocks(ids, calls))
        if not content:
            return
        tokens = message.tokens
        yield (
            AssistantMessage(
                content=content,
                message_id=clean(message.id),
                model=message.model,
                input_tokens=whole(tokens.input) if tokens else None,
                output_tokens=whole(tokens.output) if tokens else None,
            ),
            time,
        )
        for call_id, call in zip(ids, calls, strict=True):
            at = iso_ms(call.timestamp) or time
            yield from ((payload, at) for payload in self._call(clean(call_id), call))

    def _call(self, call_id: str, call: ToolCallRecord) -> Iterator[Payload]:
        arguments = msgspec.json.format(call.args, indent=-1).decode("utf-8", "replace") if len(call.args) else "{}"
        yield ToolCall(call_id=call_id, name=clean(call.name), arguments=arguments)
        if call.agent_id:
            yield SubagentLink(call_id=call_id, child_session_id=SESSION_PREFIX + clean(call.agent_id))
        result = self._result(call_id, call)
        if result is not None:
            yield result

    def _result(self, call_id: str, call: ToolCallRecord) -> ToolResult | None:
        if call.status in _OPEN_STATUSES:
            return None
        answer = answer_of(call.result)
        text = answer.text or _display_text(call.result_display)
        if not text and call.result is None:
            return None
        failed = answer.is_error or call.status == "error"
        return tool_result(
            call_id, text, max_bytes=self._max_bytes, name=call.name, is_error=failed, images=answer.images
        )


def is_open(message: Message) -> bool:
    """Tell whether the writer will certainly write this message again: a call has not ended."""
    return any(call.status in _OPEN_STATUSES for call in message.tool_calls or [])


def is_model(message: Message) -> bool:
    """Tell whether this is a message the writer rewrites while it streams."""
    return message.type in _MODEL_TYPES


def _reasoning(message: Message) -> Iterator[MessageBlock]:
    for thought in message.thoughts or []:
        text = "\n".join(clean(text) for text in (thought.subject, thought.description) if text)
        if text:
            yield ReasoningBlock(text=text)
    for text in thoughts_in(message.content):
        yield ReasoningBlock(text=text)


def _said(message: Message) -> tuple[MessageBlock, ...]:
    return blocks_of(message.content if listed(message.content) else message.parts)


def _call_blocks(ids: list[str], calls: list[ToolCallRecord]) -> Iterator[MessageBlock]:
    for call_id, call in zip(ids, calls, strict=True):
        yield ToolCallBlock(id=clean(call_id), name=clean(call.name))


def _display_text(display: msgspec.Raw) -> str:
    if not bytes(display).startswith(b'"'):
        return ""
    return str(msgspec.json.decode(display))


__all__ = ["SESSION_PREFIX", "Kind", "Rendered", "Renderer", "is_model", "is_open"]
