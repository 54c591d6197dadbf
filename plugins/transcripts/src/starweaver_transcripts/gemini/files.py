"""The records of one chat file in order, whether it is a record a line or one object.

Messages are decoded one at a time, also those of a whole file.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from starweaver_host.contract.errors import SourceError
from starweaver_transcripts.lines import FoundFile, open_regular, read_lines
from starweaver_transcripts.prefix import PrefixMark, is_extended, mark_prefix

from .records import Message, Metadata, Record, RecordDecoder
from .whole import WholeChat


class Located(NamedTuple):
    """A record, None for one of no known kind; `error` says why it could not be understood.

    `offset` and `number` are where it begins: byte and line, or the bytes of messages before it and its place among
    them in a whole file.
    """

    record: Record | None
    offset: int
    number: int
    end: int
    where: str
    error: str | None = None


class ChatFile:
    """One file of a session, opened below `root`."""

    def __init__(self, file: FoundFile, root: Path, decoder: RecordDecoder) -> None:
        self.file = file
        self._root = root
        self.has_lines = file.path.suffix == ".jsonl"
        self._decoder = decoder

    def describe(self) -> Metadata:
        """What the file says of its session; an empty one where it does not begin with that."""
        if not self.has_lines:
            with open_regular(self.file.path, self._root) as handle:
                return self._described(WholeChat(handle, self._decoder))
        first = next((each.record for each in self.records() if each.record is not None), None)
        return first if isinstance(first, Metadata) else Metadata()

    def records(self, offset: int = 0, number: int = 1) -> Iterator[Located]:
        """The records from a place on. A last line without its newline counts when it is whole.

        Raises SourceError when the file cannot be opened, or is no JSON where it must be one object.
        """
        return self._lines(offset, number) if self.has_lines else self._messages()

    def mark(self, offset: int) -> PrefixMark:
        """Remember the bytes before `offset`."""
        with open_regular(self.file.path, self._root) as handle:
            return mark_prefix(handle, offset if self.has_lines else 0)

    def is_extended(self, mark: PrefixMark) -> bool:
        """Tell whether the file still begins with what the mark stands for; never said of a whole file."""
        if not self.has_lines:
            return False
        with open_regular(self.file.path, self._root) as handle:
            return is_extended(handle, mark)

    def _lines(self, offset: int, number: int) -> Iterator[Located]:
        with open_regular(self.file.path, self._root) as handle:
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
        with open_regular(self.file.path, self._root) as handle:
            chat = WholeChat(handle, self._decoder)
            found = self._described(chat)
            if found.session_id or found.project_hash or found.start_time:
                yield Located(found, 0, 0, 0, "header")
            offset = 0
            for number, text in enumerate(chat.messages(), 1):
                message, error = None, None
                try:
                    message = _named(self._decoder.message(text), number)
                except ValueError as problem:
                    error = str(problem)
                end = offset + len(text)
                yield Located(message, offset, number, end, f"message {number}", error)
                offset = end

    def _described(self, chat: WholeChat) -> Metadata:
        try:
            return chat.describe()
        except ValueError as problem:
            raise SourceError(
                f"transcript {str(self.file.path)!r} must hold one chat: {problem}", retryable=True
            ) from problem


def _named(message: Message, number: int) -> Message:
    return message if message.id else msgspec.structs.replace(message, id=f"#{number}")


__all__ = ["ChatFile", "Located"]
