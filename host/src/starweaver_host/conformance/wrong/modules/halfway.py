"""A plugin whose store lacks most of what a store must do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager
from typing import Any

from starweaver_host.contract.registration import ProviderContext, SessionStoreRegistration
from starweaver_host.hooks import hookimpl


def open_half(_config: Any, _context: ProviderContext) -> AbstractAsyncContextManager[Any]:
    """Open something that is no store."""
    from contextlib import nullcontext

    return nullcontext(object())


@hookimpl
def starweaver_session_stores() -> Iterator[SessionStoreRegistration]:
    """Offer one store."""
    yield SessionStoreRegistration(name="halfway", summary="half a store", contract="1.0", factory=open_half)


__all__ = ["open_half", "starweaver_session_stores"]
