"""What importers have read, and the transactions that store it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import msgspec

from starweaver_host.contract.errors import StoreError
from starweaver_host.contract.events import Event, UserMessage
from starweaver_host.contract.records import ACTIVE_RUN_STATUSES, FenceDeleting, Run, SessionHeader
from starweaver_host.contract.transcripts import ImportBatch, ImportReceipt, LedgerEntry
from starweaver_host.projection.display import HUMAN_SOURCES
from starweaver_host.projection.documents import NO_IDENTITIES, RunIdentities, identity_hash

from .documents import clip, outranks, with_runs, with_title
from .edits import insert
from .log import MemoryLog, check_next_seq, forget_messages, last_title
from .runs import put_run
from .state import Holding, State, StoredRun, conflict


class MemoryImports(MemoryLog):
    """ImportLedger."""

    async def ledger(self, namespace_id: str, source: str) -> Mapping[str, LedgerEntry]:
        """Item key -> entry without its state."""
        return {
            key: msgspec.structs.replace(entry, state=None)
            for (space, name, key), entry in self._state.ledger.items()
            if (space, name) == (namespace_id, source)
        }

    async def ledger_state(self, namespace_id: str, source: str, item_key: str) -> bytes | None:
        """The resume state of one item."""
        entry = self._state.ledger.get((namespace_id, source, item_key))
        return entry.state if entry is not None else None

    async def import_batch(self, batch: ImportBatch) -> ImportReceipt:
        """Store a batch. A session that was deleted here stays deleted; its ledger entry is written all the same."""
        with self._transaction() as work:
            version = self._write_entry(work, batch)
            header = batch.session
            if header is None:
                return ImportReceipt(session_id=None, next_seq=0, incarnation=0, ledger_version=version)
            known = work.find(batch.namespace_id, header.session_id)
            skipped = known is not None and self._is_skipped(known)
            if not skipped:
                self._store(work, batch, header, known)
            session = work.held(batch.namespace_id, header.session_id).session
            return ImportReceipt(
                session_id=header.session_id,
                next_seq=session.next_seq,
                incarnation=session.incarnation,
                ledger_version=version,
                created=known is None,
                skipped_tombstone=skipped,
            )

    def _is_skipped(self, known: Holding) -> bool:
        return known.session.status == "deleted"

    def _write_entry(self, work: State, batch: ImportBatch) -> int:
        place = (batch.namespace_id, batch.source, batch.ledger.item_key)
        found = work.ledger[place].version if place in work.ledger else 0
        self._check_entry(batch.ledger, found)
        work.ledger[place] = msgspec.structs.replace(batch.ledger, version=found + 1)
        return found + 1

    def _check_entry(self, entry: LedgerEntry, found: int) -> None:
        if found != entry.version:
            raise StoreError("conflict", f"ledger version {entry.version} was wanted, found {found}")

    def _store(self, work: State, batch: ImportBatch, header: SessionHeader, known: Holding | None) -> None:
        if header.namespace_id != batch.namespace_id:
            found = header.namespace_id
            raise StoreError("invalid", f"a session of namespace {batch.namespace_id!r} was wanted, found {found!r}")
        if known is None:
            now, updated_at = self._clock.now(), batch.updated_at or header.created_at
            holding = insert(work, header, updated_at=updated_at, imported_at=now)
        else:
            holding = self._opened(work, known, batch)
        if not batch.replace:
            check_next_seq(holding, batch.expected_next_seq)
        if known is None or batch.replace or self._says_something(batch, holding):
            holding = work.touch(holding)
            self._write_batch(work, replace(holding, replaced=holding.position) if batch.replace else holding, batch)

    def _opened(self, work: State, known: Holding, batch: ImportBatch) -> Holding:
        """A known session, made empty under a new incarnation if the batch replaces its log."""
        if isinstance(known.session.fence, FenceDeleting):
            raise conflict(known.session, "a session that takes events was wanted, found it being deleted")
        if not batch.replace:
            return known
        if known.lease is not None:
            raise StoreError("run_conflict", "no running run was wanted while replacing a log, found one")
        forget_messages(work, known)
        session = msgspec.structs.replace(
            known.session,
            incarnation=known.session.incarnation + 1,
            next_seq=0,
            counts=msgspec.structs.replace(known.session.counts, runs=0, events=0, tool_calls=0),
            head_run_id=None,
            active_run_id=None,
        )
        return Holding(
            session=session,
            position=known.position,
            generation=known.generation,
            titles=known.titles,
            pinned=known.pinned,
        )

    def _says_something(self, batch: ImportBatch, holding: Holding) -> bool:
        """Whether a batch changes a known session; one that does not moves no feed."""
        newer = batch.updated_at is not None and batch.updated_at > holding.session.updated_at
        return bool(batch.events or batch.runs) or newer or self._has_better_title(batch, holding)

    def _has_better_title(self, batch: ImportBatch, holding: Holding) -> bool:
        title = clip(batch.title)
        return title not in (None, holding.session.title) and outranks(holding, batch.title_source)

    def _write_batch(self, work: State, holding: Holding, batch: ImportBatch) -> None:
        first = holding.session.next_seq
        holding = self._appended(work, holding, batch.events)
        added = holding.events[first:]
        for run in batch.runs:
            holding = put_run(holding, _stored_run(holding, run, added))
        holding = with_runs(holding, holding.position)
        if self._has_better_title(batch, holding):
            holding = self._with_batch_title(holding, batch, added)
        work.put(self._with_times(_with_heads(holding), batch))

    def _with_batch_title(self, holding: Holding, batch: ImportBatch, added: Sequence[Event]) -> Holding:
        """The time of a title is its event's, or the session's beginning: the same however the transcript was cut."""
        title, found = clip(batch.title), last_title(added)
        named = found is not None and clip(found[0].title) == title
        set_at = found[1] if found is not None and named else holding.header.created_at
        return with_title(holding, title, batch.title_source, set_at=set_at, position=holding.position)

    def _with_times(self, holding: Holding, batch: ImportBatch) -> Holding:
        session = holding.session
        updated_at = session.updated_at if batch.updated_at is None else batch.updated_at
        return holding.with_session(
            updated_at=updated_at if batch.replace else max(updated_at, session.updated_at),
            imported_at=self._clock.now(),
            activity_revision=session.activity_revision + bool(batch.events or batch.runs),
        )


def _with_heads(holding: Holding) -> Holding:
    if not holding.runs:
        return holding
    active = [stored.run.run_id for stored in holding.runs if stored.run.status in ACTIVE_RUN_STATUSES]
    newest = holding.runs[-1].run
    holding = replace(holding, last_run_no=max(holding.last_run_no, newest.sequence_no))
    return holding.with_session(head_run_id=newest.run_id, active_run_id=active[0] if active else None)


def _stored_run(holding: Holding, run: Run, added: Sequence[Event]) -> StoredRun:
    before = holding.run(run.run_id)
    known = NO_IDENTITIES if before is None else before.identities
    own = [event for event in added if event.run_id == run.run_id]
    spoke = before is not None and bool(before.run.input)
    first = known.input if spoke else _first(event.identity for event in own if _is_human(event))
    last = _first(event.identity for event in reversed(own) if event.type == "assistant/message")
    return StoredRun(run, RunIdentities(first, last or known.output))


def _is_human(event: Event) -> bool:
    payload = event.payload()
    return isinstance(payload, UserMessage) and payload.source in HUMAN_SOURCES


def _first(identities: Iterable[str | None]) -> bytes | None:
    found = next(iter(identities), None)
    return None if found is None else identity_hash(found)


__all__ = ["MemoryImports"]
