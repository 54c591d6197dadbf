"""The plugin `sqlite-store`: offers the session store `sqlite`."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractAsyncContextManager

from starweaver_host.contract.registration import ProviderContext, SessionStoreRegistration
from starweaver_host.contract.store import SessionStore
from starweaver_host.hooks import hookimpl

from .config import SqliteStoreConfig


def open_sqlite_store(config: SqliteStoreConfig, context: ProviderContext) -> AbstractAsyncContextManager[SessionStore]:
    """Open the store on entering, close it on leaving."""
    from .opening import opened_store

    return opened_store(config, context)


@hookimpl
def starweaver_session_stores() -> Iterable[SessionStoreRegistration]:
    """Offer the store `sqlite`."""
    yield SessionStoreRegistration(
        name="sqlite",
        summary="one file, SQLite of the standard library, many readers and one writer at a time",
        contract="1.0",
        config=SqliteStoreConfig,
        capabilities=frozenset({"durable", "multi_process", "loop_free"}),
        factory=open_sqlite_store,
    )


__all__ = ["open_sqlite_store", "starweaver_session_stores"]
