"""The plugin `local-search`: offers the search provider `local`."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractAsyncContextManager

from starweaver_host.contract.registration import ProviderContext, SearchProviderRegistration
from starweaver_host.contract.search import SessionSearchProvider
from starweaver_host.hooks import hookimpl

from .config import LocalSearchConfig


def open_local_search(
    config: LocalSearchConfig, context: ProviderContext
) -> AbstractAsyncContextManager[SessionSearchProvider]:
    """Open the provider over the context's store on entering; it owns nothing but an open mirror folder."""
    from .opening import opened_provider

    return opened_provider(config, context)


@hookimpl
def starweaver_search_providers() -> Iterable[SearchProviderRegistration]:
    """Offer the provider `local`."""
    yield SearchProviderRegistration(
        name="local",
        summary="bounded literal scan of the store's own corpus, without an index",
        contract="1.0",
        config=LocalSearchConfig,
        capabilities=frozenset({"literal", "read_through", "loop_free"}),
        factory=open_local_search,
    )


__all__ = ["open_local_search", "starweaver_search_providers"]
