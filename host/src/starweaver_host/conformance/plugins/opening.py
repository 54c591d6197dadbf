"""Rules of factories: nothing happens before a provider is entered, and nothing is left when it was left."""

from __future__ import annotations

import threading
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import msgspec

from starweaver_host.conformance.context import ManualClock, provider_context
from starweaver_host.conformance.memory_store import MemorySessionStore
from starweaver_host.contract.registration import (
    ProviderContext,
    Registration,
    SearchProviderRegistration,
    SessionStoreRegistration,
    TranscriptSourceRegistration,
)
from starweaver_host.contract.search import SessionSearchProvider
from starweaver_host.contract.store import SessionStore
from starweaver_host.contract.transcripts import TranscriptSource

from .suite import PluginSuite

_OPENED: dict[type[Registration], type] = {
    SessionStoreRegistration: SessionStore,
    SearchProviderRegistration: SessionSearchProvider,
}
"""Kinds that a factory opens, and the Protocol of what is open."""


class OpeningRules(PluginSuite):
    """A factory gets its configuration and a context, and returns what can be entered."""

    def test_factories_open_nothing(self, tmp_path: Path) -> None:
        """Calling a factory returns an async context manager, and writes and starts nothing.

        If this fails: open on entering. A coroutine, or an open provider, is no context manager.
        """
        for registration in self._opened():
            before = threading.active_count()

            manager = registration.factory(self._config(registration), _context(tmp_path))

            assert isinstance(manager, AbstractAsyncContextManager), registration.name
            assert list(tmp_path.iterdir()) == [], registration.name
            assert threading.active_count() == before, registration.name

    async def test_entered_provider_is_what_its_kind_says(self, tmp_path: Path) -> None:
        """Entering gives an object with every method of its Protocol; it can be left, and opened again.

        If this fails: a method is missing or misspelt, or leaving does not close.
        """
        for registration in self._opened():
            context = _context(tmp_path)
            for _ in range(2):
                async with registration.factory(self._config(registration), context) as provider:
                    assert isinstance(provider, _OPENED[type(registration)]), registration.name

    def test_source_factories_give_the_source_they_name(self) -> None:
        """A transcript source's factory returns a source whose name is the registration's.

        If this fails: the name is in every session id, and the ledger is kept under it.
        """
        for each in self.offered():
            if isinstance(each.registration, TranscriptSourceRegistration):
                source = each.registration.factory(self._config(each.registration))
                assert isinstance(source, TranscriptSource), each.registration.name
                assert source.name == each.registration.name

    def _opened(self) -> list[Any]:
        """The registrations whose factories open a provider that needs no configuration."""
        found = [each.registration for each in self.offered() if type(each.registration) in _OPENED]
        return [registration for registration in found if registration.name not in self.requires_config]

    def _config(self, registration: Registration) -> Any:
        return None if registration.config is None else msgspec.convert({}, registration.config)


def _context(folder: Path) -> ProviderContext:
    clock = ManualClock()
    return provider_context(folder, clock=clock, store=MemorySessionStore(clock))


__all__ = ["OpeningRules"]
