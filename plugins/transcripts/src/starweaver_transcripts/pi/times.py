"""Times of Pi records: ISO texts on rows, milliseconds inside messages."""

from __future__ import annotations

from starweaver_transcripts.emit import iso_us

from .rows import Row


def entry_time(row: Row) -> int | None:
    """When a row was written, UTC microseconds; its message's own time when the row has none."""
    found = iso_us(row.timestamp) if isinstance(row.timestamp, str) else row.timestamp
    if isinstance(row.timestamp, int):
        return row.timestamp * 1000
    if found is None and row.message is not None and row.message.timestamp is not None:
        return int(row.message.timestamp) * 1000
    return found


__all__ = ["entry_time"]
