"""A plugin whose module loads what only its factory needs."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator

from starweaver_host.contract.registration import SessionStoreRegistration
from starweaver_host.hooks import hookimpl

from .sound import open_store

LOADED = (asyncio, sqlite3)


@hookimpl
def starweaver_session_stores() -> Iterator[SessionStoreRegistration]:
    """Offer one store."""
    yield SessionStoreRegistration(name="heavy", summary="a store in memory", contract="1.0", factory=open_store)


__all__ = ["LOADED", "starweaver_session_stores"]
