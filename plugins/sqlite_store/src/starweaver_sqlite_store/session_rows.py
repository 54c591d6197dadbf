"""Sessions as rows: the columns of a Session in order, and the values both ways."""

# ruff: noqa: S608  names in statements are constants of this package; every value is a parameter

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from starweaver_host.contract.errors import StoreError
from starweaver_host.contract.records import (
    STABLE,
    AccessScope,
    DeletionFence,
    ExternalSource,
    FenceDeleted,
    FenceDeleting,
    Session,
    SessionCounts,
    SessionHeader,
    Workspace,
)

from .database import Transaction

HEADER_COLUMNS = (
    "namespace_id, session_id, created_at, owner_id, cwd, workspace_id, workspace_label, parent_session_id, "
    "seed_length, origin, source, native_id, agent_version"
)
SESSION_COLUMNS = (
    f"{HEADER_COLUMNS}, root_session_id, title, title_source, profile, status, revision, activity_revision, "
    "head_run_id, active_run_id, fence_state, fence_id, fence_revision, fence_by, fence_at, incarnation, next_seq, "
    "runs, messages, tool_calls, updated_at, imported_at, metadata"
)
_HEADER_WIDTH = 13


def header_values(header: SessionHeader) -> tuple[Any, ...]:
    """The values of HEADER_COLUMNS."""
    workspace, external = header.workspace, header.external
    return (
        header.namespace_id,
        header.session_id,
        header.created_at,
        header.owner_id,
        header.cwd,
        workspace.id if workspace else None,
        workspace.label if workspace else None,
        header.parent_session_id,
        header.seed_length,
        header.origin,
        external.source if external else None,
        external.native_id if external else None,
        external.agent_version if external else None,
    )


def session_from_row(row: tuple[Any, ...]) -> Session:
    """The Session of a row of SESSION_COLUMNS; `corrupt` names the session if it is damaged."""
    rest = row[_HEADER_WIDTH:]
    return Session(
        header=_header(row),
        root_session_id=rest[0],
        title=rest[1],
        title_source=rest[2],
        profile=rest[3],
        status=rest[4],
        revision=rest[5],
        activity_revision=rest[6],
        head_run_id=rest[7],
        active_run_id=rest[8],
        fence=_fence(*rest[9:14]),
        incarnation=rest[14],
        next_seq=rest[15],
        counts=SessionCounts(runs=rest[16], events=rest[15], messages=rest[17], tool_calls=rest[18]),
        updated_at=rest[19],
        imported_at=rest[20],
        metadata={} if rest[21] == "{}" else _metadata(row[1], rest[21]),
    )


def _metadata(session_id: str, stored: str) -> dict[str, str]:
    try:
        return msgspec.json.decode(stored, type=dict[str, str])
    except msgspec.MsgspecError as error:
        raise StoreError(
            "corrupt",
            f"the metadata of session {session_id!r} was wanted, found damaged",
            hint="other sessions can be read; restore the file from a backup",
        ) from error


def readable_sessions(rows: Iterable[tuple[Any, ...]]) -> Iterator[Session]:
    """The sessions of rows of SESSION_COLUMNS, without the damaged ones: one must not hide the others."""
    for row in rows:
        try:
            yield session_from_row(row)
        except StoreError:
            continue


def _header(row: tuple[Any, ...]) -> SessionHeader:
    return SessionHeader(
        namespace_id=row[0],
        session_id=row[1],
        created_at=row[2],
        owner_id=row[3],
        cwd=row[4],
        workspace=None if row[5] is None else Workspace(id=row[5], label=row[6]),
        parent_session_id=row[7],
        seed_length=row[8],
        origin=row[9],
        external=None if row[10] is None else ExternalSource(source=row[10], native_id=row[11], agent_version=row[12]),
    )


def _fence(state: str, fence_id: str, revision: int, requested_by: str, at: int) -> DeletionFence:
    if state == "deleting":
        return FenceDeleting(fence_id=fence_id, expected_revision=revision, requested_by=requested_by, started_at=at)
    if state == "deleted":
        return FenceDeleted(fence_id=fence_id, deleted_at=at)
    return STABLE


def find_session(tx: Transaction, namespace_id: str, session_id: str) -> Session | None:
    """A session by identity, tombstones included."""
    row = tx.execute(
        f"SELECT {SESSION_COLUMNS} FROM sessions WHERE namespace_id = ? AND session_id = ?",
        (namespace_id, session_id),
    ).fetchone()
    return None if row is None else session_from_row(row)


def visible_session(tx: Transaction, scope: AccessScope, session_id: str) -> Session:
    """A session that the scope shows; `not_found` otherwise, whatever the reason."""
    found = find_session(tx, scope.namespace_id, session_id)
    if found is None or not _shows(scope, found):
        raise not_found(session_id)
    return found


def not_found(session_id: str) -> StoreError:
    """The error for a session that is absent or outside the scope."""
    return StoreError("not_found", f"session {session_id!r} was wanted, found none")


def _shows(scope: AccessScope, session: Session) -> bool:
    if session.status == "deleted" and not scope.include_deleted:
        return False
    if scope.owner_id is not None and session.header.owner_id != scope.owner_id:
        return False
    return scope.session_ids is None or session.header.session_id in scope.session_ids


__all__ = [
    "HEADER_COLUMNS",
    "SESSION_COLUMNS",
    "find_session",
    "header_values",
    "not_found",
    "readable_sessions",
    "session_from_row",
    "visible_session",
]
