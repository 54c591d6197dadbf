"""Says the contract's version in words."""

from __future__ import annotations

from collections.abc import Iterator

from starweaver_host.contract.registration import SessionStoreRegistration
from starweaver_host.hooks import hookimpl

from .sound import open_store


@hookimpl
def starweaver_session_stores() -> Iterator[SessionStoreRegistration]:
    """Offer one store."""
    yield SessionStoreRegistration(name="wordy", summary="a store in memory", contract="one", factory=open_store)


__all__ = ["starweaver_session_stores"]
