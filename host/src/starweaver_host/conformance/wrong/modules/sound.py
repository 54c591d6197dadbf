"""A plugin that keeps every rule: what the wrong ones differ from."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager
from typing import Any

from starweaver_host.contract.registration import ProviderContext, SessionStoreRegistration
from starweaver_host.contract.store import SessionStore
from starweaver_host.hooks import hookimpl


def open_store(_config: Any, context: ProviderContext) -> AbstractAsyncContextManager[SessionStore]:
    """Open the reference store."""
    from starweaver_host.conformance.memory_store import open_memory_store

    return open_memory_store(context)


@hookimpl
def starweaver_session_stores() -> Iterator[SessionStoreRegistration]:
    """Offer one store."""
    yield SessionStoreRegistration(name="sound", summary="a store in memory", contract="1.0", factory=open_store)


__all__ = ["open_store", "starweaver_session_stores"]
