"""Materialised and external indexes: the mutations they are fed with, and their upkeep.

Provisional until an index is bundled. An index is disposable: everything in it can be made again from the store's feed
and corpus. What it answers is in `contract.search` and `contract.query`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol, get_args, runtime_checkable

from .corpus import DocumentRef
from .values import Value


class SearchDocument(Value, frozen=True, kw_only=True):
    """A document offered to an index: all of `corpus.CorpusDocument` but its place in a batch, and the original text.

    `document_id` is that of a hit's location; `time` is immutable, UTC microseconds; `identity` is the message's, where
    copies of it may exist in other sessions; `content_digest` is the hex SHA-256 of the text.
    """

    document_id: str
    ref: DocumentRef
    root_session_id: str
    time: int
    identity: bytes | None = None
    text: str
    content_digest: str


MutationOperation = Literal[
    "upsert_session", "upsert_run", "upsert_display", "delete_run", "tombstone_session", "reset_generation"
]
MUTATION_OPERATIONS: tuple[MutationOperation, ...] = get_args(MutationOperation)


class SessionSearchMutation(Value, frozen=True, kw_only=True):
    """One change for an index.

    Mutations are made of feed rows, which tell that a session changed and not how. `source_position`,
    `source_revision` and `incarnation` are the row's; `event_id` is a name of (epoch, position, operation, run), the
    same whenever the mutation is made again of the same row. An event id that was applied has no effect again. A
    mutation whose `source_revision` is lower than what the index holds of its target has none either, so delays and
    repeats cannot undo a later state or a tombstone; one row may make several mutations with the same revision.

    `documents` are the whole content of the target: `upsert_session` gives the title (none: no title), `upsert_run` all
    documents of the run, and both replace what is held of it. `upsert_display` adds messages, which never change. A
    higher `incarnation` makes every document of a lower one dead. `delete_run` forgets that run alone,
    `tombstone_session` all of the session for good. `reset_generation` empties the index of a scope and begins anew;
    it is what a reader sends that was told another epoch or an `invalid` position.

    Raises SearchError `failed` for another projection version, `permission_denied` for another scope.
    """

    event_id: str
    source_position: str
    source_revision: int
    incarnation: int = 0
    projection_version: str
    operation: MutationOperation
    scope_fingerprint: str
    session_id: str | None = None
    run_id: str | None = None
    documents: tuple[SearchDocument, ...] = ()


class IndexCheckpoint(Value, frozen=True, kw_only=True):
    """What an index has durably accepted: the feed of `epoch` up to the position `indexed_through`, inclusive."""

    generation: str
    epoch: str | None = None
    event_id: str | None = None
    indexed_through: str | None = None


@runtime_checkable
class SessionSearchIndexWriter(Protocol):
    """The seam for materialised and external indexes."""

    async def apply(
        self, mutations: Sequence[SessionSearchMutation], *, checkpoint: IndexCheckpoint | None = None
    ) -> IndexCheckpoint:
        """Apply mutations in order and set the checkpoint, durably, in one transaction; returns the one that holds.

        Raises SearchError and applies none of them.
        """
        ...

    async def checkpoint(self) -> IndexCheckpoint:
        """The last durable checkpoint."""
        ...


class IndexStatus(Value, frozen=True, kw_only=True):
    """State of a provider's index. Sizes in bytes."""

    generation: str
    documents: int
    dead_documents: int = 0
    size_bytes: int
    indexed_through: str | None = None
    behind: int = 0
    healthy: bool = True
    detail: str | None = None


@runtime_checkable
class IndexMaintenance(Protocol):
    """Upkeep of an index, for whatever provider has one."""

    async def status(self) -> IndexStatus:
        """Report without changing anything."""
        ...

    async def rebuild(self) -> IndexStatus:
        """Build a new generation while the old one serves, then switch."""
        ...

    async def verify(self) -> IndexStatus:
        """Compare the index with the store; `healthy` says the outcome, `detail` the first difference."""
        ...


__all__ = [
    "MUTATION_OPERATIONS",
    "IndexCheckpoint",
    "IndexMaintenance",
    "IndexStatus",
    "MutationOperation",
    "SearchDocument",
    "SessionSearchIndexWriter",
    "SessionSearchMutation",
]
