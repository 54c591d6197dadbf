"""Messages of OpenCode 1.x and before, from files or table rows alike, as what was spoken."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from starweaver_host.contract.events import (
    AssistantMessage,
    CompactionStart,
    ImageBlock,
    MessageBlock,
    Payload,
    ReasoningBlock,
    StatusDetail,
    TextBlock,
    ToolCallBlock,
    UserMessage,
)
from starweaver_transcripts.emit import base64_size, clean, epoch_ms, whole
from starweaver_transcripts.jsonrows import RowDecoder

from .records import MessageInfo, PartInfo, Times, ToolState
from .spoken import Ending, Spoken
from .tools import tool_payloads

_ABORTED = frozenset({"MessageAbortedError", "AbortedError"})
_TOO_LONG = frozenset({"MessageOutputLengthError"})

Timed = tuple[Payload, int | None]


class FirstDecoder:
    """Decodes 1.x messages. `user_source` is who the prompts of the session come from."""

    def __init__(self, *, user_source: str, tool_result_max_bytes: int) -> None:
        self._user_source = user_source
        self._max_bytes = tool_result_max_bytes
        self._messages = RowDecoder(MessageInfo)
        self._parts = RowDecoder(PartInfo)

    def message(self, data: bytes) -> MessageInfo:
        """A message without its parts. Raises ValueError."""
        return self._messages.decode(data)

    def spoken(self, message_id: str, info: MessageInfo, parts: Iterable[bytes | msgspec.Raw]) -> Iterator[Spoken]:
        """What a message says: one entry, and one before it for each part that could not be understood."""
        found: list[PartInfo] = []
        for number, data in enumerate([*parts, *(info.parts or [])], 1):
            try:
                found.append(self._parts.decode(data))
            except ValueError as error:
                yield Spoken(f"{message_id} part {number}", "other", None, error=str(error))
        yield self._prompt(message_id, info, found) if info.role == "user" else self._answer(message_id, info, found)

    def _prompt(self, message_id: str, info: MessageInfo, parts: list[PartInfo]) -> Spoken:
        time = epoch_ms(info.times.created)
        compaction = next((part for part in parts if part.type == "compaction"), None)
        typed = tuple(block for part in parts for block in _typed(part)) if parts else _retold(info)
        added = tuple(block for part in parts for block in _added(part))
        payloads: list[Payload] = []
        if typed:
            payloads.append(UserMessage(content=typed, source=self._user_source, message_id=clean(message_id)))
        if added:
            payloads.append(UserMessage(content=added, source="injected", message_id=clean(message_id)))
        if compaction is not None:
            payloads.append(CompactionStart(trigger="auto" if compaction.auto else "manual"))
        return Spoken(
            message_id,
            "prompt" if typed else "injected" if added else "other",
            time,
            tuple((payload, time) for payload in payloads),
            keep_from=compaction.tail_start_id if compaction else None,
        )

    def _answer(self, message_id: str, info: MessageInfo, parts: list[PartInfo]) -> Spoken:
        time = epoch_ms(info.times.created)
        is_whole = info.times.completed is not None or info.error is not None
        blocks = tuple(block for part in parts for block in _said(message_id, part))
        if info.summary is True:
            texts = tuple(block for block in blocks if isinstance(block, TextBlock))
            summary = UserMessage(content=texts, source="summary", message_id=clean(message_id))
            return Spoken(message_id, "summary", time, ((summary, time),) if texts else (), is_whole=is_whole)
        payloads: list[Timed] = []
        if blocks:
            tokens = info.tokens
            message = AssistantMessage(
                content=blocks,
                message_id=clean(message_id),
                model=info.model_name,
                input_tokens=whole(tokens.input) if tokens else None,
                output_tokens=whole(tokens.output) if tokens else None,
                interrupted=info.error is not None and info.error.code in _ABORTED,
            )
            payloads.append((message, time))
        for part in parts:
            payloads.extend(self._work(message_id, part, time))
        if info.error is not None and info.error.code not in _ABORTED:
            payloads.append((StatusDetail(level="error", text=clean(info.error.text)), time))
        return Spoken(message_id, "answer", time, tuple(payloads), is_whole=is_whole, ending=_ending(info))

    def _work(self, message_id: str, part: PartInfo, time: int | None) -> Iterator[Timed]:
        at = epoch_ms((part.time or Times()).start) or time
        if part.type == "retry" and part.error is not None:
            yield StatusDetail(level="warning", text=clean(part.error.text)), at
        state = _state(part)
        if state is None:
            return
        at = epoch_ms((state.time or Times()).start) or at
        end = epoch_ms((state.time or Times()).end) or at
        for payload in tool_payloads(_call_id(message_id, part), _tool(part), state, max_bytes=self._max_bytes):
            yield payload, end if payload.event_type == "tool/result" else at


def _typed(part: PartInfo) -> Iterator[MessageBlock]:
    if part.type == "text" and part.text and not (part.synthetic or part.ignored):
        yield TextBlock(text=clean(part.text))
    elif part.type == "subtask" and part.prompt:
        yield TextBlock(text=clean(part.prompt))
    elif part.type == "file":
        yield from _image(part)


def _retold(info: MessageInfo) -> tuple[MessageBlock, ...]:
    """What a prompt whose parts are lost is still known by: the summary kept beside it."""
    summary = info.summary if isinstance(info.summary, dict) else {}
    text = summary.get("body") or summary.get("title")
    return (TextBlock(text=clean(text)),) if isinstance(text, str) else ()


def _added(part: PartInfo) -> Iterator[MessageBlock]:
    if part.type == "text" and part.text and part.synthetic and not part.ignored:
        yield TextBlock(text=clean(part.text))


def _said(message_id: str, part: PartInfo) -> Iterator[MessageBlock]:
    if part.type == "text" and part.text and not part.ignored:
        yield TextBlock(text=clean(part.text))
    elif part.type == "reasoning" and part.text:
        yield ReasoningBlock(text=clean(part.text))
    elif part.type == "file":
        yield from _image(part)
    elif _state(part) is not None:
        yield ToolCallBlock(id=_call_id(message_id, part), name=_tool(part))


def _image(part: PartInfo) -> Iterator[MessageBlock]:
    if part.mime and part.mime.startswith("image/"):
        data = part.url or ""
        yield ImageBlock(media_type=part.mime, size_bytes=base64_size(data) if data.startswith("data:") else 0)


def _state(part: PartInfo) -> ToolState | None:
    """The state of a part that is a tool call, whichever form it has."""
    if part.type == "tool":
        return part.state or ToolState(status="pending")
    if part.type == "tool-invocation" and part.tool_invocation is not None:
        called = part.tool_invocation
        status = "running" if called.result is None else "completed"
        return ToolState(status=status, input=called.args, output=called.result)
    return None


def _tool(part: PartInfo) -> str:
    return clean(part.tool or (part.tool_invocation.tool_name if part.tool_invocation else ""))


def _call_id(message_id: str, part: PartInfo) -> str:
    named = part.call_id or (part.tool_invocation.tool_call_id if part.tool_invocation else None)
    return clean(named or part.id or f"{message_id}#call")


def _ending(info: MessageInfo) -> Ending | None:
    error = info.error
    if error is None:
        return Ending("max-tokens") if info.finish == "length" else None
    if error.code in _ABORTED:
        return Ending("cancelled")
    if error.code in _TOO_LONG:
        return Ending("max-tokens")
    return Ending("failed", clean(error.code), clean(error.text))


__all__ = ["FirstDecoder"]
