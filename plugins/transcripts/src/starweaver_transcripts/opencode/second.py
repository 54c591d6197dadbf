"""Rows of OpenCode 2.x as what was spoken."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from starweaver_host.contract.events import (
    AssistantMessage,
    CompactionStart,
    ImageBlock,
    MessageBlock,
    ModelChange,
    Payload,
    ReasoningBlock,
    StatusDetail,
    TextBlock,
    ToolCall,
    ToolCallBlock,
    UserMessage,
)
from starweaver_transcripts.emit import base64_size, clean, epoch_ms, tool_result, whole
from starweaver_transcripts.jsonrows import RowDecoder

from .records import ContentPart, ErrorInfo, RowData, Times, ToolState
from .spoken import Ending, Spoken
from .tools import text_of, tool_payloads

_OUTCOMES = {"succeeded": "completed", "failed": "failed", "interrupted": "cancelled"}

Timed = tuple[Payload, int | None]


class SecondDecoder:
    """Decodes 2.x rows. `user_source` is who the prompts of the session come from."""

    def __init__(self, *, user_source: str, tool_result_max_bytes: int) -> None:
        self._user_source = user_source
        self._max_bytes = tool_result_max_bytes
        self._rows = RowDecoder(RowData)
        self._tellers: dict[str, Callable[[str, RowData, int | None], Spoken]] = {
            "user": self._prompt,
            "assistant": self._answer,
            "compaction": _compaction,
            "shell": self._shell,
            "idle": _idle,
            "model-switched": _switched,
            "synthetic": _added,
            "system": _added,
            "skill": _added,
        }

    def spoken(self, row_id: str, kind: str, time: int | None, data: bytes) -> Spoken:
        """What a row says; nothing for a type that only notes a switch. Never raises: a bad row says so itself."""
        try:
            row = self._rows.decode(data)
        except ValueError as error:
            return Spoken(row_id, "other", time, error=str(error))
        time = epoch_ms((row.time or Times()).created) or time
        tell = self._tellers.get(kind)
        return Spoken(row_id, "other", time) if tell is None else tell(row_id, row, time)

    def _prompt(self, row_id: str, row: RowData, time: int | None) -> Spoken:
        blocks: tuple[MessageBlock, ...] = (*_text(row.text), *_images(row.files))
        message = UserMessage(content=blocks, source=self._user_source, message_id=clean(row_id))
        return Spoken(row_id, "prompt" if blocks else "other", time, ((message, time),) if blocks else ())

    def _answer(self, row_id: str, row: RowData, time: int | None) -> Spoken:
        is_whole = row.error is not None or (row.time or Times()).completed is not None
        content = row.content or []
        blocks = tuple(block for place, part in enumerate(content) for block in _said(row_id, place, part))
        payloads: list[Timed] = []
        if blocks:
            tokens = row.tokens
            message = AssistantMessage(
                content=blocks,
                message_id=clean(row_id),
                model=row.model.name if row.model else None,
                input_tokens=whole(tokens.input) if tokens else None,
                output_tokens=whole(tokens.output) if tokens else None,
                interrupted=row.error is not None and _is_stop(row.error),
            )
            payloads.append((message, time))
        for place, part in enumerate(content):
            payloads.extend(self._work(row_id, place, part, time))
        if row.retry is not None:
            payloads.append((StatusDetail(level="warning", text=clean(text_of(row.retry.get("error")))), time))
        if row.error is not None and not _is_stop(row.error):
            payloads.append((StatusDetail(level="error", text=clean(row.error.text)), time))
        return Spoken(row_id, "answer", time, tuple(payloads), is_whole=is_whole, ending=_ending(row))

    def _work(self, row_id: str, place: int, part: ContentPart, time: int | None) -> Iterator[Timed]:
        if part.type != "tool":
            return
        times = part.time or Times()
        at, end = epoch_ms(times.created) or time, epoch_ms(times.completed)
        for payload in tool_payloads(
            _call_id(row_id, place, part), clean(part.name or ""), _state(part), max_bytes=self._max_bytes
        ):
            yield payload, (end or at) if payload.event_type == "tool/result" else at

    def _shell(self, row_id: str, row: RowData, time: int | None) -> Spoken:
        """A command the person ran inside the session."""
        call_id = clean(row_id)
        called = ToolCall(call_id=call_id, name="shell", arguments=clean(row.command or ""))
        payloads: list[Timed] = [(called, time)]
        is_whole = row.status != "running" and row.output is not None
        if row.output is not None:
            failed = bool(row.exit)
            result = tool_result(call_id, text_of(row.output), max_bytes=self._max_bytes, name="shell", is_error=failed)
            payloads.append((result, epoch_ms((row.time or Times()).completed) or time))
        return Spoken(row_id, "other", time, tuple(payloads), is_whole=is_whole)


def _compaction(row_id: str, row: RowData, time: int | None) -> Spoken:
    if row.status == "failed":
        text = clean(row.error.text if row.error else "compaction failed")
        return Spoken(row_id, "other", time, ((StatusDetail(level="error", text=text), time),))
    started = CompactionStart(trigger=row.reason)
    summary = UserMessage(content=_text(row.summary), source="summary", message_id=clean(row_id))
    return Spoken(row_id, "summary", time, ((started, time), (summary, time)), is_whole=row.status != "running")


def _said(row_id: str, place: int, part: ContentPart) -> Iterator[MessageBlock]:
    if part.type == "tool":
        yield ToolCallBlock(id=_call_id(row_id, place, part), name=clean(part.name or ""))
    elif part.type == "reasoning" and part.text:
        yield ReasoningBlock(text=clean(part.text))
    elif part.type == "text":
        yield from _text(part.text)


def _text(text: str | None) -> tuple[TextBlock, ...]:
    return (TextBlock(text=clean(text)),) if text else ()


def _images(files: list[dict[str, Any]] | None) -> Iterator[ImageBlock]:
    for file in files or []:
        mime = str(file.get("mime") or file.get("mediaType") or "")
        if mime.startswith("image/"):
            data = next((v for k in ("uri", "url", "data") if isinstance(v := file.get(k), str)), "")
            yield ImageBlock(media_type=mime, size_bytes=0 if "://" in data[:16] else base64_size(data))


def _state(part: ContentPart) -> ToolState:
    """The state of a call; one of a shape that is not known counts as running."""
    try:
        return msgspec.json.decode(msgspec.json.encode(part.state or {}), type=ToolState)
    except msgspec.MsgspecError:
        return ToolState(status="running")


def _call_id(row_id: str, place: int, part: ContentPart) -> str:
    return clean(part.id or f"{row_id}#{place}")


def _is_stop(error: ErrorInfo) -> bool:
    return "abort" in error.code.lower() or "interrupt" in error.code.lower()


def _ending(row: RowData) -> Ending | None:
    if row.error is None:
        return Ending("max-tokens") if row.finish == "length" else None
    if _is_stop(row.error):
        return Ending("cancelled")
    return Ending("failed", clean(row.error.code), clean(row.error.text))


def _idle(row_id: str, row: RowData, time: int | None) -> Spoken:
    """The end of a turn."""
    reason = _OUTCOMES.get(row.outcome or "", "unknown")
    failed = row.error if reason == "failed" else None
    code = clean(failed.code) if failed else None
    ending = Ending(reason, code, clean(failed.text) if failed else None, is_final=True)
    return Spoken(row_id, "other", time, ending=ending)


def _switched(row_id: str, row: RowData, time: int | None) -> Spoken:
    name = row.model.name if row.model else None
    return Spoken(row_id, "other", time, ((ModelChange(model=clean(name)), time),) if name else ())


def _added(row_id: str, row: RowData, time: int | None) -> Spoken:
    """Text the tool put into the context."""
    if not row.text:
        return Spoken(row_id, "other", time)
    added = UserMessage(content=_text(row.text), source="injected", message_id=clean(row_id))
    return Spoken(row_id, "injected", time, ((added, time),))


__all__ = ["SecondDecoder"]
