"""ImportService: drives transcript sources against a store.

Newest transcripts first, so that a cut import holds what people look for. What is unchanged costs a stat, what was
extended the appended bytes, what was rewritten a reading from the start under a new incarnation. One bad item never
stops the others. Every transaction is whole: whoever is interrupted, killed or cancelled keeps what was committed.
Knows no tool's format, draws nothing, prints nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from starweaver_host.contract.errors import SourceError, StoreError
from starweaver_host.contract.records import LOCAL_NAMESPACE
from starweaver_host.contract.registration import Clock, Offload
from starweaver_host.contract.store import SessionStore

from .importing_report import ImportLimits, ImportProgress, ImportReport, OnProgress
from .importing_survey import Candidate, ConfiguredSource, Survey, is_current

if TYPE_CHECKING:
    from .importing_item import ItemImport, Outcome  # loaded when there is something to import

BATCH_BYTES = 2 << 20
"""Event bytes after which the next read point ends a transaction."""

_FATAL = frozenset({"unavailable", "full", "unsupported_schema"})
"""Store failures that every further item would meet as well."""
_UNLIMITED = ImportLimits()


class ImportService:
    """Imports from `sources` into `store`. `offload` runs the blocking reading; sources never run concurrently."""

    def __init__(
        self,
        store: SessionStore,
        sources: Sequence[ConfiguredSource],
        *,
        clock: Clock,
        offload: Offload,
        namespace_id: str = LOCAL_NAMESPACE,
        batch_bytes: int = BATCH_BYTES,
    ) -> None:
        self._store = store
        self._sources = tuple(sources)
        self._clock = clock
        self._offload = offload
        self._namespace_id = namespace_id
        self._batch_bytes = batch_bytes

    async def survey(self) -> ImportReport:
        """What there is and what of it would be read, without reading it."""
        survey = await self._look()
        return _report(survey)

    async def run(self, *, limits: ImportLimits = _UNLIMITED, on_progress: OnProgress | None = None) -> ImportReport:
        """Import what is new. Raises StoreError when the store cannot take more; what was committed stays.

        `on_progress` is called before each item and after the last one.
        """
        survey = await self._look()
        progress = _Progress(survey.candidates, on_progress)
        for candidate in survey.candidates:
            if self._is_over(limits, progress.items_done):
                break
            progress.tell(candidate)
            await self._import(candidate, limits)
            progress.advance(candidate)
        progress.finish()
        return _report(survey)

    async def _look(self) -> Survey:
        survey = Survey(self._store, namespace_id=self._namespace_id, offload=self._offload)
        await survey.look(self._sources)
        return survey

    def _is_over(self, limits: ImportLimits, items_done: int) -> bool:
        return self._is_due(limits) or (limits.items is not None and items_done >= limits.items)

    def _is_due(self, limits: ImportLimits) -> bool:
        return limits.deadline is not None and self._clock.monotonic() >= limits.deadline

    async def _import(self, candidate: Candidate, limits: ImportLimits) -> None:
        path = str(candidate.item.path)
        try:
            outcome = await self._attempt(candidate, limits)
        except SourceError as error:
            candidate.tally.refuse(path, error.message)
        except StoreError as error:
            if error.code in _FATAL:
                raise
            candidate.tally.refuse(path, f"{error.code}: {error.message}")
        except Exception as error:  # noqa: BLE001 - a source is a plugin; its bug must not stop the other items
            candidate.tally.refuse(path, f"{type(error).__name__}: {error}")
        else:
            _count(candidate, outcome)

    async def _attempt(self, candidate: Candidate, limits: ImportLimits) -> Outcome:
        """Import an item; if another process wrote its entry meanwhile, look at that entry and try once more."""
        try:
            return await self._item(candidate).run(lambda: self._is_due(limits))
        except StoreError as error:
            if error.code != "conflict":
                raise
        name = candidate.configured.source.name
        entries = await self._store.ledger(self._namespace_id, name)
        entry = entries.get(candidate.item.key)
        if entry is not None and is_current(entry, candidate.item, candidate.configured.source):
            from .importing_item import Outcome

            return Outcome("unchanged", entry, is_cut=False)
        if entry is not None:
            candidate.claims.record(entry)
        return await self._item(candidate._replace(entry=entry)).run(lambda: self._is_due(limits))

    def _item(self, candidate: Candidate) -> ItemImport:
        from .importing_item import ItemImport

        return ItemImport(
            self._store,
            candidate,
            namespace_id=self._namespace_id,
            offload=self._offload,
            batch_bytes=self._batch_bytes,
        )


class _Progress:
    """Counts items and bytes for the caller who wants to watch."""

    def __init__(self, candidates: Sequence[Candidate], on_progress: OnProgress | None) -> None:
        self._on_progress = on_progress
        self._last: Candidate | None = None
        self._items_total = len(candidates)
        self._bytes_total = sum(candidate.item.size_bytes for candidate in candidates)
        self.items_done = 0
        self._bytes_done = 0

    def tell(self, candidate: Candidate) -> None:
        self._last = candidate
        if self._on_progress is not None:
            self._on_progress(
                ImportProgress(
                    source=candidate.configured.source.name,
                    path=str(candidate.item.path),
                    items_done=self.items_done,
                    items_total=self._items_total,
                    bytes_done=self._bytes_done,
                    bytes_total=self._bytes_total,
                )
            )

    def advance(self, candidate: Candidate) -> None:
        self.items_done += 1
        self._bytes_done += candidate.item.size_bytes

    def finish(self) -> None:
        if self._last is not None:
            self.tell(self._last)


def _count(candidate: Candidate, outcome: Outcome) -> None:
    candidate.tally.remember(outcome.entry, candidate.item)
    if not outcome.is_cut:
        candidate.tally.counts[outcome.kind] += 1


def _report(survey: Survey) -> ImportReport:
    roots = tuple(tally.report() for tally in survey.tallies)
    return ImportReport(roots=roots, complete=not any(root.remaining for root in roots))


__all__ = ["BATCH_BYTES", "ImportService"]
