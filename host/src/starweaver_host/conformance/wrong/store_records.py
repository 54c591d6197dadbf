"""Stores that are wrong about sessions: scope, pages, revisions, deletion, lifetimes."""

# ruff: noqa: ARG002 (to ignore an argument is how some of these are wrong)
from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace as with_fields

import msgspec
from msgspec.structs import replace

from starweaver_host.conformance.memory_store import MemorySessionStore
from starweaver_host.contract.errors import StoreError
from starweaver_host.contract.records import AccessScope, Session, SessionChange
from starweaver_host.contract.store import SessionListQuery, SessionPage

from .kinds import wrong


class ReordersMany(MemorySessionStore):
    """Answers many in an order of its own."""

    async def get_sessions(self, scope: AccessScope, session_ids: Sequence[str]) -> tuple[Session, ...]:
        return await super().get_sessions(scope, sorted(session_ids))


class IgnoresOwner(MemorySessionStore):
    """Lists sessions of every owner."""

    async def list_sessions(self, scope: AccessScope, query: SessionListQuery) -> SessionPage:
        return await super().list_sessions(replace(scope, owner_id=None), query)


class TellsHiddenFromAbsent(MemorySessionStore):
    """Says `conflict` for a session outside the scope."""

    async def update_session(
        self, scope: AccessScope, session_id: str, change: SessionChange, *, expected_revision: int | None = None
    ) -> Session:
        try:
            return await super().update_session(scope, session_id, change, expected_revision=expected_revision)
        except StoreError as error:
            if error.code == "not_found" and self._state.find(scope.namespace_id, session_id) is not None:
                raise StoreError("conflict", f"session {session_id!r} is not yours") from error
            raise


class PagesByTimeAlone(MemorySessionStore):
    """Goes on from the time of the last row and so skips what is tied with it."""

    async def list_sessions(self, scope: AccessScope, query: SessionListQuery) -> SessionPage:
        after = None if query.after is None else (query.after[0], "")
        return await super().list_sessions(scope, replace(query, after=after))


class CorrectsLimits(MemorySessionStore):
    """Makes the best of a limit that it should refuse."""

    async def list_sessions(self, scope: AccessScope, query: SessionListQuery) -> SessionPage:
        return await super().list_sessions(scope, replace(query, limit=min(max(query.limit, 1), 500)))


class HidesCurrentRevision(MemorySessionStore):
    """Refuses a stale edit without saying where the session stands."""

    async def update_session(
        self, scope: AccessScope, session_id: str, change: SessionChange, *, expected_revision: int | None = None
    ) -> Session:
        try:
            return await super().update_session(scope, session_id, change, expected_revision=expected_revision)
        except StoreError as error:
            raise StoreError(error.code, error.message) from error


class LastWriterWins(MemorySessionStore):
    """Does not compare the revision."""

    async def update_session(
        self, scope: AccessScope, session_id: str, change: SessionChange, *, expected_revision: int | None = None
    ) -> Session:
        return await super().update_session(scope, session_id, change)


class ClearsWhatIsUnset(MemorySessionStore):
    """Takes an unset profile for None."""

    async def update_session(
        self, scope: AccessScope, session_id: str, change: SessionChange, *, expected_revision: int | None = None
    ) -> Session:
        if change.profile is msgspec.UNSET:
            change = replace(change, profile=None)
        return await super().update_session(scope, session_id, change, expected_revision=expected_revision)


class FencesAnew(MemorySessionStore):
    """Takes the retry of a fence for another deletion."""

    async def acquire_fence(
        self, scope: AccessScope, session_id: str, *, fence_id: str, requested_by: str, expected_revision: int | None
    ) -> Session:
        with self._transaction() as work:
            self._check_editable(work.visible(scope, session_id).session, expected_revision)
        return await super().acquire_fence(
            scope, session_id, fence_id=fence_id, requested_by=requested_by, expected_revision=expected_revision
        )


class BuriesTheRunning(MemorySessionStore):
    """Tombstones a session under a live lease."""

    async def tombstone_session(self, scope: AccessScope, session_id: str, *, fence_id: str) -> Session:
        with self._transaction() as work:
            holding = work.find(scope.namespace_id, session_id)
            if holding is not None:
                work.put(with_fields(holding, lease=None))
        return await super().tombstone_session(scope, session_id, fence_id=fence_id)


class NewKeyEveryTime(MemorySessionStore):
    """Makes its cursor key anew with every call."""

    async def cursor_key(self) -> bytes:
        return secrets.token_bytes(32)


class ForgetsOnClose(MemorySessionStore):
    """Claims to be durable, and is not."""


WRONG_RECORDS = (
    wrong(ReordersMany, "test_many_are_read_in_the_order_asked_for", "CatalogRules"),
    wrong(IgnoresOwner, "test_hidden_session_is_in_no_answer_of_many[other_owner]", "VisibilityRules"),
    wrong(
        TellsHiddenFromAbsent,
        "test_hidden_session_answers_like_an_absent_one[update_session-other_owner]",
        "VisibilityRules",
    ),
    wrong(PagesByTimeAlone, "test_pages_of_tied_times_have_no_gap_and_no_repeat[2]", "ListingRules"),
    wrong(CorrectsLimits, "test_limit_out_of_bounds_is_invalid[0]", "ListingRules"),
    wrong(
        HidesCurrentRevision,
        "test_stale_revision_is_a_conflict_that_names_the_current_one",
        "EditingRules",
        "DeletionRules",
    ),
    wrong(LastWriterWins, "test_stale_revision_is_a_conflict_that_names_the_current_one", "EditingRules"),
    wrong(ClearsWhatIsUnset, "test_edit_changes_what_it_names_and_nothing_else", "EditingRules"),
    wrong(FencesAnew, "test_same_fence_again_is_the_same_fence", "DeletionRules"),
    wrong(BuriesTheRunning, "test_tombstone_waits_for_the_live_lease", "DeletionRules"),
    wrong(NewKeyEveryTime, "test_identity_and_cursor_key_stay_while_open", "LifetimeRules"),
    wrong(
        ForgetsOnClose,
        "test_reopened_store_holds_what_was_committed",
        "LifetimeRules",
        declares=frozenset({"durable"}),
    ),
)

__all__ = ["WRONG_RECORDS"]
