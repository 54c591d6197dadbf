"""Local search passes the suite that any search provider passes, over the reference store."""

from __future__ import annotations

import pytest

from starweaver_host.conformance.search_suite import OpenProvider, SearchProviderConformance
from starweaver_local_search.config import LocalSearchConfig
from starweaver_local_search.plugin import open_local_search


class TestLocalSearch(SearchProviderConformance):
    """The provider `local`."""

    capabilities = frozenset({"documented_order", "repeatable_pages"})

    @pytest.fixture
    def open_provider(self) -> OpenProvider:
        """Opens the provider as a product does."""
        return lambda context: open_local_search(LocalSearchConfig(), context)
