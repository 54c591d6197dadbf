"""Stores that are wrong about logs, imports and the ledger."""

# ruff: noqa: ARG002 (to ignore an argument is how some of these are wrong)
from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace as with_fields

from msgspec.structs import replace

from starweaver_host.conformance.memory.state import Holding, State
from starweaver_host.conformance.memory_store import MemorySessionStore
from starweaver_host.contract.errors import StoreError
from starweaver_host.contract.events import NewEvent
from starweaver_host.contract.records import AccessScope, Session, SessionKey
from starweaver_host.contract.store import AppendResult, EventWindow, RunLease
from starweaver_host.contract.transcripts import ImportBatch, ImportReceipt, LedgerEntry

from .kinds import CORPUS, wrong


class AppendsByHalves(MemorySessionStore):
    """Keeps the good events of a batch that it refuses."""

    async def append(
        self,
        key: SessionKey,
        events: Sequence[NewEvent],
        *,
        lease: RunLease | None = None,
        expected_next_seq: int | None = None,
    ) -> AppendResult:
        result = await super().append(key, events[:1], lease=lease, expected_next_seq=expected_next_seq)
        if len(events) > 1:
            rest = await super().append(key, events[1:], lease=lease)
            return replace(rest, first_seq=result.first_seq)
        return result


class AppendsAnywhere(MemorySessionStore):
    """Does not compare the end of the log."""

    async def append(
        self,
        key: SessionKey,
        events: Sequence[NewEvent],
        *,
        lease: RunLease | None = None,
        expected_next_seq: int | None = None,
    ) -> AppendResult:
        return await super().append(key, events, lease=lease)


class AnswersAnEarlierPosition(MemorySessionStore):
    """Reads the position of an append before it wrote."""

    async def append(
        self,
        key: SessionKey,
        events: Sequence[NewEvent],
        *,
        lease: RunLease | None = None,
        expected_next_seq: int | None = None,
    ) -> AppendResult:
        before = await self.position(key.namespace_id)
        result = await super().append(key, events, lease=lease, expected_next_seq=expected_next_seq)
        return replace(result, position=before)


class CutsWindowsShort(MemorySessionStore):
    """Loses the last event of a window that ends inside the log."""

    async def read_events(
        self, scope: AccessScope, session_id: str, *, from_seq: int = 0, limit: int = 1000
    ) -> EventWindow:
        window = await super().read_events(scope, session_id, from_seq=from_seq, limit=limit)
        whole = from_seq + len(window.events) == window.next_seq
        return window if whole or len(window.events) < 2 else replace(window, events=window.events[:-1])


class CountsCopies(MemorySessionStore):
    """Counts a message in every session that carries it."""

    def _session(self, state: State, holding: Holding) -> Session:
        session = super()._session(state, holding)
        messages = holding.nameless + len(holding.messages)
        return replace(session, counts=replace(session.counts, messages=messages))


class CountsWithTheDead(MemorySessionStore):
    """Leaves a shared message with its earliest session after that was deleted."""

    def _session(self, state: State, holding: Holding) -> Session:
        session, header = super()._session(state, holding), holding.header
        earliest = [min(state.holders[header.namespace_id, name]) for name in holding.messages]
        messages = holding.nameless + earliest.count((header.created_at, header.session_id))
        return replace(session, counts=replace(session.counts, messages=messages))


class RecountsInSilence(MemorySessionStore):
    """Moves the feed for sessions that were written, not for those that merely count otherwise."""

    @contextmanager
    def _transaction(self) -> Iterator[State]:
        before = self._state.sessions
        with super()._transaction() as work:
            yield work
            for place, holding in work.sessions.items():
                if place in before and with_fields(holding, position=before[place].position) == before[place]:
                    work.sessions[place] = before[place]


class AgesImports(MemorySessionStore):
    """Makes an imported conversation as new as its import."""

    async def import_batch(self, batch: ImportBatch) -> ImportReceipt:
        if batch.updated_at is not None:
            batch = replace(batch, updated_at=self._clock.now())
        return await super().import_batch(batch)


class Resurrects(MemorySessionStore):
    """Imports into a session that was deleted here."""

    def _is_skipped(self, known: Holding) -> bool:
        return False


class RetitlesWhatAPersonNamed(MemorySessionStore):
    """Takes the transcript's title whatever stands there."""

    def _has_better_title(self, batch: ImportBatch, holding: Holding) -> bool:
        return batch.title not in (None, holding.session.title)


class KeepsTheReplacedLog(MemorySessionStore):
    """Leaves the documents of a replaced log in the corpus."""

    def _opened(self, work: State, known: Holding, batch: ImportBatch) -> Holding:
        return with_fields(super()._opened(work, known, batch), displayed=known.displayed)


class StaysInItsIncarnation(MemorySessionStore):
    """Replaces a log without saying so."""

    def _opened(self, work: State, known: Holding, batch: ImportBatch) -> Holding:
        opened = super()._opened(work, known, batch)
        return opened.with_session(incarnation=known.session.incarnation)


class MovesWithEveryRefresh(MemorySessionStore):
    """Takes a batch that says nothing new for a change."""

    def _says_something(self, batch: ImportBatch, holding: Holding) -> bool:
        return True


class ImportsOverEachOther(MemorySessionStore):
    """Does not compare the version of a ledger entry."""

    def _check_entry(self, entry: LedgerEntry, found: int) -> None:
        return


class RecordsBeforeItStores(MemorySessionStore):
    """Writes the ledger entry of a batch that it refuses."""

    async def import_batch(self, batch: ImportBatch) -> ImportReceipt:
        try:
            return await super().import_batch(batch)
        except StoreError:
            with self._transaction() as work:
                self._write_entry(work, batch)
            raise


WRONG_LOGS = (
    wrong(
        AppendsByHalves,
        "test_malformed_surface_operation_is_invalid[message_without_operation]",
        "LogRules",
        "LeaseRules",
    ),
    wrong(AppendsAnywhere, "test_unexpected_next_seq_is_a_conflict", "LogRules"),
    wrong(AnswersAnEarlierPosition, "test_append_answers_a_position_that_covers_it", "FeedRules"),
    wrong(CutsWindowsShort, "test_window_is_the_slice_it_names[3-4]", "LogRules"),
    wrong(CountsCopies, "test_shared_history_counts_once_and_belongs_to_the_earliest", "ImportRules", "SharingRules"),
    wrong(CountsWithTheDead, "test_deleted_session_leaves_what_it_shared_to_the_next[first]", "SharingRules"),
    wrong(RecountsInSilence, "test_count_that_changes_elsewhere_moves_the_feed", "SharingRules"),
    wrong(AgesImports, "test_time_of_an_imported_session_is_its_transcripts", "ImportRules"),
    wrong(Resurrects, "test_deleted_session_stays_deleted", "ImportRules"),
    wrong(RetitlesWhatAPersonNamed, "test_title_a_person_set_here_wins", "ImportRules"),
    wrong(
        KeepsTheReplacedLog,
        "test_replacing_batch_begins_a_new_incarnation",
        "ImportRules",
        *CORPUS,
    ),
    wrong(StaysInItsIncarnation, "test_replacing_batch_begins_a_new_incarnation", "ImportRules", "FeedRules"),
    wrong(MovesWithEveryRefresh, "test_batch_that_says_nothing_new_moves_nothing", "ImportRules"),
    wrong(ImportsOverEachOther, "test_entry_read_at_another_version_is_a_conflict", "LedgerRules"),
    wrong(RecordsBeforeItStores, "test_malformed_event_refuses_the_whole_batch", "ImportRules", "LedgerRules"),
)

__all__ = ["WRONG_LOGS"]
