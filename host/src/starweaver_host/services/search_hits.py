"""Builds the hits of a page from ranked matches: summaries, snippets, locations.

Originals are read here, for shown hits only. What is damaged, or was rewritten since it was matched, is left out and
said in the coverage: a page may be shorter than its limit, and is never wrong.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence

from starweaver_host.contract.corpus import DocumentRef
from starweaver_host.contract.records import Run, Session
from starweaver_host.contract.search import (
    ReplayPosition,
    SearchLocation,
    SessionSearchHit,
    SessionSummary,
    Snippet,
)
from starweaver_host.projection.documents import document_id
from starweaver_host.projection.snippets import make_snippet, safe_line

from .search_coverage import CoverageLog
from .search_order import Match, OrderKey, score
from .search_reading import HitReader
from .search_rules import SearchPlan

TITLE_MAX_BYTES = 256
PROFILE_MAX_BYTES = 128
WORKSPACE_MAX_BYTES = 512
PREVIEW_MAX_BYTES = 160

REWRITTEN = "some matches were rewritten or removed meanwhile and are not shown; begin again to see what is there now"

Others = Callable[[Match], Awaitable[Sequence[Match]]]


async def build_hits(
    reader: HitReader,
    plan: SearchPlan,
    ranked: Sequence[tuple[OrderKey, Match]],
    *,
    others: Others,
    coverage: CoverageLog,
) -> tuple[SessionSearchHit, ...]:
    """Return the hits of `ranked`, in its order; `others` names further matches of a group whose document is gone.

    Cost: one read of texts, one of sessions, one per run shown.
    """
    texts = await _texts(reader, [match for _, match in ranked])
    sessions = await _sessions(reader, plan, [match for _, match in ranked])
    hits = []
    for (key, match), text in zip(ranked, texts, strict=True):
        if (session := _shown_session(plan, match, sessions)) is None:
            continue
        if (found := await _standing(reader, plan, match, text, others)) is None:
            if not await reader.is_damaged(match.ref):
                coverage.warn("missing_source", REWRITTEN)
            continue
        shown, snippet = found
        run = await reader.run(shown.ref.session_id, shown.ref.run_id)
        hits.append(_hit(session, shown, run, snippet, score(key)))
    return tuple(hits)


async def _standing(
    reader: HitReader, plan: SearchPlan, match: Match, text: str | None, others: Others
) -> tuple[Match, Snippet] | None:
    """The match with its snippet, or the best other match of its group whose text still holds the needle."""
    if (snippet := _snippet(text, plan)) is not None:
        return match, snippet
    if text is None and match.origin is None:
        await reader.is_damaged(match.ref)
    standing = await others(match)
    for other, other_text in zip(standing, await _texts(reader, standing), strict=True):
        if (snippet := _snippet(other_text, plan)) is not None:
            return other, snippet
    return None


def _snippet(text: str | None, plan: SearchPlan) -> Snippet | None:
    snippet = None if text is None else make_snippet(text, plan.needle)
    return snippet if snippet is not None and snippet.highlights else None


def _shown_session(plan: SearchPlan, match: Match, sessions: Mapping[str, Session]) -> Session | None:
    """The session a hit is shown under: its own, or when folding its root where that can be seen."""
    own = sessions.get(match.ref.session_id)
    if not plan.fold_subagents or own is None:
        return own
    return sessions.get(match.root_session_id, own)


def browse_hit(session: Session, run: Run | None) -> SessionSearchHit:
    """The hit of a session that is shown for itself: no snippet, no score."""
    ref = DocumentRef(session_id=session.header.session_id, source="session_metadata")
    location = SearchLocation(session_id=ref.session_id, source=ref.source, document_id=document_id(ref))
    return SessionSearchHit(
        session=summarise(session, run), source=ref.source, location=location, matched_at=session.updated_at
    )


def summarise(session: Session, run: Run | None) -> SessionSummary:
    """What is shown of a session; long or unprintable texts are cut and cleaned in silence."""
    header = session.header
    return SessionSummary(
        namespace_id=header.namespace_id,
        session_id=header.session_id,
        title=_line(session.title, TITLE_MAX_BYTES),
        status=session.status,
        profile=_line(session.profile, PROFILE_MAX_BYTES),
        workspace=_line(_workspace(session), WORKSPACE_MAX_BYTES),
        agent=header.external.source if header.external else None,
        native_id=header.external.native_id if header.external else None,
        cwd=header.cwd,
        parent_session_id=header.parent_session_id,
        created_at=header.created_at,
        updated_at=session.updated_at,
        run_status=run.status if run else None,
        run_preview=_line(run.output_preview, PREVIEW_MAX_BYTES) if run else None,
    )


async def _texts(reader: HitReader, matches: Sequence[Match]) -> list[str | None]:
    stored = iter(await reader.texts([match.ref for match in matches if match.origin is None]))
    return [next(stored) if match.origin is None else match.origin.text for match in matches]


async def _sessions(reader: HitReader, plan: SearchPlan, matches: Sequence[Match]) -> dict[str, Session]:
    own = [match.ref.session_id for match in matches]
    return await reader.sessions([*own, *(match.root_session_id for match in matches)] if plan.fold_subagents else own)


def _hit(session: Session, match: Match, run: Run | None, snippet: Snippet, value: float) -> SessionSearchHit:
    return SessionSearchHit(
        session=summarise(session, run),
        run_id=match.ref.run_id,
        source=match.ref.source,
        location=_location(match),
        snippet=snippet,
        score=value,
        matched_at=match.time,
    )


def _location(match: Match) -> SearchLocation:
    ref = match.ref
    if ref.source != "display_message":
        return SearchLocation(
            session_id=ref.session_id,
            run_id=ref.run_id,
            source=ref.source,
            document_id=match.stable_id,
            also_in=match.also_in,
        )
    origin = match.origin
    scope = f"session:{ref.session_id}" if ref.run_id is None else f"run:{ref.run_id}"
    sequence = origin.sequence if origin else ref.seq or 0
    return SearchLocation(
        session_id=ref.session_id,
        run_id=ref.run_id,
        source=ref.source,
        document_id=match.stable_id,
        archive_scope=scope,
        source_agent_id=origin.agent_id if origin else None,
        source_run_id=origin.run_id if origin else ref.run_id,
        display_sequence=sequence,
        cursor=ReplayPosition(scope=scope, sequence=sequence),
        also_in=match.also_in,
    )


def _line(text: str | None, max_bytes: int) -> str | None:
    return None if text is None else safe_line(text, max_bytes)


def _workspace(session: Session) -> str | None:
    workspace = session.header.workspace
    return None if workspace is None else workspace.label or workspace.id


__all__ = ["Others", "browse_hit", "build_hits", "summarise"]
