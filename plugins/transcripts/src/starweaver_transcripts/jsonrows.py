"""Decoding one JSON record into a typed value, also when its text is damaged in ways that leave the record readable.

Bytes that are no UTF-8 and lone surrogate escapes become U+FFFD. What is no JSON at all, or does not fit the type, is
the caller's to skip and count.
"""

from __future__ import annotations

import json
from typing import Generic, TypeVar

import msgspec

T = TypeVar("T")


class RowDecoder(Generic[T]):
    """Decodes records of one type. Fields the type does not declare are passed over without being kept."""

    def __init__(self, kind: type[T]) -> None:
        self._decoder = msgspec.json.Decoder(kind)

    def decode(self, data: bytes | msgspec.Raw) -> T:
        """The record. Raises ValueError saying what is wrong with it, never quoting it."""
        try:
            return self._decoder.decode(data)
        except msgspec.ValidationError as error:
            raise ValueError(f"record does not fit: {error}") from error
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return self._decode_damaged(bytes(data))

    def _decode_damaged(self, data: bytes) -> T:
        try:
            return self._decoder.decode(_repaired(data))
        except (ValueError, RecursionError) as error:
            raise ValueError("record is not valid JSON") from error


def _repaired(data: bytes) -> bytes:
    value = json.loads(data.decode("utf-8", "replace"))
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()


__all__ = ["RowDecoder"]
