"""The reference provider passes the search suite."""

from __future__ import annotations

import pytest

from starweaver_host.conformance.search_memory import open_memory_search
from starweaver_host.conformance.search_suite import OpenProvider, SearchProviderConformance


class TestMemorySearch(SearchProviderConformance):
    """The reference provider."""

    capabilities = frozenset({"documented_order", "repeatable_pages"})

    @pytest.fixture
    def open_provider(self) -> OpenProvider:
        """Opens the reference provider."""
        return open_memory_search
