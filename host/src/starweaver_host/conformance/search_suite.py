"""The search suite: what every SessionSearchProvider must do. See `search_base` for what an author supplies.

from starweaver_host.conformance.search_suite import SearchProviderConformance

class TestMySearch(SearchProviderConformance):
    capabilities = frozenset({"documented_order", "repeatable_pages"})

    @pytest.fixture
    def open_provider(self):
        return lambda context: open_my_search(MyConfig(), context)
"""

from __future__ import annotations

from .search_base import OpenProvider, OpenStore
from .search_finding import FindingRules
from .search_pages import PagingRules
from .search_scoping import ScopingRules


class SearchProviderConformance(FindingRules, PagingRules, ScopingRules):
    """Everything a search provider must do."""


__all__ = ["OpenProvider", "OpenStore", "SearchProviderConformance"]
