"""A chat that is one JSON object, taken apart without holding it: its messages one by one, and the rest of it.

Gemini CLI writes these files with an indent of two, so that a message begins and ends at lines of their own; no
string can hold a line break. A file of any other layout is loaded. Never mapped: the tool cuts the file off whenever
it writes it, and memory mapped from behind a file's end kills the process.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

import msgspec

from starweaver_transcripts.lines import read_lines

from .records import Metadata, RecordDecoder

_OPEN, _CLOSE = b'  "messages": [', (b"  ]", b"  ],")
_FIRST, _LAST = b"    {", (b"    }", b"    },")


class OtherLayoutError(Exception):
    """The file is not laid out the way the tool does it."""


class WholeChat:
    """One such file, open. Reads it once for its description and once for its messages."""

    def __init__(self, handle: BinaryIO, decoder: RecordDecoder) -> None:
        self._handle = handle
        self._decoder = decoder
        self._loaded: list[msgspec.Raw] | None = None

    def describe(self) -> Metadata:
        """What it says besides its messages. Raises ValueError when it is no JSON object, or not all of one."""
        rest = bytearray()
        try:
            for _ in self._split(rest):
                pass
            found = self._decoder.whole(bytes(rest))
        except (OtherLayoutError, ValueError):
            self._handle.seek(0)
            found = self._decoder.whole(self._handle.read())
        self._loaded, found.messages = found.messages, None
        return found

    def messages(self) -> Iterator[bytes | msgspec.Raw]:
        """The texts of its messages, in order. To be called after `describe`."""
        return self._split(bytearray()) if not self._loaded else iter(self._loaded)

    def _split(self, rest: bytearray) -> Iterator[bytes]:
        """Yield the messages and put what is around them into `rest`, as an object with no messages."""
        message: list[bytes] | None = None
        is_inside = False
        for line in read_lines(self._handle):
            text = line.data
            if not is_inside:
                rest += text
                is_inside = text == _OPEN
            elif message is not None:
                message.append(text)
                if text in _LAST:
                    yield _joined(message)
                    message = None
            elif text == _FIRST:
                message = [text]
            elif text in _CLOSE:
                rest += text
                is_inside = False
            else:
                yield _single(text)


def _single(text: bytes) -> bytes:
    """A message that is one line."""
    if not (text.startswith(_FIRST) and text.endswith((b"}", b"},"))):
        raise OtherLayoutError
    return _joined([text])


def _joined(lines: list[bytes]) -> bytes:
    return b"\n".join(lines).removesuffix(b",")


__all__ = ["OtherLayoutError", "WholeChat"]
