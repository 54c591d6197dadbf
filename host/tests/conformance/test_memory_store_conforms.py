"""The reference store keeps the whole store suite."""

from __future__ import annotations

import pytest

from starweaver_host.conformance.memory_store import open_memory_store
from starweaver_host.conformance.store import OpenStore, SessionStoreConformance


class TestMemorySessionStore(SessionStoreConformance):
    """In memory: neither durable nor shared."""

    @pytest.fixture
    def open_store(self) -> OpenStore:
        """A new store each time."""
        return open_memory_store
