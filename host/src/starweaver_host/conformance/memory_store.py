"""MemorySessionStore: the reference SessionStore, in memory, as plain as the contract allows.

It is what the suites are checked against, and a real store for tests that need one without files. It keeps nothing
when it is closed and is not made for large corpora: a write copies an index of all sessions.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starweaver_host.contract.registration import ProviderContext

from .memory.corpus import MemoryCorpus
from .memory.edits import MemoryCatalog
from .memory.imports import MemoryImports
from .memory.run_reading import MemoryRunRegister


class MemorySessionStore(MemoryCatalog, MemoryRunRegister, MemoryImports, MemoryCorpus):
    """All groups of SessionStore over one immutable state."""


@asynccontextmanager
async def open_memory_store(context: ProviderContext) -> AsyncIterator[MemorySessionStore]:
    """A new, empty store on the context's clock."""
    yield MemorySessionStore(context.clock)


__all__ = ["MemorySessionStore", "open_memory_store"]
