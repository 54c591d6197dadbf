"""A plugin that offers two stores under one name."""

from __future__ import annotations

from collections.abc import Iterator

from starweaver_host.contract.registration import SessionStoreRegistration
from starweaver_host.hooks import hookimpl

from .sound import open_store


@hookimpl
def starweaver_session_stores() -> Iterator[SessionStoreRegistration]:
    """Offer two stores."""
    for summary in ("a store in memory", "another store in memory"):
        yield SessionStoreRegistration(name="twice", summary=summary, contract="1.0", factory=open_store)


__all__ = ["starweaver_session_stores"]
