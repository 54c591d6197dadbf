"""Typed use of the public surface, as a plugin's author writes it: checked by mypy strict, never run.

A statement that stops being true here is a change that authors have to make, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING

from starweaver_host.application import Application
from starweaver_host.build import compose
from starweaver_host.config.model import ConfigTable, ProductConfig, ProductDefinition, Slot
from starweaver_host.conformance.memory_store import MemorySessionStore
from starweaver_host.contract.records import AccessScope, Session
from starweaver_host.contract.registration import (
    ProviderContext,
    SearchProviderRegistration,
    SessionStoreRegistration,
    TranscriptSourceRegistration,
)
from starweaver_host.contract.search import SessionSearchProvider
from starweaver_host.contract.store import SessionListQuery, SessionStore
from starweaver_host.contract.transcripts import TranscriptSource
from starweaver_host.hooks import hookimpl

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starweaver_host.testing import ManualClock


class AcmeConfig(ConfigTable, frozen=True, kw_only=True):
    """The keys of a third party's store."""

    url: str = "acme://here"


class AcmeStore(MemorySessionStore):
    """A store made from another one, with an operation of its own behaviour."""

    async def get_session(self, scope: AccessScope, session_id: str) -> Session:
        """As the contract says it."""
        return await super().get_session(scope, session_id)


def is_a_store(clock: ManualClock) -> SessionStore:
    """What is assigned to the protocol must have all of it."""
    store: SessionStore = AcmeStore(clock)
    return store


@asynccontextmanager
async def open_store(config: AcmeConfig, context: ProviderContext) -> AsyncIterator[SessionStore]:
    """A factory as an async generator."""
    context.logger.info("acme.opened", url=config.url)
    yield AcmeStore(context.clock)


def open_search(config: object, context: ProviderContext) -> AbstractAsyncContextManager[SessionSearchProvider]:
    """A factory as a function."""
    raise LookupError(f"{config} {context}")


def make_source(config: object) -> TranscriptSource:
    """A factory of something that needs no opening."""
    raise LookupError(str(config))


@hookimpl
def starweaver_session_stores() -> Iterator[SessionStoreRegistration]:
    """A hook as a generator."""
    yield SessionStoreRegistration(
        name="acme", summary="far away", contract="1.0", config=AcmeConfig, factory=open_store
    )


@hookimpl
def starweaver_search_providers() -> tuple[SearchProviderRegistration, ...]:
    """A hook that returns everything at once."""
    return (SearchProviderRegistration(name="acme", summary="far away", contract="1.0", factory=open_search),)


@hookimpl
def starweaver_transcript_sources() -> list[TranscriptSourceRegistration]:
    """A hook that returns a list."""
    return [TranscriptSourceRegistration(name="acme", summary="theirs", contract="1.0", factory=make_source)]


class AcmeProduct(ProductConfig, frozen=True, kw_only=True):
    """The configuration of a product."""

    colour: str = "red"


PRODUCT: ProductDefinition[AcmeProduct] = ProductDefinition(
    name="acme",
    file_name="acme.toml",
    defaults='plugins = ["acme"]\n[store]\nprovider = "acme"\n',
    config=AcmeProduct,
    slots=(Slot(name="store", kind="session_store", table=("store",)),),
)


async def composed() -> int:
    """A composed product knows the class of its configuration, and its services by their protocols."""
    application: Application[AcmeProduct] = compose(PRODUCT)
    async with application.open_only("store") as services:
        store: SessionStore = services.store
        search: SessionSearchProvider | None = services.search
        sources: Mapping[str, TranscriptSource] = services.sources
        page = await store.list_sessions(AccessScope(), SessionListQuery())
    return len(page.sessions) + len(sources) + len(application.config.colour) + (search is not None)


async def embedded(clock: ManualClock) -> int:
    """Providers that a program made itself need no plugin."""
    async with Application.of(store=AcmeStore(clock)) as services:
        return len((await services.store.list_sessions(AccessScope(), SessionListQuery())).sessions)
