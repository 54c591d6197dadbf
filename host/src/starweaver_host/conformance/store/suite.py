"""What the groups of the store suite share: the capabilities, the fixtures, and the one an author supplies."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import ClassVar

import pytest

from starweaver_host.conformance.context import ManualClock, provider_context
from starweaver_host.conformance.suite import ConformanceSuite, Opening
from starweaver_host.contract.registration import ProviderContext
from starweaver_host.contract.store import SessionStore

Advance = Callable[[float], Awaitable[None]]
"""Lets time pass for the stores of a test."""
OpenStore = Callable[[ProviderContext], AbstractAsyncContextManager[SessionStore]]


class StoreSuite(ConformanceSuite):
    """Base of the groups. An author's class supplies the fixture `open_store`, an `OpenStore`.

    The same context gives the same store again: `context.data_dir` is where it lives, `context.clock` its time. A store
    with a time of its own overrides the fixture `advance`.
    """

    CAPABILITIES: ClassVar[Mapping[str, str]] = {
        "durable": "what was committed is there when the store is closed and opened again over the same folder",
        "multi_process": "several instances may be open over the same folder at once and see each other's commits",
    }

    @pytest.fixture
    def clock(self) -> ManualClock:
        """The store's time, which only the test moves."""
        return ManualClock()

    @pytest.fixture
    def advance(self, clock: ManualClock) -> Advance:
        """Let so many seconds pass for every store of the test. Rules in which a lease runs out do it through this.

        A store that takes its time from elsewhere than `context.clock` overrides this fixture.
        """

        async def let_pass(seconds: float) -> None:
            clock.advance(seconds)

        return let_pass

    @pytest.fixture
    def context(self, tmp_path: Path, clock: ManualClock) -> ProviderContext:
        """What the store is opened with."""
        return provider_context(tmp_path, clock=clock)

    @pytest.fixture
    def store(self, open_store: OpenStore, context: ProviderContext) -> Opening[SessionStore]:
        """A new store; the test's runner opens it."""
        return Opening(open_store(context))


__all__ = ["Advance", "OpenStore", "StoreSuite"]
