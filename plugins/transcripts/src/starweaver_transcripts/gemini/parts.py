"""Texts, images and sizes of Gemini parts: content of messages and results of tools."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from starweaver_host.contract.events import ImageBlock, MessageBlock, TextBlock
from starweaver_transcripts.emit import base64_size, clean

from .records import FunctionResponse, Inline, Part, Parts

_OUTPUT_KEYS = ("output", "error", "content", "result")


class Answer(NamedTuple):
    """A tool's result as text, whether it says it is an error, and how many images it held."""

    text: str
    is_error: bool
    images: int


def listed(parts: Parts) -> list[str | Part]:
    """The parts of any of the forms content takes."""
    if parts is None:
        return []
    return parts if isinstance(parts, list) else [parts]


def blocks_of(parts: Parts) -> tuple[MessageBlock, ...]:
    """What is seen of a message: its texts and images. Thoughts and calls are elsewhere."""
    return tuple(_blocks(parts))


def text_of(parts: Parts) -> str:
    """The visible text, its parts joined by a newline."""
    return "\n".join(block.text for block in _blocks(parts) if isinstance(block, TextBlock))


def thoughts_in(parts: Parts) -> list[str]:
    """Texts that are marked as reasoning."""
    return [clean(part.text) for part in listed(parts) if isinstance(part, Part) and part.thought and part.text]


def responses_in(parts: Parts) -> list[FunctionResponse]:
    """The tool answers among parts."""
    return [p.function_response for p in listed(parts) if isinstance(p, Part) and p.function_response is not None]


def answer_of(parts: Parts) -> Answer:
    """A result's text: what its responses hold and texts beside them."""
    texts, is_error, images = [], False, 0
    for part in listed(parts):
        if isinstance(part, str):
            texts.append(part)
            continue
        if part.text:
            texts.append(part.text)
        if part.inline_data is not None:
            images += 1
        if part.function_response is not None:
            text, failed = response_text(part.function_response)
            texts.append(text)
            is_error = is_error or failed
    return Answer("\n".join(text for text in texts if text), is_error, images)


def response_text(response: FunctionResponse) -> tuple[str, bool]:
    """The text of a response object and whether it is an error; JSON where it has no text of its own."""
    raw = bytes(response.response)
    if not raw:
        return "", False
    try:
        value = msgspec.json.decode(raw)
    except msgspec.MsgspecError:
        return raw.decode("utf-8", "replace"), False
    if isinstance(value, str):
        return value, False
    if isinstance(value, dict):
        for key in _OUTPUT_KEYS:
            if isinstance(value.get(key), str):
                return value[key], key == "error"
    return raw.decode("utf-8", "replace"), False


def _blocks(parts: Parts) -> Iterator[MessageBlock]:
    for part in listed(parts):
        if isinstance(part, str):
            if part:
                yield TextBlock(text=clean(part))
            continue
        if part.text and not part.thought:
            yield TextBlock(text=clean(part.text))
        if part.inline_data is not None:
            yield image_block(part.inline_data)


def image_block(inline: Inline) -> ImageBlock:
    """An image by type and size; its base64 is not decoded."""
    encoded = memoryview(inline.data)[1:-1]  # without its quotes
    return ImageBlock(media_type=inline.mime_type, size_bytes=base64_size(encoded))


__all__ = ["Answer", "answer_of", "blocks_of", "listed", "response_text", "responses_in", "text_of", "thoughts_in"]
