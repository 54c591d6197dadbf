"""SessionStore: the durable truth, one transaction domain in five groups of operations.

Every method runs whole or not at all. Reads and edits take an AccessScope and apply it inside: what lies outside is
`not_found`. All raise StoreError; a busy or locked engine is `unavailable` and retryable, a full disk `full`. Methods
are coroutines; an implementation with a blocking engine offloads to its own threads. A commit that returned survives
the death of the process.

Some operations take no scope, because nothing a caller said decides what they reach. `create_session` and `admit_run`
are the host's own: it writes the header, owner included, or has read the session under a scope before it admits;
`contract.controlled` has them scoped, for callers. The lease operations and an `append` under a lease prove ownership
by the lease. `import_batch` and the ledger are the importer's, which writes one namespace. An append without a lease is
the host's as well. Nothing of these may be handed to an agent or a request handler directly.

A damaged record is `corrupt`, naming it, for who asks for it by its id. Lists, batches, scans and reconciliation leave
it out and give the rest; `check` reports it.

Order of lists is part of the contract: sessions by (`updated_at` descending, `session_id` descending), runs by
`sequence_no` ascending (or descending where asked), events by `seq` ascending, feed rows by position ascending.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Protocol, runtime_checkable

from .admission import AdmittedRun, HeartbeatReply, RunAdmission, RunLease, RunOutcome
from .corpus import Attribution, CorpusBatch, CorpusFilter, CorpusQuery, DocumentRef, FeedPage, StoreIdentity
from .events import Event, NewEvent
from .records import (
    AccessScope,
    Checkpoint,
    Run,
    RunStatus,
    Session,
    SessionChange,
    SessionDraft,
    SessionKey,
)
from .transcripts import ImportBatch, ImportReceipt, LedgerEntry
from .values import Value

PAGE_MAX = 500
"""Most rows of one list page; a larger limit is `invalid`."""


class SessionListQuery(Value, frozen=True, kw_only=True):
    """Which sessions, and how many. `after` is the keyset position of the last row seen."""

    filter: CorpusFilter = CorpusFilter()
    limit: int = 50
    after: tuple[int, str] | None = None


class SessionPage(Value, frozen=True, kw_only=True):
    """Sessions and the keyset position to go on from; None on the last page."""

    sessions: tuple[Session, ...]
    after: tuple[int, str] | None = None


class RunListQuery(Value, frozen=True, kw_only=True):
    """Runs of one session. `after` is a sequence_no, exclusive, in the direction of the order."""

    statuses: tuple[RunStatus, ...] = ()
    newest_first: bool = False
    limit: int = 50
    after: int | None = None


class RunPage(Value, frozen=True, kw_only=True):
    """Runs and where to go on; None on the last page."""

    runs: tuple[Run, ...]
    after: int | None = None


class AppendResult(Value, frozen=True, kw_only=True):
    """Where appended events landed: seqs `first_seq` to `next_seq - 1`, at feed position `position`."""

    first_seq: int
    next_seq: int
    position: str


class EventWindow(Value, frozen=True, kw_only=True):
    """Events ascending by seq, and the state of the log they were read from."""

    events: tuple[Event, ...]
    next_seq: int
    incarnation: int


class StoreHealth(Value, frozen=True, kw_only=True):
    """Result of an integrity check. `problems` are one-line texts; empty means healthy."""

    engine: str
    location: str | None
    schema_version: int
    size_bytes: int
    sessions: int
    events: int
    problems: tuple[str, ...] = ()


class SessionCatalog(Protocol):
    """Sessions as records."""

    async def create_session(self, draft: SessionDraft) -> Session:
        """Create a session; `already_exists` when the id is taken, tombstones included."""
        ...

    async def get_session(self, scope: AccessScope, session_id: str) -> Session:
        """Read one session, or `not_found`."""
        ...

    async def get_sessions(self, scope: AccessScope, session_ids: Sequence[str]) -> tuple[Session, ...]:
        """Read many; absent ones are left out, order is the order asked for."""
        ...

    async def list_sessions(self, scope: AccessScope, query: SessionListQuery) -> SessionPage:
        """A keyset page, newest first. Cost is that of the page, not of the table."""
        ...

    async def resolve_session(self, scope: AccessScope, text: str, *, limit: int = 10) -> tuple[str, ...]:
        """Session ids that `text` may mean: the exact id alone if it exists, else ids and native ids that it begins."""
        ...

    async def update_session(
        self, scope: AccessScope, session_id: str, change: SessionChange, *, expected_revision: int | None = None
    ) -> Session:
        """Edit; `conflict` with `current_revision` when `expected_revision` is another, or when deleting or deleted.

        A title set here has source `user` and wins over later imports. Moves `revision`, not `activity_revision`.
        """
        ...

    async def acquire_fence(
        self, scope: AccessScope, session_id: str, *, fence_id: str, requested_by: str, expected_revision: int | None
    ) -> Session:
        """Begin a deletion, even while a run is active. The same `fence_id` again is the same fence."""
        ...

    async def release_fence(self, scope: AccessScope, session_id: str, *, fence_id: str) -> Session:
        """Give up a deletion that cannot complete; the session is `stable` again."""
        ...

    async def tombstone_session(self, scope: AccessScope, session_id: str, *, fence_id: str) -> Session:
        """Complete a deletion: status `deleted`, evidence kept, never listed or searched unless asked by name.

        `run_conflict` while a live lease holds a run of the session; a run whose lease has expired is cancelled with
        it (`reconcile_expired`). Messages it shared count in the next earliest session from then on. Again with the
        same fence: the same answer.
        """
        ...


class RunRegister(Protocol):
    """Runs: transactional admission, ownership by lease and fencing generation, terminal projection."""

    async def admit_run(self, admission: RunAdmission) -> AdmittedRun:
        """Admit one run: at most one active run per session.

        `not_found`, `conflict` (session not active, or fenced), `run_conflict` (another run is active),
        `already_exists` (run id taken), `idempotency_conflict` (same key, other fingerprint). An expired lease is
        reconciled here first.
        """
        ...

    async def heartbeat(self, lease: RunLease, *, lease_seconds: float = 30.0) -> HeartbeatReply:
        """Renew the lease; `stale_fence` when it is not the current one or has expired."""
        ...

    async def transition_run(self, lease: RunLease, status: RunStatus) -> Run:
        """Move an active run to another active status. `terminal` when it has ended."""
        ...

    async def save_checkpoint(self, lease: RunLease, checkpoint: Checkpoint) -> None:
        """Replace the run's checkpoint."""
        ...

    async def load_checkpoint(self, scope: AccessScope, session_id: str, run_id: str) -> Checkpoint | None:
        """The run's checkpoint, if it has one."""
        ...

    async def finalise_run(self, lease: RunLease, outcome: RunOutcome) -> Run:
        """End a run and release its lease. Repeating the same outcome is idempotent, another one is `terminal`."""
        ...

    async def get_run(self, scope: AccessScope, session_id: str, run_id: str) -> Run:
        """Read one run, or `not_found`."""
        ...

    async def list_runs(self, scope: AccessScope, session_id: str, query: RunListQuery) -> RunPage:
        """Runs of a session."""
        ...

    async def delete_run(self, scope: AccessScope, session_id: str, run_id: str) -> None:
        """Prune a terminal run's record and its documents. Its events stay. `run_conflict` while it is active."""
        ...

    async def reconcile_expired(self, namespace_id: str, *, limit: int = 100) -> tuple[Run, ...]:
        """Cancel runs whose lease has expired (code `admission_lease_expired`) and return them."""
        ...


class EventLog(Protocol):
    """The append-only log of a session."""

    async def append(
        self,
        key: SessionKey,
        events: Sequence[NewEvent],
        *,
        lease: RunLease | None = None,
        expected_next_seq: int | None = None,
    ) -> AppendResult:
        """Append events and their projections (counts, title, documents, feed) in one transaction.

        `conflict` when `expected_next_seq` is not the log's; `stale_fence` for a lease that is not current, for events
        of another run than the lease's, and without a lease for events of the run that somebody holds; `invalid` for a
        malformed surface operation (`projection.surface.check_form`; whether a replaced range exists is found by the
        fold, on reading). A fenced session accepts appends of its owner's lease only.
        """
        ...

    async def read_events(
        self, scope: AccessScope, session_id: str, *, from_seq: int = 0, limit: int = 1000
    ) -> EventWindow:
        """At most `limit` events with seq >= `from_seq`. Cost is the window's. `corrupt` names what is damaged."""
        ...


class ImportLedger(Protocol):
    """What importers have read, and the transactions that store it."""

    async def ledger(self, namespace_id: str, source: str) -> Mapping[str, LedgerEntry]:
        """Item key -> entry, of everything this source has read. `state` is left out; see `ledger_state`."""
        ...

    async def ledger_state(self, namespace_id: str, source: str, item_key: str) -> bytes | None:
        """The resume state of one item."""
        ...

    async def import_batch(self, batch: ImportBatch) -> ImportReceipt:
        """Store a batch: sessions, runs, events, documents and the ledger entry, in one transaction.

        `conflict` when the ledger entry is not the one the batch was read against (another process was faster). A
        tombstoned session is skipped and reported, its ledger entry still written.
        """
        ...


class SearchCorpus(Protocol):
    """What search providers read."""

    def scan_corpus(self, query: CorpusQuery) -> AsyncGenerator[CorpusBatch, None]:
        """Batches newest first, all filters applied inside, of one snapshot.

        The snapshot is taken at the first batch and held until the last one or `aclose()`, which whoever stops early
        awaits. `invalid` for a position that is not of this feed, or a `beyond` past its head.
        """
        ...

    async def rewritten(self, query: CorpusQuery) -> int:
        """How many of the sessions a query selects lost documents that the corpus held at the query's `as_of`.

        A scan of the query misses what they lost: their log was replaced, or a document was rewritten so often that
        its older forms were given up. 0 without `as_of`. Deleted sessions and pruned runs are no loss.
        """
        ...

    async def read_texts(self, scope: AccessScope, refs: Sequence[DocumentRef]) -> tuple[str | None, ...]:
        """The original texts, in the order asked for; None where a document is gone or unreadable."""
        ...

    async def attribute(self, scope: AccessScope, identities: Sequence[bytes]) -> tuple[Attribution, ...]:
        """Owners of message identities that more than one session holds; identities of one session are left out."""
        ...

    async def changes(self, namespace_id: str, *, after: str | None = None, limit: int = 1000) -> FeedPage:
        """The change feed: one row per session that changed beyond `after`. Level-triggered; nothing to acknowledge.

        `invalid` for a position that is not of this feed or past its head: the store was set back, for instance to a
        backup, and what was read of it before is worth nothing.
        """
        ...

    async def position(self, namespace_id: str) -> str:
        """The feed position of the newest commit."""
        ...

    async def identity(self) -> StoreIdentity:
        """Epoch and versions, for generations."""
        ...

    async def cursor_key(self) -> bytes:
        """32 random bytes that live with the store: the HMAC key of every cursor over it."""
        ...


@runtime_checkable
class SessionStore(SessionCatalog, RunRegister, EventLog, ImportLedger, SearchCorpus, Protocol):
    """All groups over one transaction domain.

    A store may hold a sixth, control: `contract.control`, `contract.controlled` and `contract.subagents`.
    """

    async def check(self) -> StoreHealth:
        """Check integrity. Reads everything; for `doctor`, not for a hot path."""
        ...


__all__ = [
    "PAGE_MAX",
    "AdmittedRun",
    "AppendResult",
    "EventLog",
    "EventWindow",
    "HeartbeatReply",
    "ImportLedger",
    "RunAdmission",
    "RunLease",
    "RunListQuery",
    "RunOutcome",
    "RunPage",
    "RunRegister",
    "SearchCorpus",
    "SessionCatalog",
    "SessionListQuery",
    "SessionPage",
    "SessionStore",
    "StoreHealth",
]
