"""Times of Pi records: ISO texts on rows, milliseconds inside messages."""

from __future__ import annotations

from starweaver_transcripts.emit import epoch_ms, iso_us

from .rows import Row


def entry_time(row: Row) -> int | None:
    """When a row was written, UTC microseconds; its message's own time when the row has none."""
    found = iso_us(row.timestamp) if isinstance(row.timestamp, str) else _us(row.timestamp)
    if found is None and row.message is not None:
        return _us(row.message.timestamp)
    return found


def _us(millis: float | None) -> int | None:
    found = epoch_ms(millis)
    return None if found is None else found * 1000


__all__ = ["entry_time"]
