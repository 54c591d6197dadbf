"""Compression of stored values: zlib level 1 above 1 KiB, where it pays; the codec is stored beside the value."""

from __future__ import annotations

import zlib

PLAIN = 0
ZLIB = 1
COMPRESS_ABOVE_BYTES = 1024


def pack(raw: bytes) -> tuple[int, bytes]:
    """The codec and the bytes to store."""
    if len(raw) <= COMPRESS_ABOVE_BYTES:
        return PLAIN, raw
    return ZLIB, zlib.compress(raw, 1)


def unpack(codec: int, body: bytes) -> bytes:
    """What was packed. Raises zlib.error when `body` is damaged."""
    return zlib.decompress(body) if codec == ZLIB else body


__all__ = ["pack", "unpack"]
