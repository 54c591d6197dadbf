"""A plugin that greets whoever imports it."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from starweaver_host.contract.registration import SessionStoreRegistration
from starweaver_host.hooks import hookimpl

from .sound import open_store

sys.stdout.write("hello from your store\n")


@hookimpl
def starweaver_session_stores() -> Iterator[SessionStoreRegistration]:
    """Offer one store."""
    yield SessionStoreRegistration(name="talkative", summary="a store in memory", contract="1.0", factory=open_store)


__all__ = ["starweaver_session_stores"]
