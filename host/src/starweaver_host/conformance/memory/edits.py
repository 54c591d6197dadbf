"""Creating and editing sessions, and deleting them in two steps."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET

from starweaver_host.contract.errors import StoreError
from starweaver_host.contract.records import (
    STABLE,
    AccessScope,
    FenceDeleted,
    FenceDeleting,
    Session,
    SessionChange,
    SessionDraft,
    SessionHeader,
)

from .catalog import MemoryReading
from .documents import clip, with_title
from .ownership import owners_of, touch_recounted
from .runs import MemoryRuns
from .state import Holding, State, conflict


class MemoryCatalog(MemoryReading, MemoryRuns):
    """SessionCatalog: the reading half and the edits."""

    async def create_session(self, draft: SessionDraft) -> Session:
        """Create a session; an id that was ever used is `already_exists`."""
        with self._transaction() as work:
            header = draft.header
            if work.find(header.namespace_id, header.session_id) is not None:
                raise StoreError("already_exists", f"a new session id was wanted, found {header.session_id!r} in use")
            if not header.created_at:
                header = msgspec.structs.replace(header, created_at=self._clock.now())
            created = insert(work, header, updated_at=header.created_at)
            created = created.with_session(profile=draft.profile, metadata=dict(draft.metadata))
            holding = self._drafted_title(created, draft)
            work.put(holding)
            return self._session(work, holding)

    def _drafted_title(self, holding: Holding, draft: SessionDraft) -> Holding:
        source = draft.title_source or "user"
        return with_title(
            holding,
            clip(draft.title),
            source,
            set_at=holding.header.created_at,
            position=holding.position,
            pinned=source == "user",
        )

    async def update_session(
        self, scope: AccessScope, session_id: str, change: SessionChange, *, expected_revision: int | None = None
    ) -> Session:
        """Edit title, profile, archiving and metadata."""
        with self._transaction() as work:
            holding = work.visible(scope, session_id)
            self._check_editable(holding.session, expected_revision)
            holding = work.touch(self._changed(holding, change))
            if change.title is not UNSET:
                title, now = clip(change.title), self._clock.now()
                holding = with_title(holding, title, "user", set_at=now, position=holding.position, pinned=True)
            return self._edited(work, holding)

    def _changed(self, holding: Holding, change: SessionChange) -> Holding:
        fields: dict[str, Any] = {}
        if change.profile is not UNSET:
            fields["profile"] = change.profile
        if change.archived is not UNSET:
            fields["status"] = "archived" if change.archived else "active"
        if change.metadata is not UNSET:
            merged = {**holding.session.metadata, **change.metadata}
            fields["metadata"] = {key: value for key, value in merged.items() if value is not None}
        return holding.with_session(**fields)

    async def acquire_fence(
        self, scope: AccessScope, session_id: str, *, fence_id: str, requested_by: str, expected_revision: int | None
    ) -> Session:
        """Begin a deletion; the same fence again is the same fence."""
        with self._transaction() as work:
            holding = work.visible(scope, session_id)
            session = holding.session
            if _fence_id(session) == fence_id:
                return self._session(work, holding)
            self._check_editable(session, expected_revision)
            fence = FenceDeleting(
                fence_id=fence_id,
                expected_revision=session.revision,
                requested_by=requested_by,
                started_at=self._clock.now(),
            )
            return self._edited(work, work.touch(holding.with_session(fence=fence)))

    async def release_fence(self, scope: AccessScope, session_id: str, *, fence_id: str) -> Session:
        """Give a deletion up; releasing a stable session changes nothing."""
        with self._transaction() as work:
            holding = work.visible(scope, session_id)
            if holding.session.fence == STABLE:
                return self._session(work, holding)
            self._check_deleting(holding.session, fence_id)
            return self._edited(work, work.touch(holding.with_session(fence=STABLE)))

    async def tombstone_session(self, scope: AccessScope, session_id: str, *, fence_id: str) -> Session:
        """Complete a deletion; the evidence is kept."""
        with self._transaction() as work:
            holding = work.visible(msgspec.structs.replace(scope, include_deleted=True), session_id)
            if isinstance(holding.session.fence, FenceDeleted) and _fence_id(holding.session) == fence_id:
                return self._session(work, holding)
            self._check_deleting(holding.session, fence_id)
            holding = self._quiesced(work, holding)
            fence = FenceDeleted(fence_id=fence_id, deleted_at=self._clock.now())
            owners = owners_of(work, scope.namespace_id, holding.messages)
            deleted = work.touch(holding.with_session(fence=fence, status="deleted", active_run_id=None))
            touch_recounted(work, deleted, owners)
            return self._edited(work, deleted)

    def _quiesced(self, work: State, holding: Holding) -> Holding:
        """The session without a run: one whose owner lives is in the way, one whose owner went away is cancelled."""
        if holding.lease is None:
            return holding
        if self._is_live(holding.lease):
            raise StoreError("run_conflict", f"no running run was wanted, found {holding.lease.key.run_id!r}")
        return self._expire(work, holding)

    def _check_editable(self, session: Session, expected_revision: int | None) -> None:
        if session.fence != STABLE:
            found = f"{session.header.session_id!r} being deleted or deleted"
            raise conflict(session, f"a session that can be edited was wanted, found {found}")
        if expected_revision is not None and expected_revision != session.revision:
            raise conflict(session, f"revision {expected_revision} was wanted, found {session.revision}")

    def _check_deleting(self, session: Session, fence_id: str) -> None:
        if not isinstance(session.fence, FenceDeleting) or _fence_id(session) != fence_id:
            raise conflict(session, f"fence {fence_id!r} was wanted, found another or none")

    def _edited(self, work: State, holding: Holding) -> Session:
        """Move the revision. The time of an imported session stays its transcript's."""
        session = holding.session
        now = session.updated_at if session.imported_at is not None else self._clock.now()
        edited = holding.with_session(revision=session.revision + 1, updated_at=max(session.updated_at, now))
        work.put(edited)
        return self._session(work, edited)


def insert(work: State, header: SessionHeader, *, updated_at: int, imported_at: int | None = None) -> Holding:
    """Store a new session and give its root to the sessions that were waiting for it."""
    parent = work.find(header.namespace_id, header.folds_under or "")
    root = header.session_id if parent is None else parent.session.root_session_id
    session = Session(header=header, root_session_id=root, updated_at=updated_at, imported_at=imported_at)
    inserted = work.touch(Holding(session=session))
    waiting = {
        held.header.session_id
        for held in work.in_namespace(header.namespace_id)
        if held.header.folds_under == header.session_id and held.header.session_id != header.session_id
    }
    for held in work.in_namespace(header.namespace_id):
        if held.session.root_session_id in waiting and held.session.root_session_id != root:
            work.touch(held.with_session(root_session_id=root))
    return inserted


def _fence_id(session: Session) -> str | None:
    return session.fence.fence_id if isinstance(session.fence, FenceDeleting | FenceDeleted) else None


__all__ = ["MemoryCatalog", "insert"]
