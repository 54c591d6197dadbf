"""A product of three slots, and providers whose lifetimes are written down in a list."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import pytest

from starweaver_host.config.model import ConfigTable, ProductConfig, ProductDefinition, Slot
from starweaver_host.contract.registration import (
    SearchProviderRegistration,
    SessionStoreRegistration,
    TranscriptSourceRegistration,
)
from starweaver_host.contract.search import SessionSearchProvider
from starweaver_host.contract.store import SessionStore
from starweaver_host.contract.transcripts import TranscriptSource

T = TypeVar("T")

DEFAULTS = """\
plugins = ["stores", "searches"]

[server]
database_path = "desk.sqlite3"

[server.store]
backend = "memory"

[server.session_search]
enabled = true
backend = "scan"
"""


class ServerStore(ConfigTable, frozen=True, kw_only=True):
    backend: str


class ServerSearch(ConfigTable, frozen=True, kw_only=True):
    enabled: bool = True
    backend: str = ""


class Server(ConfigTable, frozen=True, kw_only=True):
    database_path: Path
    store: ServerStore
    session_search: ServerSearch


class Sources(ConfigTable, frozen=True, kw_only=True):
    pass


class DeskConfig(ProductConfig, frozen=True, kw_only=True):
    server: Server
    sources: Sources = Sources()


class MemoryConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    path: Path | None = None
    limit: int = 10


DESK = ProductDefinition(
    name="desk",
    file_name="desk.toml",
    defaults=DEFAULTS,
    config=DeskConfig,
    slots=(
        Slot(
            name="store",
            kind="session_store",
            table=("server", "store"),
            selector="backend",
            derived=lambda config: {"path": str(config.server.database_path)},
        ),
        Slot(
            name="search",
            kind="search_provider",
            table=("server", "session_search"),
            selector="backend",
            switch="enabled",
            required=False,
        ),
        Slot(name="sources", kind="transcript_source", table=("sources",), many=True, required=False),
    ),
)


def standing_in(protocol: type, **values: object) -> Any:
    """An object that has every member of a Protocol, for tests of what holds providers and never calls them."""
    names = {name for base in protocol.__mro__ for name in (*vars(base), *getattr(base, "__annotations__", ()))}
    members = {name: lambda *_: None for name in names if not name.startswith("_")}
    return type(f"Fake{protocol.__name__}", (), {**members, **values})()


class Workshop:
    """Makes registrations whose openings and closings go into `log`."""

    def __init__(self) -> None:
        self.log: list[str] = []
        self.configs: dict[str, object] = {}
        self.contexts: dict[str, Any] = {}

    def opener(self, name: str, opened: object, *, fails: str = "") -> Callable[[Any, Any], Any]:
        """A factory; `fails` may hold the words open and close."""

        @asynccontextmanager
        async def factory(config: object, context: object) -> AsyncIterator[object]:
            self.configs[name], self.contexts[name] = config, context
            if "open" in fails:
                raise OSError(f"{name} will not open")
            self.log.append(f"open {name}")
            try:
                yield opened
            finally:
                self.log.append(f"close {name}")
                if "close" in fails:
                    raise OSError(f"{name} will not close")

        return factory

    def store(self, name: str = "memory", *, opened: object = None, fails: str = "") -> SessionStoreRegistration:
        found = standing_in(SessionStore) if opened is None else opened
        return SessionStoreRegistration(
            name=name,
            summary="s",
            contract="1.0",
            config=MemoryConfig,
            factory=self.opener(name, found, fails=fails),
        )

    def search(self, name: str = "scan", *, fails: str = "") -> SearchProviderRegistration:
        opened = standing_in(SessionSearchProvider)
        return SearchProviderRegistration(
            name=name, summary="s", contract="1.0", factory=self.opener(name, opened, fails=fails)
        )

    def source(self, name: str) -> TranscriptSourceRegistration:
        return TranscriptSourceRegistration(
            name=name, summary="s", contract="1.0", factory=lambda config: standing_in(TranscriptSource, name=name)
        )


@pytest.fixture
def desk() -> ProductDefinition[DeskConfig]:
    return DESK


@pytest.fixture
def workshop() -> Workshop:
    return Workshop()


@pytest.fixture
def run() -> Callable[[Awaitable[T]], T]:
    """Run a coroutine function's result to its end."""

    async def awaited(work: Awaitable[T]) -> T:
        return await work

    return lambda work: asyncio.run(awaited(work))
