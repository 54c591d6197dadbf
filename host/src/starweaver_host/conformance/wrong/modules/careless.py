"""A plugin whose configuration takes every key for a good one."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from starweaver_host.contract.registration import SessionStoreRegistration
from starweaver_host.hooks import hookimpl

from .sound import open_store


class CarelessConfig(msgspec.Struct, frozen=True, kw_only=True):
    """Ignores what it does not know."""

    path: str | None = None


@hookimpl
def starweaver_session_stores() -> Iterator[SessionStoreRegistration]:
    """Offer one store."""
    yield SessionStoreRegistration(
        name="careless", summary="a store in memory", contract="1.0", config=CarelessConfig, factory=open_store
    )


__all__ = ["CarelessConfig", "starweaver_session_stores"]
