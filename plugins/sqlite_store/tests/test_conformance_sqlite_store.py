"""The store suite of the conformance kit over the SQLite store."""

from __future__ import annotations

import pytest

from starweaver_host.conformance.store import SessionStoreConformance
from starweaver_host.conformance.store.suite import OpenStore
from starweaver_sqlite_store.config import SqliteStoreConfig
from starweaver_sqlite_store.plugin import open_sqlite_store


class TestSqliteStore(SessionStoreConformance):
    """Everything the contract promises, durable and open in several processes."""

    capabilities = frozenset({"durable", "multi_process"})

    @pytest.fixture
    def open_store(self) -> OpenStore:
        return lambda context: open_sqlite_store(SqliteStoreConfig(), context)
