"""Small conversions every importer needs to build events: clean text, bounds, times, the size of what is not kept.

Pure functions over values already decoded; nothing here knows a tool's format.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NamedTuple

from starweaver_host.contract.events import ToolResult

_REPLACEMENT = "\ufffd"


class Clipped(NamedTuple):
    """A text within its bound, and the UTF-8 size it had before."""

    text: str
    size_bytes: int


def clean(text: str) -> str:
    """The text with NUL and lone surrogates as U+FFFD, so that every encoder and engine takes it."""
    if "\0" in text:
        text = text.replace("\0", _REPLACEMENT)
    return text if text.isascii() else _encoded(text)[0]


def _encoded(text: str) -> tuple[str, bytes]:
    """A text without lone surrogates, and its UTF-8."""
    try:
        return text, text.encode()
    except UnicodeEncodeError:
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return text, text.encode()


def decode(data: bytes) -> str:
    """Bytes as clean text; what is no UTF-8 becomes U+FFFD."""
    return data.decode("utf-8", "replace").replace("\0", _REPLACEMENT)


def clip(text: str, max_bytes: int) -> Clipped:
    """Clean and cut a text to at most `max_bytes` of UTF-8, at a character boundary."""
    if "\0" in text:
        text = text.replace("\0", _REPLACEMENT)
    if text.isascii():
        return Clipped(text[:max_bytes], len(text))
    text, data = _encoded(text)
    if len(data) <= max_bytes:
        return Clipped(text, len(data))
    return Clipped(data[:max_bytes].decode("utf-8", "ignore"), len(data))


def tool_result(
    call_id: str, text: str, *, max_bytes: int, name: str | None = None, is_error: bool = False, images: int = 0
) -> ToolResult:
    """A tool's answer within the bound, its original size recorded."""
    clipped = clip(text, max_bytes)
    return ToolResult(
        call_id=clean(call_id),
        name=None if name is None else clean(name),
        text=clipped.text,
        is_error=is_error,
        size_bytes=clipped.size_bytes,
        images=images,
    )


def base64_size(data: str | bytes | bytearray | memoryview) -> int:
    """How many bytes a base64 text stands for, without decoding it. Accepts a `data:` URL's text too."""
    tail = bytes(data[-2:]) if not isinstance(data, str) else data[-2:].encode("ascii", "replace")
    length = len(data)
    if isinstance(data, str) and data.startswith("data:"):
        length -= data.find(",", 0, 256) + 1
    return max(length * 3 // 4 - tail.count(b"="), 0)


def iso_us(text: str | None) -> int | None:
    """An ISO 8601 time as UTC microseconds; one without a zone is UTC; None for what is no time."""
    if not text:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    if found.tzinfo is None:
        found = found.replace(tzinfo=UTC)
    delta = found - _EPOCH
    return (delta.days * 86_400 + delta.seconds) * 1_000_000 + delta.microseconds


def iso_ms(text: str | None) -> int | None:
    """An ISO 8601 time as UTC milliseconds, the unit of event times; None for what is no time."""
    found = iso_us(text)
    return None if found is None else found // 1000


def whole(value: object) -> int | None:
    """A number as the nearest whole one towards zero; None for what is none or too large for any reader of JSON."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not -_LARGEST <= value <= _LARGEST:
        return None
    return int(value)


def epoch_ms(value: object) -> int | None:
    """Milliseconds since 1970 as a whole number; None for what is no number, or no time of the years 1 to 9999."""
    found = whole(value)
    return found if found is not None and _FIRST_MS <= found <= _LAST_MS else None


_LARGEST = 2**53
_FIRST_MS, _LAST_MS = -62_135_596_800_000, 253_402_300_799_999
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

__all__ = ["Clipped", "base64_size", "clean", "clip", "decode", "epoch_ms", "iso_ms", "iso_us", "tool_result", "whole"]
