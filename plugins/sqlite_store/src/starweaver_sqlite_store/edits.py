"""Creating and editing sessions, and deleting them in two steps: a fence, then a tombstone."""

# ruff: noqa: S608  names in statements are constants of this package; every value is a parameter

from __future__ import annotations

import msgspec
from msgspec import UNSET

from starweaver_host.contract.errors import StoreError
from starweaver_host.contract.records import (
    AccessScope,
    FenceDeleted,
    FenceDeleting,
    Session,
    SessionChange,
    SessionDraft,
    SessionHeader,
)

from . import feed, identities
from .database import Transaction
from .leases import find_lease, reconcile_session
from .lineage import adopt_children, root_for
from .listing import encode_metadata
from .session_rows import HEADER_COLUMNS, find_session, header_values, not_found, visible_session
from .titles import clip, set_title


def create_session(tx: Transaction, draft: SessionDraft) -> Session:
    """Create a session; an id that was ever used is `already_exists`."""
    header = draft.header
    if find_session(tx, header.namespace_id, header.session_id) is not None:
        raise StoreError("already_exists", f"a new session id was wanted, found {header.session_id!r} in use")
    if not header.created_at:
        header = msgspec.structs.replace(header, created_at=tx.now)
    position = insert_session(tx, header, updated_at=header.created_at, imported_at=None)
    session = stored_session(tx, header)
    tx.execute(
        "UPDATE sessions SET profile = ?, metadata = ? WHERE namespace_id = ? AND session_id = ?",
        (draft.profile, encode_metadata(draft.metadata), header.namespace_id, header.session_id),
    )
    title = clip(draft.title)
    if title is not None:
        source = draft.title_source or "user"
        set_title(tx, session, title, source, set_at=header.created_at, position=position, pinned=source == "user")
    return stored_session(tx, header)


def insert_session(tx: Transaction, header: SessionHeader, *, updated_at: int, imported_at: int | None) -> int:
    """Insert the row of a new session, place it in its family, and return its feed position."""
    namespace_id, session_id = header.namespace_id, header.session_id
    root = root_for(tx, namespace_id, session_id, header.folds_under)
    position = feed.advance(tx, namespace_id)
    values = (*header_values(header), root, "active", updated_at, imported_at, position)
    tx.execute(
        f"INSERT INTO sessions ({HEADER_COLUMNS}, root_session_id, status, updated_at, imported_at, feed_position) "
        f"VALUES ({', '.join('?' * len(values))})",
        values,
    )
    adopt_children(tx, namespace_id, session_id, root)
    return position


def stored_session(tx: Transaction, header: SessionHeader) -> Session:
    """The session of a header, which is stored."""
    found = find_session(tx, header.namespace_id, header.session_id)
    if found is None:
        raise not_found(header.session_id)
    return found


def update_session(
    tx: Transaction, scope: AccessScope, session_id: str, change: SessionChange, expected_revision: int | None
) -> Session:
    """Edit title, profile, archiving and metadata."""
    session = visible_session(tx, scope, session_id)
    _check_editable(session, expected_revision)
    position = feed.touch(tx, scope.namespace_id, session_id)
    if change.title is not UNSET:
        title = clip(change.title)
        set_title(tx, session, title, "user", set_at=tx.now, position=position, pinned=True)
    profile = session.profile if change.profile is UNSET else change.profile
    status = session.status if change.archived is UNSET else "archived" if change.archived else "active"
    metadata = dict(session.metadata)
    for key, value in ({} if change.metadata is UNSET else change.metadata).items():
        if value is None:
            metadata.pop(key, None)
        else:
            metadata[key] = value
    tx.execute(
        "UPDATE sessions SET profile = ?, status = ?, metadata = ? WHERE namespace_id = ? AND session_id = ?",
        (profile, status, encode_metadata(metadata), scope.namespace_id, session_id),
    )
    return _edited(tx, session)


def acquire_fence(
    tx: Transaction,
    scope: AccessScope,
    session_id: str,
    *,
    fence_id: str,
    requested_by: str,
    expected_revision: int | None,
) -> Session:
    """Begin a deletion, even while a run is active; the same fence again is the same fence."""
    session = visible_session(tx, scope, session_id)
    if isinstance(session.fence, FenceDeleting | FenceDeleted) and session.fence.fence_id == fence_id:
        return session
    _check_editable(session, expected_revision)
    values = ("deleting", fence_id, session.revision, requested_by, tx.now)
    return _set_fence(tx, session, values)


def release_fence(tx: Transaction, scope: AccessScope, session_id: str, fence_id: str) -> Session:
    """Give a deletion up; releasing a session that is stable changes nothing."""
    session = visible_session(tx, scope, session_id)
    fence = session.fence
    if isinstance(fence, FenceDeleting) and fence.fence_id == fence_id:
        return _set_fence(tx, session, ("stable", None, None, None, None))
    if isinstance(fence, FenceDeleting | FenceDeleted):
        raise _other_fence(session, fence_id)
    return session


def tombstone_session(tx: Transaction, scope: AccessScope, session_id: str, fence_id: str) -> Session:
    """Complete a deletion; the session's evidence is kept."""
    wide = msgspec.structs.replace(scope, include_deleted=True)
    session = visible_session(tx, wide, session_id)
    fence = session.fence
    if isinstance(fence, FenceDeleted) and fence.fence_id == fence_id:
        return session
    if not (isinstance(fence, FenceDeleting) and fence.fence_id == fence_id):
        raise _other_fence(session, fence_id)
    held = find_lease(tx, scope.namespace_id, session_id)
    if held is not None and held.expires_at > tx.now:
        raise StoreError("run_conflict", f"no running run was wanted in {session_id!r}, found {held.key.run_id!r}")
    reconcile_session(tx, scope.namespace_id, session_id)
    identities.bury(tx, session.header)
    tx.execute(
        "UPDATE sessions SET status = 'deleted', active_run_id = NULL WHERE namespace_id = ? AND session_id = ?",
        (scope.namespace_id, session_id),
    )
    return _set_fence(tx, session, ("deleted", fence_id, None, None, tx.now))


def _check_editable(session: Session, expected_revision: int | None) -> None:
    if session.fence.__class__ in (FenceDeleting, FenceDeleted):
        raise StoreError(
            "conflict",
            f"a session that can be edited was wanted, found {session.header.session_id!r} being deleted or deleted",
            current_revision=session.revision,
        )
    if expected_revision is not None and expected_revision != session.revision:
        raise StoreError(
            "conflict",
            f"revision {expected_revision} was wanted, found {session.revision} of {session.header.session_id!r}",
            current_revision=session.revision,
        )


def _set_fence(
    tx: Transaction, session: Session, values: tuple[str, str | None, int | None, str | None, int | None]
) -> Session:
    key = (session.header.namespace_id, session.header.session_id)
    tx.execute(
        "UPDATE sessions SET fence_state = ?, fence_id = ?, fence_revision = ?, fence_by = ?, fence_at = ? "
        "WHERE namespace_id = ? AND session_id = ?",
        (*values, *key),
    )
    feed.touch(tx, *key)
    return _edited(tx, session)


def _edited(tx: Transaction, session: Session) -> Session:
    """Move the revision. The time of an imported session stays its transcript's."""
    tx.execute(
        "UPDATE sessions SET revision = revision + 1, "
        "updated_at = CASE WHEN imported_at IS NULL THEN max(updated_at, ?) ELSE updated_at END "
        "WHERE namespace_id = ? AND session_id = ?",
        (tx.now, session.header.namespace_id, session.header.session_id),
    )
    return stored_session(tx, session.header)


def _other_fence(session: Session, fence_id: str) -> StoreError:
    return StoreError(
        "conflict",
        f"fence {fence_id!r} was wanted, found session {session.header.session_id!r} under another or none",
        current_revision=session.revision,
    )


__all__ = [
    "acquire_fence",
    "create_session",
    "insert_session",
    "release_fence",
    "stored_session",
    "tombstone_session",
    "update_session",
]
