"""A plugin whose module looks into the rest of the host."""

from __future__ import annotations

from collections.abc import Iterator

import starweaver_host.projection.folding as folding
from starweaver_host.contract.registration import SessionStoreRegistration
from starweaver_host.hooks import hookimpl

from .sound import open_store

VERSION = folding.FOLD_VERSION


@hookimpl
def starweaver_session_stores() -> Iterator[SessionStoreRegistration]:
    """Offer one store."""
    yield SessionStoreRegistration(name="nosy", summary="a store in memory", contract="1.0", factory=open_store)


__all__ = ["VERSION", "starweaver_session_stores"]
