"""The brute-force oracle of literal search: every document, one by one, by the words of the contract.

Slow on purpose and short on purpose: it reads all documents of a store, keeps those whose folded text holds the folded
needle, and sorts plain lists. It shares no code with the search services but the fold and the document id.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple
from unicodedata import category

from starweaver_host.contract.corpus import (
    SEARCH_SOURCES,
    Attribution,
    CorpusDocument,
    CorpusFilter,
    CorpusQuery,
    DocumentRef,
)
from starweaver_host.contract.errors import StoreError
from starweaver_host.contract.records import SESSION_STATUSES, AccessScope, Session
from starweaver_host.contract.search import SearchTimeRange, SessionSearchFilter, SessionSearchQuery
from starweaver_host.contract.store import SessionStore
from starweaver_host.projection.documents import document_id
from starweaver_host.projection.folding import find_all, fold, fold_needle

USER_SOURCES = {"run_input"}
ASSISTANT_SOURCES = {"run_output_preview", "display_message"}


class Spoken(NamedTuple):
    """One document with everything a filter may ask about.

    `folds_under` is the session a folding search shows it in: the root, or its own where the root cannot be seen.
    """

    ref: DocumentRef
    time: int
    text: str
    identity: bytes | None
    session: Session
    run_status: str | None
    run_statuses: frozenset[str]
    folds_under: str

    @property
    def id(self) -> str:
        """The document's opaque id."""
        return document_id(self.ref)


class Expected(NamedTuple):
    """A group as the oracle expects it: its name and its matching documents, best first."""

    group: str
    documents: tuple[Spoken, ...]

    @property
    def best(self) -> Spoken:
        """The document the group is shown by."""
        return self.documents[0]


async def read_spoken(store: SessionStore, access: AccessScope) -> list[Spoken]:
    """Every document of a store that `access` may see, in no order."""
    everything = CorpusFilter(statuses=SESSION_STATUSES if access.include_deleted else ())
    found: list[CorpusDocument] = []
    async for batch in store.scan_corpus(CorpusQuery(scope=access, filter=everything)):
        found += batch.documents()
    texts = await store.read_texts(access, [document.ref for document in found])
    sessions = {
        session.header.session_id: session
        for session in await store.get_sessions(access, sorted({document.ref.session_id for document in found}))
    }
    roots = {session.root_session_id for session in sessions.values()}
    seen = {session.header.session_id for session in await store.get_sessions(access, sorted(roots))}
    statuses = {
        (session_id, run_id): await _run_status(store, access, session_id, run_id)
        for session_id, run_id in {(d.ref.session_id, d.ref.run_id) for d in found}
        if run_id is not None
    }
    return [
        Spoken(
            ref=document.ref,
            time=document.time,
            text=text or "",  # of a damaged document nothing can be found
            identity=document.identity,
            session=sessions[document.ref.session_id],
            run_status=statuses.get((document.ref.session_id, document.ref.run_id or "")),
            run_statuses=frozenset(
                status for (owner, _), status in statuses.items() if owner == document.ref.session_id and status
            ),
            folds_under=document.root_session_id if document.root_session_id in seen else document.ref.session_id,
        )
        for document, text in zip(found, texts, strict=True)
    ]


async def _run_status(store: SessionStore, access: AccessScope, session_id: str, run_id: str) -> str | None:
    try:
        return (await store.get_run(access, session_id, run_id)).status
    except StoreError:
        return None


async def owners_of(store: SessionStore, access: AccessScope, spoken: Sequence[Spoken]) -> dict[bytes, Attribution]:
    """Who owns the message identities that more than one session holds."""
    identities = sorted({s.identity for s in spoken if s.identity is not None})
    return {entry.identity: entry for entry in await store.attribute(access, identities)} if identities else {}


def expected_groups(
    spoken: Sequence[Spoken], query: SessionSearchQuery, owners: dict[bytes, Attribution], *, window: int = 500
) -> list[Expected]:
    """The groups that a search answers over all its pages, in order, each with its best document."""
    needle = fold_needle(query.text or "")
    matches = [s for s in spoken if needle in fold(s.text) and is_selected(s, query) and _is_owned(s, owners)]
    matches.sort(key=_recency)
    groups: dict[str, list[Spoken]] = {}
    for document in _in_page_order(matches, query, needle, window):
        groups.setdefault(group_name(document, query), []).append(document)
    return [Expected(group, tuple(documents)) for group, documents in groups.items()]


def _in_page_order(matches: list[Spoken], query: SessionSearchQuery, needle: str, window: int) -> Iterator[Spoken]:
    if query.sort == "updated_desc":
        return iter(matches)
    newest = matches[:window]
    newest.sort(key=lambda s: (SEARCH_SOURCES.index(s.ref.source), not has_whole_word(s.text, needle), _recency(s)))
    return iter(newest + matches[window:])


def _recency(spoken: Spoken) -> tuple[int, int, str]:
    return (-spoken.time, SEARCH_SOURCES.index(spoken.ref.source), spoken.id)


def _is_owned(spoken: Spoken, owners: dict[bytes, Attribution]) -> bool:
    owner = owners.get(spoken.identity) if spoken.identity is not None else None
    return owner is None or owner.owner_session_id == spoken.session.header.session_id


def group_name(spoken: Spoken, query: SessionSearchQuery) -> str:
    """The group a document is shown in."""
    if query.granularity == "occurrence":
        return spoken.id
    if query.granularity == "run":
        return f"{spoken.ref.session_id} / {spoken.ref.run_id or ''}"
    return spoken.folds_under if query.fold_subagents else spoken.ref.session_id


def has_whole_word(text: str, needle: str) -> bool:
    """Whether one of the first 64 places where `needle` begins in the folded text stands between word boundaries."""
    folded = fold(text)
    starts = [at for at in range(len(folded)) if folded.startswith(needle, at)][:64]
    return any(_is_boundary(folded, at) and _is_boundary(folded, at + len(needle)) for at in starts)


def _is_boundary(text: str, at: int) -> bool:
    around = text[at - 1 : at + 1] if 0 < at < len(text) else ""
    return not (around and all(c.isalnum() or c == "_" or category(c).startswith("M") for c in around))


def is_selected(spoken: Spoken, query: SessionSearchQuery) -> bool:
    """Whether the filters, sources and roles of `query` let a document through."""
    filters, session = query.filters, spoken.session
    return (
        (not query.sources or spoken.ref.source in query.sources)
        and (not filters.roles or spoken.ref.source in _said_by(filters))
        and (session.status in filters.status if filters.status else session.status != "deleted")
        and (not filters.run_status or _has_run_status(spoken, filters))
        and (filters.profile is None or session.profile == filters.profile)
        and (filters.workspace is None or _is_in_workspace(session, filters.workspace))
        and (not filters.session_ids or session.header.session_id in filters.session_ids)
        and (not filters.agents or (session.header.external is not None and _agent(session) in filters.agents))
        and _is_within(filters.created, session.header.created_at)
        and _is_within(filters.updated, session.updated_at)
    )


def _said_by(filters: SessionSearchFilter) -> set[str]:
    said = {"user": USER_SOURCES, "assistant": ASSISTANT_SOURCES}
    return {source for role in filters.roles for source in said[role]}


def _has_run_status(spoken: Spoken, filters: SessionSearchFilter) -> bool:
    if spoken.run_status is not None:
        return spoken.run_status in filters.run_status
    return not spoken.run_statuses.isdisjoint(filters.run_status)


def _is_in_workspace(session: Session, wanted: str) -> bool:
    if wanted.endswith("/"):
        return f"{session.header.cwd or ''}/".startswith(f"{wanted.rstrip('/')}/") and session.header.cwd is not None
    workspace = session.header.workspace
    return workspace is not None and wanted in {workspace.id, workspace.label}


def _agent(session: Session) -> str | None:
    return session.header.external.source if session.header.external is not None else None


def _is_within(wanted: SearchTimeRange | None, time: int) -> bool:
    return wanted is None or (
        (wanted.start is None or wanted.start <= time) and (wanted.until is None or time < wanted.until)
    )


def highlight_defects(text: str, highlights: Sequence[tuple[int, int]], needle: str) -> list[str]:
    """What is wrong with the marks of a snippet: each must be the smallest cut that holds a match found from the left.

    A character and the marks on it are cut together.
    """
    folded_needle = fold_needle(needle)
    defects = []
    for start, end in highlights:
        if folded_needle not in fold(text[start:end]):
            defects.append(f"[{start}:{end}] does not hold the needle")
        elif _is_wide(text[start:end], folded_needle):
            defects.append(f"[{start}:{end}] is wider than the match")
    if list(find_all(fold(text), folded_needle)) and not highlights:
        defects.append("a match is not marked")
    return defects


def _is_wide(cut: str, folded_needle: str) -> bool:
    """Whether the leftmost match in a cut leaves out its first or last character, and the cut holds it without that.

    The leftmost match is what is marked: in `ſß`, whose fold is `sss`, `ss` begins in the first character.
    """
    marks = [category(char).startswith("M") for char in cut]
    first = next((at for at, is_mark in enumerate(marks) if at > 0 and not is_mark), len(marks))
    last = max((at for at, is_mark in enumerate(marks) if not is_mark), default=0)
    at = fold(cut).find(folded_needle)
    begins_later = at >= len(fold(cut[:first])) and folded_needle in fold(cut[first:])
    ends_sooner = at + len(folded_needle) <= len(fold(cut[:last])) and folded_needle in fold(cut[:last])
    return begins_later or ends_sooner


__all__ = [
    "Expected",
    "Spoken",
    "expected_groups",
    "group_name",
    "has_whole_word",
    "highlight_defects",
    "is_selected",
    "owners_of",
    "read_spoken",
]
