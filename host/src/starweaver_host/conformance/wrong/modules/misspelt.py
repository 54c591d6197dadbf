"""A plugin with one hook that nobody calls."""

from __future__ import annotations

from collections.abc import Iterator

from starweaver_host.contract.registration import SessionStoreRegistration
from starweaver_host.hooks import hookimpl

from .sound import open_store, starweaver_session_stores


@hookimpl
def starweaver_session_store() -> Iterator[SessionStoreRegistration]:
    """Offer one store, in vain."""
    yield SessionStoreRegistration(name="misspelt", summary="a store in memory", contract="1.0", factory=open_store)


__all__ = ["starweaver_session_store", "starweaver_session_stores"]
