"""Opens the provider from its configuration and context; the plugin imports it on first use."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from starweaver_host.contract.errors import ConfigError
from starweaver_host.contract.registration import ProviderContext
from starweaver_host.contract.search import SessionSearchProvider

from .config import LocalSearchConfig
from .provider import LocalSearchProvider


@asynccontextmanager
async def opened_provider(config: LocalSearchConfig, context: ProviderContext) -> AsyncIterator[SessionSearchProvider]:
    """Yield a provider over the context's store. Raises ConfigError without one."""
    if context.store is None:
        raise ConfigError("search provider 'local' needs a session store, found none")
    yield LocalSearchProvider(
        context.store,
        config,
        clock=context.clock,
        offload=context.offload,
        display_root=_display_root(config, context),
    )


def _display_root(config: LocalSearchConfig, context: ProviderContext) -> Path | None:
    if config.display_root is None:
        return None
    return context.config_dir / Path(config.display_root).expanduser()


__all__ = ["opened_provider"]
