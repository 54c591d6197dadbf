"""The records of one chat file in order, whether it is a record a line or one object.

A whole file is mapped, not loaded, and its messages are decoded one at a time.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from starweaver_host.contract.errors import SourceError
from starweaver_transcripts.lines import FoundFile, open_regular, read_lines
from starweaver_transcripts.prefix import PrefixMark, is_extended, mark_prefix

from .records import Message, Metadata, Record, RecordDecoder


class Located(NamedTuple):
    """A record, None for one of no known kind; `error` says why it could not be understood.

    `offset` and `number` are where it begins: byte and line, or the place of a message inside a whole file twice.
    """

    record: Record | None
    offset: int
    number: int
    end: int
    where: str
    error: str | None = None


class ChatFile:
    """One file of a session."""

    def __init__(self, file: FoundFile, decoder: RecordDecoder) -> None:
        self.file = file
        self.has_lines = file.path.suffix == ".jsonl"
        self._decoder = decoder

    def describe(self) -> Metadata:
        """What the file says of its session; an empty one where it does not begin with that."""
        if not self.has_lines:
            return self._whole()
        first = next((each.record for each in self.records() if each.record is not None), None)
        return first if isinstance(first, Metadata) else Metadata()

    def records(self, offset: int = 0, number: int = 1) -> Iterator[Located]:
        """The records from a place on. A last line without its newline counts when it is whole.

        Raises SourceError when the file cannot be opened, or is no JSON where it must be one object.
        """
        return self._lines(offset, number) if self.has_lines else self._messages()

    def mark(self, offset: int) -> PrefixMark:
        """Remember the bytes before `offset`."""
        with open_regular(self.file.path, self.file.path.parent) as handle:
            return mark_prefix(handle, offset if self.has_lines else 0)

    def is_extended(self, mark: PrefixMark) -> bool:
        """Tell whether the file still begins with what the mark stands for; never said of a whole file."""
        if not self.has_lines:
            return False
        with open_regular(self.file.path, self.file.path.parent) as handle:
            return is_extended(handle, mark)

    def _lines(self, offset: int, number: int) -> Iterator[Located]:
        with open_regular(self.file.path, self.file.path.parent) as handle:
            for line in read_lines(handle, offset=offset, number=number):
                record, error = None, None
                if line.data.strip():
                    try:
                        record = self._decoder.line(line.data)
                    except ValueError as problem:
                        if not line.terminated:
                            return
                        error = str(problem)
                yield Located(record, line.offset, line.number, line.end, line.where(), error)

    def _messages(self) -> Iterator[Located]:
        found = self._whole()
        messages, found.messages = found.messages or [], None
        if found.session_id or found.project_hash or found.start_time:
            yield Located(found, 0, 0, 0, "header")
        for number, raw in enumerate(messages, 1):
            try:
                message = self._decoder.message(raw)
            except ValueError as problem:
                yield Located(None, number, number, number, f"message {number}", str(problem))
                continue
            yield Located(_named(message, number), number, number, number, f"message {number}")

    def _whole(self) -> Metadata:
        with open_regular(self.file.path, self.file.path.parent) as handle:
            try:
                mapped = mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ)
                return self._decoder.whole(mapped)
            except ValueError as problem:
                raise SourceError(
                    f"transcript {str(self.file.path)!r} must hold one chat: {problem}", retryable=True
                ) from problem


def _named(message: Message, number: int) -> Message:
    return message if message.id else msgspec.structs.replace(message, id=f"#{number}")


__all__ = ["ChatFile", "Located"]
