"""The lines of one assistant message, and whatever came between them."""

from __future__ import annotations

from starweaver_transcripts.lines import Line

from .decode import Decoded
from .rows import Message, Row
from .session import SessionWriter

_BOUNDARIES = frozenset({"compact_boundary", "turn_duration", "stop_hook_summary"})


class Group:
    """An assistant message that is being gathered, from `offset`, the first byte of its first line."""

    def __init__(self, row: Row, writer: SessionWriter, line: Line) -> None:
        self.writer = writer
        self.offset = line.offset
        self.number = line.number
        self.parts: list[tuple[Decoded, SessionWriter]] = [(row, writer)]
        self._message_id = _message_id(row)

    @property
    def is_stopped(self) -> bool:
        """Tell whether the writer noted why the message ended: no line of it follows."""
        rows, _ = self.sorted()
        return any(message.stop_reason is not None for _, message in rows)

    def is_closed_by(self, row: Row, writer: SessionWriter) -> bool:
        """Tell whether a row cannot lie between two lines of this message. Tool results and reports can."""
        if writer is not self.writer:
            return True
        if row.type == "assistant":
            return self._message_id is None or _message_id(row) != self._message_id
        if row.type == "user":
            return not (row.is_meta or _has_result(row))
        return row.type == "system" and row.subtype in _BOUNDARIES

    def sorted(self) -> tuple[list[tuple[Row, Message]], list[tuple[Decoded, SessionWriter]]]:
        """The message's own rows, and the rest, each in file order."""
        rows: list[tuple[Row, Message]] = []
        others: list[tuple[Decoded, SessionWriter]] = []
        for part, writer in self.parts:
            if isinstance(part, Row) and part.type == "assistant" and isinstance(part.message, Message):
                rows.append((part, part.message))
            else:
                others.append((part, writer))
        return rows, others


def _message_id(row: Row) -> str | None:
    return row.message.id if isinstance(row.message, Message) else None


def _has_result(row: Row) -> bool:
    content = row.message.content if isinstance(row.message, Message) else None
    if isinstance(content, list):
        for block in content:
            if not isinstance(block, str) and block.type == "tool_result":
                return True
    return False


__all__ = ["Group"]
