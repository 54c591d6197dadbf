"""The slots of a product, typed. Wiring of classes only: nothing is opened, closed or configured here.

A product subclasses `HostContainer` in its `wiring.py`, adds slots of its own and services built from them
(`providers.Singleton(Coordinator, store=HostContainer.store)`). Business code never sees the container; it gets plain
objects through constructors. Slots of providers answer while the application is open and refuse before and after.
"""

from __future__ import annotations

from collections.abc import Mapping

from dependency_injector import containers, providers  # noqa: TID253 - imported by build alone, when it composes

from .config.model import ProductConfig
from .contract.registration import Clock, Logger, Offload
from .contract.search import SessionSearchProvider
from .contract.store import SessionStore
from .contract.transcripts import TranscriptSource


class HostContainer(containers.DeclarativeContainer):
    """What every product has. `search` is None and `sources` empty in a product that leaves them so."""

    config: providers.Dependency[ProductConfig] = providers.Dependency(instance_of=ProductConfig)
    clock: providers.Dependency[Clock] = providers.Dependency()
    logger: providers.Dependency[Logger] = providers.Dependency()
    offload: providers.Dependency[Offload] = providers.Dependency()
    store: providers.Dependency[SessionStore] = providers.Dependency()
    search: providers.Dependency[SessionSearchProvider | None] = providers.Dependency(default=providers.Object(None))
    sources: providers.Dependency[Mapping[str, TranscriptSource]] = providers.Dependency(default=providers.Object({}))


__all__ = ["HostContainer"]
