"""What there is to import: roots and items of every source beside what the ledger remembers. Reads no transcript.

Costs a stat per item and one ledger query per source.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from starweaver_host.contract.errors import SourceError
from starweaver_host.contract.registration import Offload
from starweaver_host.contract.store import ImportLedger
from starweaver_host.contract.transcripts import (
    LedgerEntry,
    SourceEnvironment,
    SourceItem,
    SourceRoot,
    TranscriptSource,
)

from .importing_claims import Claims
from .importing_report import ItemNote, SourceReport


class ConfiguredSource(NamedTuple):
    """A source and where it may look."""

    source: TranscriptSource
    env: SourceEnvironment


class Candidate(NamedTuple):
    """An item that has to be read, the tally of its root, and what the ledger remembers of it."""

    configured: ConfiguredSource
    item: SourceItem
    entry: LedgerEntry | None
    tally: Tally
    claims: Claims


class Tally:
    """Counts of one root while an import runs."""

    def __init__(self, source: str, root: SourceRoot) -> None:
        self._source = source
        self._root = root
        self.counts = dict.fromkeys(("imported", "extended", "rewritten", "unchanged"), 0)
        self.found = 0
        self.skipped_records = 0
        self.unreadable: list[ItemNote] = []
        self.notes: list[ItemNote] = []

    def remember(self, entry: LedgerEntry, item: SourceItem) -> None:
        """Count what the ledger says of an item."""
        self.skipped_records += entry.skipped_records
        if entry.note is not None:
            self.notes.append(ItemNote(path=str(item.path), text=entry.note))

    def refuse(self, path: str, text: str) -> None:
        """Note an item or root that could not be read."""
        self.unreadable.append(ItemNote(path=path, text=text))

    def report(self) -> SourceReport:
        """The counts so far; what was found and neither done nor refused remains."""
        refused = sum(note.path != str(self._root.path) for note in self.unreadable)
        return SourceReport(
            source=self._source,
            root=str(self._root.path),
            exists=self._root.exists,
            reason=self._root.reason,
            warning=self._root.warning,
            found=self.found,
            remaining=self.found - sum(self.counts.values()) - refused,
            skipped_records=self.skipped_records,
            unreadable=tuple(self.unreadable),
            notes=tuple(self.notes),
            **self.counts,
        )


class Survey:
    """Every root's tally and the items that have to be read, newest first."""

    def __init__(self, ledger: ImportLedger, *, namespace_id: str, offload: Offload) -> None:
        self._ledger = ledger
        self._namespace_id = namespace_id
        self._offload = offload
        self.tallies: list[Tally] = []
        self.candidates: list[Candidate] = []

    async def look(self, configured: Sequence[ConfiguredSource]) -> None:
        """List everything and compare it with the ledger."""
        for each in configured:
            entries = await self._ledger.ledger(self._namespace_id, each.source.name)
            listed = await self._offload(_list_items, each)
            found = {item.key: item.newest for _, items, _ in listed for item in items}
            claims = Claims(entries, found)
            for root, items, problem in listed:
                tally = Tally(each.source.name, root)
                self.tallies.append(tally)
                if problem is not None:
                    tally.refuse(str(root.path), problem)
                self._compare(each, items, entries, tally, claims)
        self.candidates.sort(key=_urgency)

    def _compare(
        self,
        each: ConfiguredSource,
        items: Sequence[SourceItem],
        entries: Mapping[str, LedgerEntry],
        tally: Tally,
        claims: Claims,
    ) -> None:
        for item in items:
            entry = entries.get(item.key)
            tally.found += 1
            if entry is not None and is_current(entry, item, each.source):
                tally.counts["unchanged"] += 1
                tally.remember(entry, item)
            else:
                self.candidates.append(Candidate(each, item, entry, tally, claims))


def is_current(entry: LedgerEntry, item: SourceItem, source: TranscriptSource) -> bool:
    """Tell whether an item was wholly read as it is now, by the reader as it is now."""
    same = entry.fingerprint == item.fingerprint and entry.reader_version == source.reader_version
    return same and entry.complete


def _urgency(candidate: Candidate) -> tuple[int, str, str]:
    return (-candidate.item.newest, candidate.configured.source.name, candidate.item.key)


Listed = tuple[SourceRoot, list[SourceItem], str | None]


def _list_items(configured: ConfiguredSource) -> list[Listed]:
    """Roots with their items, an item that two roots hold under the first, and why a root could not be listed."""
    source, env = configured
    seen: set[str] = set()
    listed: list[Listed] = []
    for root in source.roots(env):
        items: list[SourceItem] = []
        problem = None
        try:
            for item in source.items(env, root) if root.exists else ():
                if item.key not in seen:
                    seen.add(item.key)
                    items.append(item)
        except SourceError as error:
            problem = error.message
        except Exception as error:  # noqa: BLE001 - a failing disk or a source's bug costs one root, not the import
            problem = f"{type(error).__name__}: {error}"
        listed.append((root, items, problem))
    return listed


__all__ = ["Candidate", "ConfiguredSource", "Survey", "Tally", "is_current"]
