"""A scripted store for search tests: documents as a test wants them, in batches as unfriendly as the contract allows.

Batches are chunks of one session each, so they overlap in time; texts of documents that a filter leaves out stay in
the batch without being listed.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from functools import partial
from itertools import groupby
from typing import Any, NoReturn, TypeVar

import msgspec
import pytest

from starweaver_host.conformance.memory.filters import selects, shows
from starweaver_host.contract.corpus import (
    Attribution,
    CorpusBatch,
    CorpusDocument,
    CorpusFilter,
    CorpusQuery,
    DocumentRef,
    FeedPage,
    FeedRow,
    StoreIdentity,
)
from starweaver_host.contract.errors import StoreError
from starweaver_host.contract.records import AccessScope, Run, Session, SessionCounts, SessionHeader
from starweaver_host.contract.search import SessionSearchPage, SessionSearchQuery, SessionSearchScope
from starweaver_host.contract.store import RunListQuery, RunPage, SessionListQuery, SessionPage
from starweaver_host.projection.documents import PROJECTION_VERSION
from starweaver_host.projection.folding import FOLD_VERSION, fold
from starweaver_local_search.config import LocalSearchConfig
from starweaver_local_search.provider import LocalSearchProvider

T = TypeVar("T")
SCOPE = SessionSearchScope(namespace_id="local")


def _damaged() -> NoReturn:
    raise msgspec.DecodeError("not the documents of a batch")


class Document(msgspec.Struct, kw_only=True):
    """A document of the scripted corpus; `position` says when the store learned of it."""

    ref: DocumentRef
    time: int
    text: str
    identity: bytes | None
    position: int


class ScriptedStore:
    """The parts of a SessionStore that search reads, over plain dictionaries."""

    def __init__(self, chunk: int = 3) -> None:
        self.sessions: dict[str, Session] = {}
        self.runs: dict[tuple[str, str], Run] = {}
        self.documents: dict[DocumentRef, Document] = {}
        self.changed: dict[str, int] = {}
        self.now = 0
        self.chunk = chunk
        self.calls: list[str] = []
        self.failing: StoreError | None = None
        self.rewrites = 0
        self.fold_version = FOLD_VERSION
        self.epoch = "epoch-1"
        self.damaged: set[str] = set()
        self.keeps_dead = False
        self.dead: list[tuple[int, Document]] = []

    def add_session(self, session_id: str, *, at: int = 0, title: str | None = None, **fields: Any) -> Session:
        names = {"owner_id", "cwd", "workspace", "parent_session_id", "external"}
        header = SessionHeader(
            namespace_id="local",
            session_id=session_id,
            created_at=at,
            **{name: value for name, value in fields.items() if name in names},
        )
        rest = {name: value for name, value in fields.items() if name not in names}
        parent = self.sessions.get(header.parent_session_id or "")
        root = parent.root_session_id if parent else session_id
        self.sessions[session_id] = Session(header=header, root_session_id=root, updated_at=at, title=None, **rest)
        self._touch(session_id, at)
        if title is not None:
            self.rename(session_id, title, at=at)
        return self.sessions[session_id]

    def rename(self, session_id: str, title: str, *, at: int) -> None:
        ref = DocumentRef(session_id=session_id, source="session_metadata")
        self._put(ref, at, title, None)
        self._change(session_id, title=title)

    def add_run(self, session_id: str, run_id: str, text: str, *, at: int, **fields: Any) -> Run:
        session = self.sessions[session_id]
        run = Run(
            **{
                "namespace_id": "local",
                "session_id": session_id,
                "run_id": run_id,
                "sequence_no": session.counts.runs + 1,
                "status": "completed",
                "created_at": at,
                "updated_at": at,
                **{name: value for name, value in fields.items() if name != "identity"},
            }
        )
        self.runs[session_id, run_id] = run
        self._change(session_id, counts=SessionCounts(runs=run.sequence_no))
        ref = DocumentRef(session_id=session_id, source="run_input", run_id=run_id)
        self._put(ref, at, text, fields.get("identity"))
        if run.output_preview is not None:
            ref = DocumentRef(session_id=session_id, source="run_output_preview", run_id=run_id)
            self._put(ref, at, run.output_preview, None)
        return run

    def add_display(
        self, session_id: str, seq: int, text: str, *, at: int, run_id: str | None = None, identity: bytes | None = None
    ) -> DocumentRef:
        ref = DocumentRef(session_id=session_id, source="display_message", run_id=run_id, seq=seq)
        self._put(ref, at, text, identity)
        return ref

    def remove(self, ref: DocumentRef) -> None:
        self.now += 1
        document = self.documents.pop(ref)
        if self.keeps_dead:
            self.dead.append((self.now, document))

    def _put(self, ref: DocumentRef, at: int, text: str, identity: bytes | None) -> None:
        self._touch(ref.session_id, at)
        if ref in self.documents:
            self.remove(ref)
        self.documents[ref] = Document(ref=ref, time=at, text=text, identity=identity, position=self.now)

    def _touch(self, session_id: str, at: int) -> None:
        self.now += 1
        self.changed[session_id] = self.now
        self._change(session_id, updated_at=max(self.sessions[session_id].updated_at, at))

    def _change(self, session_id: str, **fields: Any) -> None:
        self.sessions[session_id] = msgspec.structs.replace(self.sessions[session_id], **fields)

    def sees(self, scope: AccessScope, wanted: CorpusFilter, session: Session) -> bool:
        return shows(scope, session) and selects(wanted, session, self._runs(session.header.session_id))

    def matches(self, query: CorpusQuery, document: Document) -> bool:
        run = self.runs.get((document.ref.session_id, document.ref.run_id or ""))
        return (
            self.sees(query.scope, query.filter, self.sessions[document.ref.session_id])
            and document.ref.source in query.filter.sources
            and (query.as_of is None or document.position <= int(query.as_of))
            and (query.older_than is None or document.time < query.older_than)
            and (not query.filter.run_statuses or run is None or run.status in query.filter.run_statuses)
        )

    def _runs(self, session_id: str) -> list[Run]:
        return [run for (owner, _), run in self.runs.items() if owner == session_id]

    async def scan_corpus(self, query: CorpusQuery) -> AsyncGenerator[CorpusBatch, None]:
        self._called("scan_corpus")
        dead = [d for until, d in self.dead if query.as_of is not None and int(query.as_of) < until]
        documents = sorted([*self.documents.values(), *dead], key=lambda d: (d.ref.session_id, -d.time))
        chunks = []
        for _, group in groupby(documents, key=lambda d: d.ref.session_id):
            held = list(group)
            chunks += [held[at : at + self.chunk] for at in range(0, len(held), self.chunk)]
        batches = [
            (max(listed), chunk) for chunk in chunks if (listed := [d.time for d in chunk if self.matches(query, d)])
        ]
        for newest, chunk in sorted(batches, key=lambda pair: -pair[0]):
            yield self._batch(query, newest, chunk)

    def _batch(self, query: CorpusQuery, newest: int, chunk: list[Document]) -> CorpusBatch:
        text = b""
        listed = []
        for document in chunk:
            folded = fold(document.text).encode()
            if self.matches(query, document):
                listed.append(
                    CorpusDocument(
                        ref=document.ref,
                        root_session_id=self.sessions[document.ref.session_id].root_session_id,
                        time=document.time,
                        start=len(text),
                        end=len(text) + len(folded),
                        identity=document.identity,
                    )
                )
            text += folded + b"\0"
        is_damaged = chunk[0].ref.session_id in self.damaged
        return CorpusBatch(newest=newest, text=text, load=_damaged if is_damaged else partial(tuple, listed))

    async def rewritten(self, query: CorpusQuery) -> int:
        self._called("rewritten")
        return self.rewrites

    async def read_texts(self, scope: AccessScope, refs: Sequence[DocumentRef]) -> tuple[str | None, ...]:
        self._called("read_texts")
        found = [self.documents.get(ref) for ref in refs]
        return tuple(None if document is None else document.text for document in found)

    async def attribute(self, scope: AccessScope, identities: Sequence[bytes]) -> tuple[Attribution, ...]:
        self._called("attribute")
        shared = []
        for identity in identities:
            holders = {d.ref.session_id for d in self.documents.values() if d.identity == identity}
            seen = [self.sessions[s] for s in holders if self.sees(scope, CorpusFilter(), self.sessions[s])]
            if len(seen) > 1:
                ids = [s.header.session_id for s in sorted(seen, key=lambda s: (s.header.created_at, s.key))]
                shared.append(Attribution(identity=identity, owner_session_id=ids[0], session_ids=tuple(ids)))
        return tuple(shared)

    async def get_session(self, scope: AccessScope, session_id: str) -> Session:
        for session in await self.get_sessions(scope, [session_id]):
            return session
        raise StoreError("not_found", f"session {session_id!r} was wanted, found none")

    async def get_sessions(self, scope: AccessScope, session_ids: Sequence[str]) -> tuple[Session, ...]:
        self._called("get_sessions")
        wanted = CorpusFilter(statuses=("active", "archived", "failed", "deleted"))
        found = [self.sessions[s] for s in session_ids if s in self.sessions]
        return tuple(session for session in found if self.sees(scope, wanted, session))

    async def list_sessions(self, scope: AccessScope, query: SessionListQuery) -> SessionPage:
        self._called("list_sessions")
        seen = [s for s in self.sessions.values() if self.sees(scope, query.filter, s)]
        places = sorted(((s.updated_at, s.header.session_id) for s in seen), reverse=True)
        rest = [place for place in places if query.after is None or place < query.after]
        shown = tuple(self.sessions[session_id] for _, session_id in rest[: query.limit])
        return SessionPage(sessions=shown, after=rest[query.limit - 1] if len(rest) > query.limit else None)

    async def get_run(self, scope: AccessScope, session_id: str, run_id: str) -> Run:
        self._called("get_run")
        if (session_id, run_id) not in self.runs:
            raise StoreError("not_found", f"run {run_id!r} is not there")
        return self.runs[session_id, run_id]

    async def list_runs(self, scope: AccessScope, session_id: str, query: RunListQuery) -> RunPage:
        self._called("list_runs")
        runs = sorted(self._runs(session_id), key=lambda r: r.sequence_no, reverse=query.newest_first)
        return RunPage(runs=tuple(runs[: query.limit]))

    async def changes(self, namespace_id: str, *, after: str | None = None, limit: int = 1000) -> FeedPage:
        self._called("changes")
        since = int(after or 0)
        if since > self.now:
            raise StoreError("invalid", f"a position up to {self.now} was wanted, found {since}")
        newer = sorted((at, session_id) for session_id, at in self.changed.items() if at > since)[:limit]
        rows = tuple(
            FeedRow(
                session_id=session_id,
                position=str(at),
                source_revision=at,
                revision=1,
                activity_revision=1,
                incarnation=0,
                last_seq=0,
                tombstone=False,
            )
            for at, session_id in newer
        )
        return FeedPage(rows=rows, position=rows[-1].position if rows else str(since), epoch=self.epoch)

    async def read_events(
        self, scope: AccessScope, session_id: str, *, from_seq: int = 0, limit: int = 1000
    ) -> NoReturn:
        raise StoreError("not_found", f"session {session_id!r} was wanted, found no log of any")

    async def position(self, namespace_id: str) -> str:
        self._called("position")
        return str(self.now)

    async def identity(self) -> StoreIdentity:
        return StoreIdentity(
            epoch=self.epoch, schema_version=1, fold_version=self.fold_version, projection_version=PROJECTION_VERSION
        )

    async def cursor_key(self) -> bytes:
        return b"k" * 32

    def _called(self, name: str) -> None:
        self.calls.append(name)
        if self.failing is not None:
            raise self.failing


class StepClock:
    """A clock that only a test moves; `step` seconds pass at every look at the monotonic time."""

    def __init__(self, *, now: int = 1 << 50, step: float = 0.0) -> None:
        self.time = now
        self.elapsed = 0.0
        self.step = step

    def now(self) -> int:
        return self.time

    def monotonic(self) -> float:
        self.elapsed += self.step
        return self.elapsed


async def _inline(function: Callable[..., T], /, *args: Any) -> T:
    return function(*args)


class Searcher:
    """A provider over a store, called synchronously; fields of the query by name."""

    def __init__(self, store: Any, *, clock: StepClock | None = None, display_root: Any = None, **config: Any) -> None:
        self.provider = LocalSearchProvider(
            store,
            LocalSearchConfig(**config),
            clock=clock or StepClock(),
            offload=_inline,
            display_root=display_root,
        )

    def __call__(
        self, text: str | None = None, *, scope: SessionSearchScope = SCOPE, **fields: Any
    ) -> SessionSearchPage:
        return run_now(self.provider.search(scope, SessionSearchQuery(text=text, **fields)))

    def all(
        self, text: str | None = None, *, between: Callable[[], object] = lambda: None, **fields: Any
    ) -> list[SessionSearchPage]:
        """Every page, with a call of `between` before each but the first. More than 500 pages is an endless search."""
        pages = [self(text, **fields)]
        while pages[-1].next_cursor is not None:
            between()
            pages.append(self(text, cursor=pages[-1].next_cursor, **fields))
            assert len(pages) < 500
        return pages


def run_now(coroutine: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(coroutine)


@pytest.fixture
def store() -> ScriptedStore:
    """An empty scripted store."""
    return ScriptedStore()


@pytest.fixture
def search(store: ScriptedStore) -> Searcher:
    """A searcher over the scripted store."""
    return Searcher(store)


@pytest.fixture
def new_store() -> type[ScriptedStore]:
    """Makes scripted stores."""
    return ScriptedStore


@pytest.fixture
def new_search() -> type[Searcher]:
    """Makes searchers with a configuration, clock or mirror root of their own."""
    return Searcher


@pytest.fixture
def new_clock() -> type[StepClock]:
    """Makes clocks."""
    return StepClock


@pytest.fixture
def run() -> Callable[[Coroutine[Any, Any, T]], T]:
    """Runs a coroutine to its end."""
    return run_now
