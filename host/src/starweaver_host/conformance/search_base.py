"""What the groups of the search suite share: the capabilities, the fixtures, and the one an author supplies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import ClassVar

import pytest

from starweaver_host.contract.registration import ProviderContext
from starweaver_host.contract.search import SessionSearchProvider
from starweaver_host.contract.store import SessionStore

from .context import ManualClock, provider_context
from .memory_store import MemorySessionStore
from .search_samples import BusyStore
from .suite import ConformanceSuite, Opening

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
    def store(self, clock: ManualClock) -> SessionStore:
        """The store that is searched: the reference store, unless an author's class gives another."""
        return MemorySessionStore(clock)

    @pytest.fixture
    def busy_store(self, store: SessionStore) -> BusyStore:
        """The same store, behind a switch that makes it busy."""
        return BusyStore(store)

    @pytest.fixture
    def provider(
        self, open_provider: OpenProvider, busy_store: SessionStore, clock: ManualClock, tmp_path: Path
    ) -> Opening[SessionSearchProvider]:
        """The provider over the store; the test's runner opens it."""
        return Opening(open_provider(provider_context(tmp_path, clock=clock, store=busy_store)))


__all__ = ["OpenProvider", "SearchSuite"]
