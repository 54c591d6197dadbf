"""The slots of a product, typed. Wiring of classes only: nothing is opened, closed or configured here.

A product subclasses `HostContainer` in its `wiring.py`, adds slots of its own and services built from them
(`providers.Singleton(Coordinator, store=HostContainer.store)`). Business code never sees the container; it gets plain
objects through constructors. Slots of providers answer while the application is open and refuse before and after.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar, cast

import dependency_injector.errors  # noqa: TID253 - imported when a container is asked for, and not before
from dependency_injector import containers, providers  # noqa: TID253

from .config.model import ProductConfig
from .contract.errors import PluginError, StartupError
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


K = TypeVar("K", bound=containers.DeclarativeContainer)


def filled(
    container: type[Any] | None,
    *,
    product: str,
    values: Mapping[str, object],
    slots: Iterable[str],
    open_slot: Callable[[str], object],
) -> containers.Container:
    """A container of the class (the host's own for None) with every slot filled, its dependencies checked.

    `values` are objects, `slots` are answered by `open_slot` each time they are asked for. Raises StartupError for a
    slot that nobody fills, TypeError for one that the class does not have.
    """
    kind = container or HostContainer
    made: Any = kind()
    fillings: dict[str, Any] = {name: providers.Object(value) for name, value in values.items()}
    fillings |= {name: providers.Callable(open_slot, name) for name in slots}
    for name, filling in fillings.items():
        if name not in made.providers:
            raise TypeError(f"container {kind.__name__} of product {product!r} has no slot {name!r}")
        getattr(made, name).override(filling)
    try:
        made.check_dependencies()
    except dependency_injector.errors.Error as error:
        problem = PluginError("slot_empty", product, f"the container of {product!r} has an empty slot: {error}")
        raise StartupError(product, [problem]) from error
    return cast("containers.Container", made)


def as_class(found: object, container: type[K], *, product: str) -> K:
    """A filled container as the class it was made from; TypeError for another one."""
    if not isinstance(found, containers.Container) or not container.providers.keys() <= found.providers.keys():
        raise TypeError(f"product {product!r} has no container of class {container.__name__}")
    return cast("K", found)


__all__ = ["HostContainer", "as_class", "filled"]
