"""A store on a real file, a clock the test owns, and makers of what is stored."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, TypeVar

import pytest

from starweaver_host.contract.corpus import CorpusBatch, CorpusDocument, CorpusQuery
from starweaver_host.contract.events import AssistantMessage, NewEvent, TextBlock, UserMessage, new_event
from starweaver_host.contract.records import (
    AccessScope,
    Run,
    RunKey,
    SessionHeader,
    TextPart,
)
from starweaver_host.contract.registration import ProviderContext
from starweaver_host.contract.store import RunAdmission
from starweaver_host.contract.transcripts import ImportBatch, LedgerEntry
from starweaver_sqlite_store.config import SqliteStoreConfig
from starweaver_sqlite_store.plugin import open_sqlite_store
from starweaver_sqlite_store.store import SqliteSessionStore

T = TypeVar("T")
START = 1_700_000_000_000_000


class ManualClock:
    """Time that moves by a microsecond per reading, and further when told."""

    def __init__(self) -> None:
        self.micros = START

    def now(self) -> int:
        self.micros += 1
        return self.micros

    def monotonic(self) -> float:
        self.micros += 1
        return self.micros / 1e6

    def advance(self, seconds: float) -> None:
        self.micros += round(seconds * 1e6)


class SilentLogger:
    """Takes events and drops them."""

    def debug(self, event: str, **details: object) -> None: ...

    def info(self, event: str, **details: object) -> None: ...

    def warning(self, event: str, **details: object) -> None: ...

    def error(self, event: str, **details: object) -> None: ...


class Bench:
    """Runs coroutines, opens stores in one folder, and closes them at the end of the test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.clock = ManualClock()
        self.loop = asyncio.new_event_loop()
        self._stack = AsyncExitStack()

    def run(self, awaitable: Coroutine[Any, Any, T]) -> T:
        return self.loop.run_until_complete(awaitable)

    def context(self, *, threads: bool = False) -> ProviderContext:
        async def inline(function: Callable[..., T], /, *args: Any) -> T:
            return await asyncio.to_thread(function, *args) if threads else function(*args)

        return ProviderContext(
            product="test",
            data_dir=self.folder,
            config_dir=self.folder,
            clock=self.clock,
            logger=SilentLogger(),
            offload=inline,
        )

    def open(self, *, threads: bool = False, **config: Any) -> SqliteSessionStore:
        opened = open_sqlite_store(SqliteStoreConfig(**config), self.context(threads=threads))
        return self.run(self._stack.enter_async_context(opened))  # type: ignore[return-value]

    def close_stores(self) -> None:
        self.run(self._stack.aclose())
        self._stack = AsyncExitStack()

    def scan(self, store: SqliteSessionStore, **query: Any) -> list[tuple[CorpusDocument, str]]:
        """Every document of a scan with its folded text, newest batch first."""

        async def collect() -> list[CorpusBatch]:
            return [batch async for batch in store.scan_corpus(CorpusQuery(**{"scope": AccessScope(), **query}))]

        return [
            (document, batch.text[document.start : document.end].decode())
            for batch in self.run(collect())
            for document in batch.documents()
        ]

    def texts(self, store: SqliteSessionStore, **query: Any) -> list[str]:
        return sorted(text for _, text in self.scan(store, **query))


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    yield made
    made.close_stores()
    made.loop.close()


@pytest.fixture
def store(bench: Bench) -> SqliteSessionStore:
    return bench.open()


def header(session_id: str = "s1", **fields: Any) -> SessionHeader:
    return SessionHeader(**{"namespace_id": "local", "session_id": session_id, "created_at": START, **fields})


def said(text: str, *, time: int = 1, run_id: str | None = None, identity: str | None = None) -> NewEvent:
    payload = AssistantMessage(content=(TextBlock(text=text),))
    return new_event(payload, time=time, run_id=run_id, identity=identity)


def asked(text: str, *, time: int = 1, run_id: str | None = None, identity: str | None = None) -> NewEvent:
    payload = UserMessage(content=(TextBlock(text=text),))
    return new_event(payload, time=time, run_id=run_id, identity=identity)


def imported(session_id: str = "s1", *events: NewEvent, version: int = 0, **fields: Any) -> ImportBatch:
    """A batch; `header_fields` go to the session's header, `item` names its ledger entry."""
    item = fields.pop("item", session_id)
    made = header(session_id, **fields.pop("header_fields", {}))
    entry = LedgerEntry(item_key=item, fingerprint="f", reader_version=1, version=version)
    values = {"namespace_id": "local", "source": "test", "session": made, "events": events, "ledger": entry}
    return ImportBatch(**{**values, **fields})


def imported_run(session_id: str = "s1", run_id: str = "r1", number: int = 1, **fields: Any) -> Run:
    values: dict[str, Any] = {
        "namespace_id": "local",
        "session_id": session_id,
        "run_id": run_id,
        "sequence_no": number,
        "status": "completed",
        "trigger": "import",
        "input": (TextPart(text="question"),),
        "output_preview": "answer",
        "created_at": START,
        "updated_at": START + 1,
    }
    return Run(**{**values, **fields})


def admission(session_id: str = "s1", run_id: str = "r1", **fields: Any) -> RunAdmission:
    key = RunKey(namespace_id="local", session_id=session_id, run_id=run_id)
    return RunAdmission(**{"key": key, "admission_id": f"a-{run_id}", "host_instance_id": "h1", **fields})


class Makers:
    """The makers above, for test modules, which import nothing from each other."""

    header = staticmethod(header)
    said = staticmethod(said)
    asked = staticmethod(asked)
    imported = staticmethod(imported)
    imported_run = staticmethod(imported_run)
    admission = staticmethod(admission)
    bench = Bench
    start = START


@pytest.fixture(scope="session")
def make() -> type[Makers]:
    return Makers
