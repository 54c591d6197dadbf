"""The bundled pair: local search over the SQLite store passes the suite of any search provider."""

from __future__ import annotations

import pytest

from starweaver_host.conformance.search_suite import OpenProvider, OpenStore, SearchProviderConformance
from starweaver_local_search.config import LocalSearchConfig
from starweaver_local_search.plugin import open_local_search
from starweaver_sqlite_store.config import SqliteStoreConfig
from starweaver_sqlite_store.plugin import open_sqlite_store


class TestLocalOverSqlite(SearchProviderConformance):
    """The provider `local` over the store `sqlite`."""

    capabilities = frozenset({"documented_order", "repeatable_pages"})

    @pytest.fixture
    def open_provider(self) -> OpenProvider:
        """Opens the provider as a product does."""
        return lambda context: open_local_search(LocalSearchConfig(), context)

    @pytest.fixture
    def open_store(self) -> OpenStore:
        """Opens the store as a product does."""
        return lambda context: open_sqlite_store(SqliteStoreConfig(), context)
