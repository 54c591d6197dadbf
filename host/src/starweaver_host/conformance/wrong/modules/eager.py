"""A plugin whose factory makes its folder before anybody entered the store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager
from typing import Any

from starweaver_host.contract.registration import ProviderContext, SessionStoreRegistration
from starweaver_host.contract.store import SessionStore
from starweaver_host.hooks import hookimpl

from .sound import open_store


def open_eagerly(config: Any, context: ProviderContext) -> AbstractAsyncContextManager[SessionStore]:
    """Make a folder, then open the reference store."""
    (context.data_dir / "eager").mkdir(exist_ok=True)
    return open_store(config, context)


@hookimpl
def starweaver_session_stores() -> Iterator[SessionStoreRegistration]:
    """Offer one store."""
    yield SessionStoreRegistration(name="eager", summary="a store in memory", contract="1.0", factory=open_eagerly)


__all__ = ["open_eagerly", "starweaver_session_stores"]
