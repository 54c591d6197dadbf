"""One item from its reader into the store, transaction by transaction.

The ledger entry travels with every transaction. Where one cut of the reading fills several transactions (an item with
several sessions), the entry says "read again from the start" until the last of them, so that a crash between leaves
nothing half and nothing twice.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

import msgspec

from starweaver_host.contract.registration import Offload
from starweaver_host.contract.store import SessionStore
from starweaver_host.contract.transcripts import ImportBatch, ImportReceipt, ItemDone, LedgerEntry, ReadStep

from .importing_chunks import SKIPS_NAMED, Chunk, Cut, Cutter
from .importing_logs import SessionLog, SessionLogs
from .importing_survey import Candidate

Kind = Literal["imported", "extended", "rewritten", "unchanged"]


class Outcome(NamedTuple):
    """What became of an item; `is_cut` when it was left at a read point for the next time."""

    kind: Kind
    entry: LedgerEntry
    is_cut: bool


class _LogLostError(Exception):
    """The reader went on with a session the store does not hold: read the item from its start."""


class ItemImport:
    """Imports one candidate."""

    def __init__(
        self, store: SessionStore, candidate: Candidate, *, namespace_id: str, offload: Offload, batch_bytes: int
    ) -> None:
        self._store = store
        self._candidate = candidate
        self._namespace_id = namespace_id
        self._offload = offload
        self._batch_bytes = batch_bytes
        self._begin(candidate.claims.entry(candidate.item.key))

    async def run(self, is_due: Callable[[], bool]) -> Outcome:
        """Read and store; stop at a read point when `is_due` says so. Raises what source and store raise."""
        try:
            return await self._read(await self._resume_state(), is_due)
        except _LogLostError:
            self._begin(self._entry)
            return await self._read(None, is_due)

    def _begin(self, entry: LedgerEntry | None) -> None:
        self._entry = entry
        self._logs = SessionLogs(self._store, self._namespace_id)
        self._refused: set[str] = set()
        self._notes: list[str] = []
        self._skips: list[str] = []
        self._held: dict[str, None] = {}
        self._skipped = 0
        self._stored = 0
        self._resumed = False
        self._replaced = False

    async def _resume_state(self) -> bytes | None:
        source, entry = self._candidate.configured.source, self._entry
        if entry is None or entry.reader_version != source.reader_version:
            return None
        return await self._store.ledger_state(self._namespace_id, source.name, entry.item_key)

    async def _read(self, state: bytes | None, is_due: Callable[[], bool]) -> Outcome:
        if state is not None and self._entry is not None:
            self._resumed = True
            self._held = dict.fromkeys(self._entry.session_ids)
        source, env = self._candidate.configured
        steps = source.read(env, self._candidate.item, state)
        cutter = Cutter(steps, batch_bytes=self._batch_bytes)
        try:
            while True:
                cut = await self._offload(cutter.next_cut)
                entry = await self._store_cut(cut)
                if cut.done is not None:
                    return Outcome(self._kind(), entry, is_cut=False)
                if cut.state is not None and is_due():
                    return Outcome(self._kind(), entry, is_cut=True)
        finally:
            _close(steps)

    def _kind(self) -> Kind:
        if self._candidate.entry is None:
            return "imported"
        if self._replaced:
            return "rewritten"
        return "extended" if self._stored else "unchanged"

    async def _store_cut(self, cut: Cut) -> LedgerEntry:
        self._skipped += cut.skipped
        self._skips.extend(cut.skips[: SKIPS_NAMED - len(self._skips)])
        chunks = [chunk for chunk in cut.chunks if await self._is_ours(chunk)]
        self._replaced = self._replaced or any(chunk.replace and self._was_held(chunk) for chunk in chunks)
        for chunk in chunks[:-1]:
            await self._commit(self._batch(self._next_entry(None)), chunk)
        if chunks:
            return await self._commit(self._batch(self._next_entry(cut)), chunks[-1])
        return await self._commit(self._batch(self._next_entry(cut)), None)

    def _was_held(self, chunk: Chunk) -> bool:
        entry = self._candidate.entry
        return entry is not None and chunk.seen.header.session_id in entry.session_ids

    async def _is_ours(self, chunk: Chunk) -> bool:
        """Whether this item is the session's transcript; takes the session over from an older copy."""
        session_id = chunk.seen.header.session_id
        key, claims = self._candidate.item.key, self._candidate.claims
        if session_id in self._refused:
            return False
        holder = claims.holder(session_id)
        if not claims.may_take(session_id, key):
            self._refused.add(session_id)
            self._notes.append(f"session {session_id!r} is held by a newer file, {holder!r}")
            return False
        if holder is not None and holder != key:
            await self._release(holder, session_id)
        self._held[session_id] = None
        return True

    async def _release(self, holder: str, session_id: str) -> None:
        entry = self._candidate.claims.entry(holder)
        if entry is None:
            return
        kept = tuple(each for each in entry.session_ids if each != session_id)
        released = msgspec.structs.replace(entry, session_ids=kept, state=None)
        receipt = await self._store.import_batch(self._batch(released))
        self._candidate.claims.record(msgspec.structs.replace(released, version=receipt.ledger_version))

    async def _commit(self, batch: ImportBatch, chunk: Chunk | None) -> LedgerEntry:
        log = None if chunk is None else await self._logs.open(chunk.seen.header.session_id)
        if chunk is not None and log is not None and not log.is_dead:
            batch = self._filled(batch, chunk, log)
        receipt = await self._store.import_batch(batch)
        if log is not None and batch.session is not None:
            self._advance(log, batch, receipt)
        self._entry = msgspec.structs.replace(batch.ledger, version=receipt.ledger_version, state=None)
        self._candidate.claims.record(self._entry)
        return self._entry

    def _filled(self, batch: ImportBatch, chunk: Chunk, log: SessionLog) -> ImportBatch:
        seen = chunk.seen
        if not log.exists and self._resumed and not chunk.replace:
            raise _LogLostError
        # A reading from the start never goes on with a log, whatever the reader says.
        replace = chunk.replace or (log.next_seq > 0 and not log.is_touched and not self._resumed)
        if replace:
            log.restart(self._logs.new_fold(seen.header.session_id))
        for event in chunk.events:
            log.fold.apply(event)
        return msgspec.structs.replace(
            batch,
            session=msgspec.structs.replace(seen.header, namespace_id=self._namespace_id),
            replace=replace,
            title=seen.title,
            title_source=seen.title_source,
            updated_at=seen.updated_at,
            expected_next_seq=log.next_seq,
            events=tuple(chunk.events),
            runs=log.fold.take(),
        )

    def _advance(self, log: SessionLog, batch: ImportBatch, receipt: ImportReceipt) -> None:
        log.is_dead = receipt.skipped_tombstone
        log.exists = log.is_touched = True
        log.next_seq = receipt.next_seq
        self._stored += len(batch.events)

    def _batch(self, entry: LedgerEntry) -> ImportBatch:
        return ImportBatch(namespace_id=self._namespace_id, source=self._candidate.configured.source.name, ledger=entry)

    def _next_entry(self, cut: Cut | None) -> LedgerEntry:
        """The entry after a transaction; without a cut, or in the middle of something, it asks for a reading anew."""
        done = cut.done if cut is not None else None
        before = self._candidate.entry if self._resumed and not self._replaced else None
        return LedgerEntry(
            item_key=self._candidate.item.key,
            fingerprint=self._candidate.item.fingerprint if done is not None else "",
            reader_version=self._candidate.configured.source.reader_version,
            session_ids=tuple(self._held),
            skipped_records=self._skipped + (before.skipped_records if before is not None else 0),
            complete=done is not None and done.complete,
            note=self._note(done, before),
            state=None if cut is None or self._refused else cut.state,
            version=self._entry.version if self._entry is not None else 0,
        )

    def _note(self, done: ItemDone | None, before: LedgerEntry | None) -> str | None:
        """What there is to say of the item; an extension that has nothing to say keeps what was said of the rest."""
        said = [done.note] if done is not None and done.note else []
        more = self._skipped - len(self._skips)
        skips = ", ".join([*self._skips, *([f"and {more} more"] if more else [])])
        said += [f"left out {skips}"] if self._skips else []
        kept = before.note if before is not None else None
        return "; ".join([*said, *self._notes]) or kept


def _close(steps: Iterator[ReadStep]) -> None:
    """Free what the reader holds open; one that still runs on its thread closes when it is collected."""
    close = getattr(steps, "close", None)
    if close is not None:
        with contextlib.suppress(ValueError):
            close()


__all__ = ["ItemImport", "Outcome"]
