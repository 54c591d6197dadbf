"""The header of a session as its rows told it."""

from __future__ import annotations

from collections.abc import Iterator

from starweaver_host.contract.records import LOCAL_NAMESPACE, ExternalSource, SessionHeader, Workspace
from starweaver_host.contract.transcripts import SessionSeen
from starweaver_transcripts.emit import clean

from .session import SESSION_PREFIX, SessionWriter
from .state import SessionState


def session_seen(writer: SessionWriter, *, fallback_ms: int) -> Iterator[SessionSeen]:
    """The step that names a session; nothing while nothing was said in it.

    The first of a reading from the start replaces what a store may hold. A transcript without any time began at
    `fallback_ms`.
    """
    state = writer.state
    if writer.log.next_seq == 0:
        return
    if state.created is None:
        state.created = fallback_ms
    yield SessionSeen(
        header=_header(state),
        mode="append" if state.delivered else "replace",
        title=state.titles.title,
        title_source=state.titles.source,
        updated_at=(state.updated or state.created) * 1000,
    )
    state.delivered, state.told_title = True, state.titles.title


def _header(state: SessionState) -> SessionHeader:
    cwd = clean(state.cwd) if state.cwd else None
    return SessionHeader(
        namespace_id=LOCAL_NAMESPACE,
        session_id=SESSION_PREFIX + clean(state.native_id),
        created_at=(state.created or 0) * 1000,
        cwd=cwd,
        workspace=Workspace(id=cwd, label=cwd) if cwd else None,
        parent_session_id=SESSION_PREFIX + clean(state.parent_id) if state.parent_id else None,
        origin="subagent" if state.parent_id else "user",
        external=ExternalSource(
            source=SESSION_PREFIX.rstrip(":"), native_id=clean(state.native_id), agent_version=state.agent_version
        ),
    )


__all__ = ["session_seen"]
