"""Telling a file that was extended from one that was rewritten, at a constant cost.

A mark remembers the bytes before an offset by a digest of samples: the beginning, the end and a few places between.
It is a guard against rewriting by programs, not against an adversary who keeps every sample.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from typing import BinaryIO, NamedTuple

_EDGE_BYTES = 4096
_SAMPLE_BYTES = 512
_SAMPLES = 8
_CHUNK_BYTES = 256 * 1024


class PrefixMark(NamedTuple):
    """The bytes before `offset` of the file with this inode, as a 16-byte digest of samples."""

    offset: int
    inode: int
    digest: bytes


def mark_prefix(handle: BinaryIO, offset: int) -> PrefixMark:
    """Mark the first `offset` bytes. At most ten small reads; the handle's position is kept."""
    return PrefixMark(offset, os.fstat(handle.fileno()).st_ino, _digest(handle, offset))


def is_extended(handle: BinaryIO, mark: PrefixMark, *, same_inode: bool = True) -> bool:
    """Tell whether the file still begins with the marked bytes. Same cost as marking.

    `same_inode` False takes a copy of the file for the file itself, for tools that move and unpack their transcripts.
    """
    found = os.fstat(handle.fileno())
    if found.st_size < mark.offset or (same_inode and found.st_ino != mark.inode):
        return False
    return _digest(handle, mark.offset) == mark.digest


def digest_stream(stream: BinaryIO, offset: int) -> bytes | None:
    """The digest of the next `offset` bytes of a stream that cannot seek, which it reads; None when it has fewer."""
    places = _places(offset)
    samples = [bytearray() for _ in places]
    position = 0
    while position < offset:
        chunk = stream.read(min(_CHUNK_BYTES, offset - position))
        if not chunk:
            return None
        for (start, size), sample in zip(places, samples, strict=True):
            sample.extend(chunk[max(start - position, 0) : max(start + size - position, 0)])
        position += len(chunk)
    return hashlib.blake2b(b"".join(samples), digest_size=16).digest()


def _digest(handle: BinaryIO, offset: int) -> bytes:
    read_at = _read_at(handle)
    digest = hashlib.blake2b(digest_size=16)
    for start, size in _places(offset):
        digest.update(read_at(start, size))
    return digest.digest()


def _read_at(handle: BinaryIO) -> Callable[[int, int], bytes]:
    """Reads that leave the handle's position, and its buffer where the system can: a seek would refill it each time."""
    if hasattr(os, "pread"):
        number = handle.fileno()
        return lambda start, size: os.pread(number, size, start)

    def read(start: int, size: int) -> bytes:
        position = handle.tell()
        handle.seek(start)
        data = handle.read(size)
        handle.seek(position)
        return data

    return read


def _places(offset: int) -> list[tuple[int, int]]:
    """(start, size) of the samples: everything of a short prefix, the edges and even steps of a long one."""
    if offset <= 2 * _EDGE_BYTES:
        return [(0, offset)]
    step = offset // (_SAMPLES + 1)
    between = [(step * (index + 1), min(_SAMPLE_BYTES, offset - step * (index + 1))) for index in range(_SAMPLES)]
    return [(0, _EDGE_BYTES), *between, (offset - _EDGE_BYTES, _EDGE_BYTES)]


__all__ = ["PrefixMark", "digest_stream", "is_extended", "mark_prefix"]
