"""What the search suite stores, and how it asks. Texts are the suite's own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from msgspec.structs import replace

from starweaver_host.contract.corpus import DocumentRef
from starweaver_host.contract.errors import SearchError, StoreError
from starweaver_host.contract.events import AssistantMessage, NewEvent, TextBlock, UserMessage, new_event
from starweaver_host.contract.records import (
    LOCAL_NAMESPACE,
    AccessScope,
    Run,
    SessionHeader,
    SessionKey,
    TerminalError,
    TextPart,
)
from starweaver_host.contract.search import (
    SessionSearchHit,
    SessionSearchPage,
    SessionSearchProvider,
    SessionSearchQuery,
    SessionSearchScope,
)
from starweaver_host.contract.store import EventWindow, SessionStore
from starweaver_host.contract.transcripts import ImportBatch, LedgerEntry

from .context import START

SCOPE = SessionSearchScope(namespace_id=LOCAL_NAMESPACE)
MINUTE = 60_000_000
"""Microseconds."""
PAGES_MAX = 200


async def told(
    store: SessionStore,
    session_id: str,
    *,
    title: str | None = None,
    asked: str | None = None,
    answered: str | None = None,
    minute: int = 0,
    identity: str | None = None,
    run_status: Any = "completed",
    **header: Any,
) -> None:
    """Store a session of one run: a title, what a person asked and what the assistant answered, all optional.

    Everything happened `minute` minutes after the start of the manual clock; `identity` names the answer.
    """
    at = START + minute * MINUTE
    run_id = f"run-of-{session_id}" if asked is not None or answered is not None else None
    batch = ImportBatch(
        namespace_id=header.pop("namespace_id", LOCAL_NAMESPACE),
        source="kit",
        session=None,
        title=title,
        title_source="user" if title is not None else None,
        updated_at=at,
        events=_events(asked, answered, at, run_id, identity),
        runs=() if run_id is None else (_run(session_id, run_id, asked, answered, at, run_status),),
        ledger=LedgerEntry(item_key=session_id, fingerprint=str(minute), reader_version=1),
    )
    await store.import_batch(_with_header(batch, session_id, header, at))


def _with_header(batch: ImportBatch, session_id: str, fields: dict[str, Any], at: int) -> ImportBatch:
    header = SessionHeader(
        **{"namespace_id": batch.namespace_id, "session_id": session_id, "created_at": at, "origin": "import", **fields}
    )
    runs = tuple(replace(run, namespace_id=batch.namespace_id) for run in batch.runs)
    return replace(batch, session=header, runs=runs)


def _events(
    asked: str | None, answered: str | None, at: int, run_id: str | None, identity: str | None
) -> tuple[NewEvent, ...]:
    events = []
    if asked is not None:
        events.append(new_event(UserMessage(content=(TextBlock(text=asked),)), time=at // 1000, run_id=run_id))
    if answered is not None:
        message = AssistantMessage(content=(TextBlock(text=answered),))
        events.append(new_event(message, time=at // 1000, run_id=run_id, identity=identity))
    return tuple(events)


def _run(session_id: str, run_id: str, asked: str | None, answered: str | None, at: int, status: Any) -> Run:
    return Run(
        namespace_id=LOCAL_NAMESPACE,
        session_id=session_id,
        run_id=run_id,
        sequence_no=1,
        status=status,
        trigger="import",
        input=() if asked is None else (TextPart(text=asked),),
        output_preview=answered,
        terminal_error=TerminalError(code="error", message="it broke") if status == "failed" else None,
        created_at=at,
        started_at=at,
        ended_at=at,
        updated_at=at,
    )


async def said(store: SessionStore, session_id: str, text: str, *, at: int) -> None:
    """Append an assistant message at `at`, UTC microseconds."""
    message = AssistantMessage(content=(TextBlock(text=text),))
    await store.append(
        SessionKey(namespace_id=LOCAL_NAMESPACE, session_id=session_id), [new_event(message, time=at // 1000)]
    )


async def rewritten(store: SessionStore, session_id: str, **batch: Any) -> None:
    """Import a session that `told` stored again, `batch` replacing fields of what is imported."""
    entry = (await store.ledger(LOCAL_NAMESPACE, "kit"))[session_id]
    session = await store.get_session(AccessScope(), session_id)
    given = ImportBatch(
        namespace_id=LOCAL_NAMESPACE,
        source="kit",
        session=session.header,
        expected_next_seq=session.next_seq,
        ledger=replace(entry, fingerprint="again"),
    )
    await store.import_batch(replace(given, **batch))


async def removed(store: SessionStore, session_id: str) -> None:
    """Tombstone a session."""
    access = AccessScope()
    await store.acquire_fence(access, session_id, fence_id="f", requested_by="kit", expected_revision=None)
    await store.tombstone_session(access, session_id, fence_id="f")


async def ask(
    provider: SessionSearchProvider, text: str | None, *, scope: SessionSearchScope = SCOPE, **fields: Any
) -> SessionSearchPage:
    """One search."""
    return await provider.search(scope, SessionSearchQuery(text=text, **fields))


async def ask_all(
    provider: SessionSearchProvider,
    text: str | None,
    *,
    between: Callable[[int], Awaitable[object]] | None = None,
    **fields: Any,
) -> list[SessionSearchPage]:
    """All pages of a search; `between` is awaited before each page but the first, with its number."""
    pages = [await ask(provider, text, **fields)]
    while pages[-1].next_cursor is not None:
        assert len(pages) < PAGES_MAX, f"a search must end, found {PAGES_MAX} pages and a cursor"
        if between is not None:
            await between(len(pages))
        pages.append(await ask(provider, text, cursor=pages[-1].next_cursor, **fields))
    return pages


def hits_of(pages: list[SessionSearchPage]) -> list[SessionSearchHit]:
    """The hits of all pages in order."""
    return [hit for page in pages for hit in page.hits]


def sessions_of(*pages: SessionSearchPage) -> list[str]:
    """The session ids of all hits in order."""
    return [hit.session.session_id for page in pages for hit in page.hits]


async def refusal(provider: SessionSearchProvider, text: str | None, **fields: Any) -> str:
    """The code a search was refused with; empty when it was answered."""
    try:
        await ask(provider, text, **fields)
    except SearchError as error:
        return error.code
    return ""


class SharedStore:
    """A store that is open while anybody has entered it."""

    def __init__(self, manager: AbstractAsyncContextManager[SessionStore]) -> None:
        self._manager = manager
        self._users = 0
        self.store: SessionStore | None = None

    @asynccontextmanager
    async def entered(self) -> AsyncIterator[SessionStore]:
        """The open store."""
        if self.store is None:
            self.store = await self._manager.__aenter__()
        self._users += 1
        try:
            yield self.store
        finally:
            self._users -= 1
            if self._users == 0:
                await self._manager.__aexit__(None, None, None)


class BusyStore:
    """A store that can be made busy: then every read and write is `unavailable`.

    Sessions in `damaged` have a log and runs that cannot be read, though their corpus and header can.
    """

    def __init__(self, shared: SharedStore) -> None:
        self._shared = shared
        self.is_busy = False
        self.damaged: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        if self.is_busy:
            raise StoreError("unavailable", "the store is busy")
        return getattr(self._shared.store, name)

    async def read_texts(self, scope: AccessScope, refs: Sequence[DocumentRef]) -> tuple[str | None, ...]:
        """The texts of what is whole."""
        texts = await self.__getattr__("read_texts")(scope, refs)
        is_whole = [ref.session_id not in self.damaged or ref.source == "session_metadata" for ref in refs]
        return tuple(text if whole else None for text, whole in zip(texts, is_whole, strict=True))

    async def read_events(self, scope: AccessScope, session_id: str, **window: int) -> EventWindow:
        """A window of a log that is whole."""
        self._require_whole(session_id)
        found: EventWindow = await self.__getattr__("read_events")(scope, session_id, **window)
        return found

    async def get_run(self, scope: AccessScope, session_id: str, run_id: str) -> Run:
        """A run that is whole."""
        self._require_whole(session_id)
        run: Run = await self.__getattr__("get_run")(scope, session_id, run_id)
        return run

    def _require_whole(self, session_id: str) -> None:
        if session_id in self.damaged:
            raise StoreError("corrupt", "a record was wanted, found damage")


__all__ = [
    "MINUTE",
    "SCOPE",
    "BusyStore",
    "SharedStore",
    "ask",
    "ask_all",
    "hits_of",
    "refusal",
    "removed",
    "rewritten",
    "said",
    "sessions_of",
    "told",
]
