"""What the groups of the search suite share: the capabilities, the fixtures, and the one an author supplies."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import ClassVar, cast

import pytest

from starweaver_host.contract.registration import ProviderContext
from starweaver_host.contract.search import SessionSearchProvider
from starweaver_host.contract.store import SessionStore

from .context import ManualClock, provider_context
from .memory_store import open_memory_store
from .search_samples import BusyStore, SharedStore
from .suite import ConformanceSuite, Opening

OpenStore = Callable[[ProviderContext], AbstractAsyncContextManager[SessionStore]]
OpenProvider = Callable[[ProviderContext], AbstractAsyncContextManager[SessionSearchProvider]]


class SearchSuite(ConformanceSuite):
    """Base of the groups. An author's class supplies the fixture `open_provider`, an `OpenProvider`.

    The context carries a store, which the tests fill after the provider was opened: a provider with an index catches
    up from the store's feed, or scans what its index lacks.
    """

    CAPABILITIES: ClassVar[Mapping[str, str]] = {
        "documented_order": "matches stand in the order of `services.search_order`, as those of the local scan do",
        "repeatable_pages": "pages neither repeat nor skip a group while the store is written between them",
    }

    @pytest.fixture
    def clock(self) -> ManualClock:
        """The time of store and provider, which only the test moves."""
        return ManualClock()

    @pytest.fixture
    def open_store(self) -> OpenStore:
        """Opens the store that is searched: the reference store, unless an author's class gives another."""
        return open_memory_store

    @pytest.fixture
    def shared_store(self, open_store: OpenStore, clock: ManualClock, tmp_path: Path) -> SharedStore:
        """One new store for the test and its provider, whoever needs it first."""
        return SharedStore(open_store(provider_context(tmp_path, clock=clock)))

    @pytest.fixture
    def store(self, shared_store: SharedStore) -> Opening[SessionStore]:
        """The store, open."""
        return Opening(shared_store.entered())

    @pytest.fixture
    def busy_store(self, shared_store: SharedStore) -> BusyStore:
        """The same store as the provider sees it, behind a switch that makes it busy."""
        return BusyStore(shared_store)

    @pytest.fixture
    def provider(
        self,
        open_provider: OpenProvider,
        shared_store: SharedStore,
        busy_store: BusyStore,
        clock: ManualClock,
        tmp_path: Path,
    ) -> Opening[SessionSearchProvider]:
        """The provider over the store; the test's runner opens both."""
        context = provider_context(tmp_path, clock=clock, store=cast("SessionStore", busy_store))
        return Opening(_opened(open_provider, shared_store, context))


@asynccontextmanager
async def _opened(
    open_provider: OpenProvider, shared_store: SharedStore, context: ProviderContext
) -> AsyncIterator[SessionSearchProvider]:
    async with shared_store.entered(), open_provider(context) as provider:
        yield provider


__all__ = ["OpenProvider", "SearchSuite"]
