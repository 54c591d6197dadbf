"""What an import found and did, per source and root: the values `sw sources` and search coverage show.

Values only; counting happens in `Tally`. Paths are the user's own and meant for the person at the keyboard, not for an
agent.
"""

from __future__ import annotations

from collections.abc import Callable

from starweaver_host.contract.values import Value


class ItemNote(Value, frozen=True, kw_only=True):
    """Something to say about one item: why it could not be read, or what of it was not."""

    path: str
    text: str


class SourceReport(Value, frozen=True, kw_only=True):
    """One root of one source. `found` = imported + extended + rewritten + unchanged + remaining + unreadable.

    `imported` are items read for the first time, `extended` and `rewritten` those that had changed, `remaining` those
    that were not reached. `skipped_records` counts, over all items as far as they were ever read, the records that
    could not be understood.
    """

    source: str
    root: str
    exists: bool
    reason: str
    warning: str | None = None
    found: int = 0
    imported: int = 0
    extended: int = 0
    rewritten: int = 0
    unchanged: int = 0
    remaining: int = 0
    skipped_records: int = 0
    unreadable: tuple[ItemNote, ...] = ()
    notes: tuple[ItemNote, ...] = ()


class ImportReport(Value, frozen=True, kw_only=True):
    """All roots, in the order they were looked at. `complete` is False when a limit cut the import."""

    roots: tuple[SourceReport, ...]
    complete: bool = True


class ImportProgress(Value, frozen=True, kw_only=True):
    """How far an import is: items and bytes that had to be read, and the item at hand."""

    source: str
    path: str
    items_done: int
    items_total: int
    bytes_done: int
    bytes_total: int


class ImportLimits(Value, frozen=True, kw_only=True):
    """When to stop: `deadline` on the clock's monotonic seconds, `items` that are read at most. None: no limit."""

    deadline: float | None = None
    items: int | None = None


OnProgress = Callable[[ImportProgress], None]

__all__ = ["ImportLimits", "ImportProgress", "ImportReport", "ItemNote", "OnProgress", "SourceReport"]
