"""What the in-memory store holds. Values are immutable: a transaction works on a copy, a snapshot is a reference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import msgspec

from starweaver_host.contract.corpus import CorpusFilter
from starweaver_host.contract.errors import StoreError
from starweaver_host.contract.events import Event
from starweaver_host.contract.records import AccessScope, Checkpoint, Run, Session, SessionHeader
from starweaver_host.contract.store import AdmittedRun, RunLease
from starweaver_host.contract.transcripts import LedgerEntry
from starweaver_host.projection.documents import NO_IDENTITIES, RunIdentities, TextDocument

from .filters import sees_root, selects, shows


class StoredRun(NamedTuple):
    """A run with the identity hashes of its input and output messages."""

    run: Run
    identities: RunIdentities = NO_IDENTITIES


class StoredDocument(NamedTuple):
    """A document with its folded text. A scan as of position p sees it when since <= p < until."""

    document: TextDocument
    folded: bytes
    since: int
    until: int | None = None


class Receipt(NamedTuple):
    """The stored answer of a command, and the fingerprint it was given for."""

    fingerprint: str | None
    admitted: AdmittedRun


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding:
    """Everything of one session. `replaced` is the position at which its log was replaced last.

    `session` lacks what depends on other sessions (`counts.messages`). `runs` ascend by sequence_no. `messages` are
    the identities its messages carry, `nameless` counts those without one. `pinned`: its title was set here.
    """

    session: Session
    position: int = 0
    replaced: int = 0
    runs: tuple[StoredRun, ...] = ()
    last_run_no: int = 0
    checkpoints: Mapping[str, Checkpoint] = field(default_factory=dict)
    lease: RunLease | None = None
    generation: int = 0
    events: tuple[Event, ...] = ()
    messages: frozenset[bytes] = frozenset()
    nameless: int = 0
    titles: tuple[StoredDocument, ...] = ()
    pinned: bool = False
    displayed: tuple[StoredDocument, ...] = ()
    spoken: tuple[StoredDocument, ...] = ()

    @property
    def header(self) -> SessionHeader:
        """The session's header."""
        return self.session.header

    @property
    def documents(self) -> tuple[StoredDocument, ...]:
        """Titles, runs' inputs and outputs (`spoken`), display messages."""
        return (*self.titles, *self.spoken, *self.displayed)

    def run(self, run_id: str) -> StoredRun | None:
        """One run."""
        return next((stored for stored in self.runs if stored.run.run_id == run_id), None)

    def with_session(self, **fields: Any) -> Holding:
        """The same with other fields of its session."""
        return replace(self, session=msgspec.structs.replace(self.session, **fields))


Place = tuple[str, str]
"""(namespace_id, session_id)"""


@dataclass(kw_only=True)
class State:
    """The whole store. Never changed once it is committed; `copy()` begins a transaction."""

    sessions: dict[Place, Holding] = field(default_factory=dict)
    positions: dict[str, int] = field(default_factory=dict)
    ledger: dict[tuple[str, str, str], LedgerEntry] = field(default_factory=dict)
    receipts: dict[tuple[str, str, str], Receipt] = field(default_factory=dict)
    holders: dict[tuple[str, bytes], frozenset[tuple[int, str]]] = field(default_factory=dict)

    def copy(self) -> State:
        """The same content, free to change."""
        return State(
            sessions=dict(self.sessions),
            positions=dict(self.positions),
            ledger=dict(self.ledger),
            receipts=dict(self.receipts),
            holders=dict(self.holders),
        )

    def find(self, namespace_id: str, session_id: str) -> Holding | None:
        """A session by identity, tombstones included."""
        return self.sessions.get((namespace_id, session_id))

    def held(self, namespace_id: str, session_id: str) -> Holding:
        """The same, or `not_found`."""
        found = self.find(namespace_id, session_id)
        if found is None:
            raise not_found(session_id)
        return found

    def visible(self, scope: AccessScope, session_id: str) -> Holding:
        """A session that the scope shows, or `not_found` whatever the reason."""
        found = self.find(scope.namespace_id, session_id)
        if found is None or not shows(scope, found.session):
            raise not_found(session_id)
        return found

    def selects(self, scope: AccessScope, wanted: CorpusFilter, holding: Holding) -> bool:
        """Whether a filter selects a session of the scope."""
        root = self.find(scope.namespace_id, holding.session.root_session_id)
        runs = [stored.run for stored in holding.runs]
        is_seen = sees_root(scope, wanted, None if root is None else root.session)
        return selects(wanted, holding.session, runs, is_root_seen=is_seen)

    def in_namespace(self, namespace_id: str) -> list[Holding]:
        """Every session of a namespace."""
        return [holding for (space, _), holding in self.sessions.items() if space == namespace_id]

    def put(self, holding: Holding) -> None:
        """Store a session as it is now."""
        self.sessions[holding.header.namespace_id, holding.header.session_id] = holding

    def next_position(self, namespace_id: str) -> int:
        """Take the next feed position."""
        self.positions[namespace_id] = self.positions.get(namespace_id, 0) + 1
        return self.positions[namespace_id]

    def touch(self, holding: Holding) -> Holding:
        """Store a changed session under a feed position of its own."""
        moved = replace(holding, position=self.next_position(holding.header.namespace_id))
        self.put(moved)
        return moved


def not_found(session_id: str) -> StoreError:
    """The error for a session that is absent or outside the scope."""
    return StoreError("not_found", f"session {session_id!r} was wanted, found none")


def conflict(session: Session, message: str) -> StoreError:
    """A `conflict` that says where the session stands."""
    return StoreError("conflict", message, current_revision=session.revision)


__all__ = ["Holding", "Place", "Receipt", "State", "StoredDocument", "StoredRun", "conflict", "not_found"]
