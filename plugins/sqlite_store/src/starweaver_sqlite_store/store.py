"""The SessionStore: every operation of the contract as one hop to a function that runs in one transaction.

Nothing here knows of threads or loops: the product's `offload` decides where a function runs. An operation is imported
when it is first called: a command calls three or four of them, and all together cost as much as a bare interpreter.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import structs

from starweaver_host.contract.corpus import (
    Attribution,
    CorpusBatch,
    CorpusQuery,
    DocumentRef,
    FeedPage,
    StoreIdentity,
)
from starweaver_host.contract.errors import StoreError
from starweaver_host.contract.events import NewEvent
from starweaver_host.contract.records import (
    AccessScope,
    Checkpoint,
    Run,
    RunStatus,
    Session,
    SessionChange,
    SessionDraft,
    SessionKey,
)
from starweaver_host.contract.registration import Offload
from starweaver_host.contract.store import (
    AdmittedRun,
    AppendResult,
    EventWindow,
    HeartbeatReply,
    RunAdmission,
    RunLease,
    RunListQuery,
    RunOutcome,
    RunPage,
    SessionListQuery,
    SessionPage,
    StoreHealth,
)
from starweaver_host.contract.transcripts import ImportBatch, ImportReceipt, LedgerEntry

from . import feed, ledger, meta
from .database import Database

if TYPE_CHECKING:
    from starweaver_host.contract.indexing import IndexStatus

T = TypeVar("T")


class SqliteSessionStore:
    """A SessionStore over one database file. See `contract.store` for what every method promises."""

    def __init__(self, database: Database, offload: Offload) -> None:
        self._database = database
        self._offload = offload

    async def create_session(self, draft: SessionDraft) -> Session:
        from . import edits

        return await self._write(edits.create_session, draft)

    async def get_session(self, scope: AccessScope, session_id: str) -> Session:
        from . import listing

        return await self._read(listing.get_session, scope, session_id)

    async def get_sessions(self, scope: AccessScope, session_ids: Sequence[str]) -> tuple[Session, ...]:
        from . import listing

        return await self._read(listing.get_sessions, scope, session_ids)

    async def list_sessions(self, scope: AccessScope, query: SessionListQuery) -> SessionPage:
        from . import listing

        return await self._read(listing.list_sessions, scope, query)

    async def resolve_session(self, scope: AccessScope, text: str, *, limit: int = 10) -> tuple[str, ...]:
        from . import listing

        return await self._read(listing.resolve_session, scope, text, limit)

    async def update_session(
        self, scope: AccessScope, session_id: str, change: SessionChange, *, expected_revision: int | None = None
    ) -> Session:
        from . import edits

        return await self._write(edits.update_session, scope, session_id, change, expected_revision)

    async def acquire_fence(
        self, scope: AccessScope, session_id: str, *, fence_id: str, requested_by: str, expected_revision: int | None
    ) -> Session:
        from . import edits

        return await self._write(
            edits.acquire_fence,
            scope,
            session_id,
            fence_id=fence_id,
            requested_by=requested_by,
            expected_revision=expected_revision,
        )

    async def release_fence(self, scope: AccessScope, session_id: str, *, fence_id: str) -> Session:
        from . import edits

        return await self._write(edits.release_fence, scope, session_id, fence_id)

    async def tombstone_session(self, scope: AccessScope, session_id: str, *, fence_id: str) -> Session:
        from . import edits

        return await self._write(edits.tombstone_session, scope, session_id, fence_id)

    async def admit_run(self, admission: RunAdmission) -> AdmittedRun:
        from .admission import admit_run

        return await self._write(admit_run, admission)

    async def heartbeat(self, lease: RunLease, *, lease_seconds: float = 30.0) -> HeartbeatReply:
        from . import leases

        return await self._write(leases.heartbeat, lease, lease_seconds)

    async def transition_run(self, lease: RunLease, status: RunStatus) -> Run:
        from . import leases

        return await self._write(leases.transition_run, lease, status)

    async def save_checkpoint(self, lease: RunLease, checkpoint: Checkpoint) -> None:
        from . import leases

        await self._write(leases.save_checkpoint, lease, checkpoint)

    async def load_checkpoint(self, scope: AccessScope, session_id: str, run_id: str) -> Checkpoint | None:
        from . import runs

        return await self._read(runs.load_checkpoint, scope, session_id, run_id)

    async def finalise_run(self, lease: RunLease, outcome: RunOutcome) -> Run:
        from . import leases

        return await self._write(leases.finalise_run, lease, outcome)

    async def get_run(self, scope: AccessScope, session_id: str, run_id: str) -> Run:
        from . import runs

        return await self._read(runs.get_run, scope, session_id, run_id)

    async def list_runs(self, scope: AccessScope, session_id: str, query: RunListQuery) -> RunPage:
        from . import runs

        return await self._read(runs.list_runs, scope, session_id, query)

    async def delete_run(self, scope: AccessScope, session_id: str, run_id: str) -> None:
        from . import runs

        await self._write(runs.delete_run, scope, session_id, run_id)

    async def reconcile_expired(self, namespace_id: str, *, limit: int = 100) -> tuple[Run, ...]:
        from . import leases

        return await self._write(leases.reconcile_expired, namespace_id, limit)

    async def append(
        self,
        key: SessionKey,
        events: Sequence[NewEvent],
        *,
        lease: RunLease | None = None,
        expected_next_seq: int | None = None,
    ) -> AppendResult:
        from . import log

        return await self._write(log.append, key, events, lease, expected_next_seq)

    async def read_events(
        self, scope: AccessScope, session_id: str, *, from_seq: int = 0, limit: int = 1000
    ) -> EventWindow:
        from .log_reading import read_events

        return await self._read(read_events, scope, session_id, from_seq, limit)

    async def ledger(self, namespace_id: str, source: str) -> Mapping[str, LedgerEntry]:
        return await self._read(ledger.entries, namespace_id, source)

    async def ledger_state(self, namespace_id: str, source: str, item_key: str) -> bytes | None:
        return await self._read(ledger.state, namespace_id, source, item_key)

    async def import_batch(self, batch: ImportBatch) -> ImportReceipt:
        from .importing import import_batch

        return await self._offload(self._database.write_relaxed, import_batch, batch)

    async def scan_corpus(self, query: CorpusQuery) -> AsyncGenerator[CorpusBatch, None]:
        from .scan import CorpusScan

        scan = CorpusScan(self._database, query)
        try:
            while page := await self._offload(scan.next_page):
                for batch in page:
                    yield batch
        finally:
            scan.close()  # nothing to await, which a cancellation could cut short

    async def rewritten(self, query: CorpusQuery) -> int:
        from . import rewrites

        return await self._read(rewrites.count, query)

    async def read_texts(self, scope: AccessScope, refs: Sequence[DocumentRef]) -> tuple[str | None, ...]:
        from .texts import read_texts

        return await self._read(read_texts, scope, refs)

    async def attribute(self, scope: AccessScope, identities: Sequence[bytes]) -> tuple[Attribution, ...]:
        from .identities import attribute

        return await self._read(attribute, scope, identities)

    async def changes(self, namespace_id: str, *, after: str | None = None, limit: int = 1000) -> FeedPage:
        return await self._read(feed.changes, namespace_id, after, limit)

    async def position(self, namespace_id: str) -> str:
        return await self._read(feed.position, namespace_id)

    async def identity(self) -> StoreIdentity:
        return await self._read(meta.identity)

    async def cursor_key(self) -> bytes:
        return await self._read(meta.cursor_key)

    async def check(self) -> StoreHealth:
        from .health import check

        return await self._read(check, str(self._database.path), self._database.size_bytes())

    async def status(self) -> IndexStatus:
        """The corpus as an index (`contract.indexing.IndexMaintenance`)."""
        from . import upkeep

        return await self._read(upkeep.status)

    async def rebuild(self) -> IndexStatus:
        """Write the corpus again (`rebuild_corpus`); not healthy when sessions had to be left as they are."""
        damaged = await self.rebuild_corpus()
        found = await self.status()
        if not damaged:
            return found
        detail = f"{len(damaged)} sessions are damaged and were left as they are, the first is {damaged[0]!r}"
        return structs.replace(found, healthy=False, detail=detail)

    async def verify(self) -> IndexStatus:
        """Compare the corpus with the records. Reads and folds everything."""
        from . import upkeep

        return await self._read(upkeep.verify)

    async def rebuild_corpus(self) -> tuple[str, ...]:
        """Write the whole search corpus again with this version's fold and projection.

        Needed when `identity()` names other versions than the host's. Returns the ids of sessions that were left as
        they are because their logs are damaged. Searches and writes go on meanwhile.
        """
        from starweaver_host.projection.documents import PROJECTION_VERSION
        from starweaver_host.projection.folding import FOLD_VERSION

        from . import rebuild

        damaged: list[str] = []
        place = await self._read(rebuild.next_session, ("", ""))
        while place is not None:
            try:
                await self._offload(self._database.write_relaxed, rebuild.rebuild_session, place)
            except StoreError as error:
                if error.code != "corrupt":
                    raise
                damaged.append(place[1])
            place = await self._read(rebuild.next_session, place)
        versions = {"fold_version": FOLD_VERSION, "projection_version": PROJECTION_VERSION}
        await self._write(meta.set_versions, **versions)
        return tuple(damaged)

    async def _read(self, function: Callable[..., T], *args: Any) -> T:
        return await self._offload(self._database.read, function, *args)

    async def _write(self, function: Callable[..., T], *args: Any, **kwargs: Any) -> T:
        return await self._offload(partial(self._database.write, function, *args, **kwargs))


__all__ = ["SqliteSessionStore"]
