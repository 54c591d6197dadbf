"""A composed product: opens its providers in dependency order, hands them out, closes all of them in reverse.

One stack owns every lifetime. A provider that fails to open closes what was opened before it; a provider that fails to
close does not keep the others open, and the causes stay chained. Nothing here knows how a product was configured.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, cast

from . import logs
from .config.model import C, ProductConfig, ProviderTable
from .contract.registration import Clock, Logger, Offload, ProviderContext, ProviderKind
from .contract.search import SessionSearchProvider
from .contract.store import SessionStore
from .contract.transcripts import TranscriptSource
from .fillings import NEEDS, PLAIN, Filling, GrantedServices, OpenProvider
from .offers import Registry
from .runtime import SystemClock, thread_offload

if TYPE_CHECKING:
    from .embedding import Given


class Services:
    """The open providers, by slot. Answers only while they are open."""

    def __init__(self, slots: Sequence[str]) -> None:
        self._known = frozenset(slots)
        self._open: dict[str, object] = {}

    def get(self, slot: str) -> Any:
        """What fills a slot; LookupError when it is not open."""
        if slot not in self._open:
            state = "is not open" if slot in self._known else "is not a slot of this product"
            raise LookupError(f"{slot!r} {state}")
        return self._open[slot]

    @property
    def store(self) -> SessionStore:
        """The session store."""
        return cast("SessionStore", self.get("store"))

    @property
    def search(self) -> SessionSearchProvider | None:
        """The search provider, None in a product without one."""
        return cast("SessionSearchProvider | None", self.get("search"))

    @property
    def sources(self) -> Mapping[str, TranscriptSource]:
        """Importers by provider name, in the order their plugins are listed."""
        return cast("Mapping[str, TranscriptSource]", self.get("sources"))

    def put(self, slot: str, value: object) -> None:
        """Record an opened provider; the application's business."""
        self._open[slot] = value

    def clear(self) -> None:
        """Forget everything; the application's business, when it closes."""
        self._open.clear()


class Parts(Generic[C]):
    """What a composition root hands to an application; plain fields, set once."""

    def __init__(
        self,
        *,
        product: str,
        config: C,
        slots: Mapping[str, bool],
        fillings: Sequence[Filling],
        data_dir: Path,
        config_dir: Path,
        clock: Clock | None = None,
        logger: Logger | None = None,
        offload: Offload | None = None,
    ) -> None:
        self.product = product
        self.config = config
        self.slots = slots
        self.fillings = tuple(sorted(fillings, key=lambda filling: list(NEEDS).index(filling.kind)))
        self.data_dir = data_dir
        self.config_dir = config_dir
        self.clock = SystemClock() if clock is None else clock
        self.logger = logs.LazyLogger() if logger is None else logger
        self.offload = thread_offload if offload is None else offload


class Application(Generic[C]):
    """A product that is ready to open.

    `async with application as services` opens every slot; `open_only` opens some. One of them at a time. Opening
    raises StartupError when a provider fails, or the provider's own StarweaverError.
    """

    def __init__(
        self,
        parts: Parts[C],
        *,
        services: Services,
        registry: Registry | None = None,
        container: Callable[[], object] | None = None,
        settings: Mapping[tuple[str, str], ProviderTable] | None = None,
        grant: Callable[[str], object] | None = None,
    ) -> None:
        self.product = parts.product
        self.config = parts.config
        self.clock = parts.clock
        self.logger = parts.logger
        self.data_dir = parts.data_dir
        self.config_dir = parts.config_dir
        self.registry = registry
        self._container = container
        self._parts = parts
        self._services = services
        self._settings = dict(settings or {})
        self._grant = grant
        self._is_open = False
        self._entered: AbstractAsyncContextManager[Services] | None = None

    @property
    def container(self) -> object | None:
        """The product's container, made on first use; None for an application of given objects."""
        return None if self._container is None else self._container()

    @property
    def loop_free(self) -> bool:
        """Whether every provider can be driven without an event loop, given an inline offload."""
        return all(filling.loop_free or filling.kind in PLAIN for filling in self._parts.fillings)

    def settings(self, slot: str, provider: str) -> ProviderTable:
        """The host's keys of one provider of a `many` slot: extra roots, for instance."""
        return self._settings.get((slot, provider), ProviderTable())

    async def __aenter__(self) -> Services:
        opening = self.open_only()
        services = await opening.__aenter__()
        self._entered = opening
        return services

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool | None:
        entered, self._entered = self._entered, None
        return None if entered is None else await entered.__aexit__(kind, error, traceback)

    @asynccontextmanager
    async def open_only(self, *slots: str) -> AsyncIterator[Services]:
        """Open these slots (all when none is named) and what they need, in dependency order; close in reverse.

        Raises LookupError for a slot the product does not have.
        """
        wanted = self._with_needs(slots or tuple(self._parts.slots))
        if self._is_open:
            raise RuntimeError(f"product {self.product!r} is already open")
        self._is_open = True
        try:
            async with AsyncExitStack() as stack:
                stack.callback(self._services.clear)
                await self._open(wanted, stack)
                yield self._services
        finally:
            self._is_open = False

    async def _open(self, wanted: frozenset[str], stack: AsyncExitStack) -> None:
        for slot, many in self._parts.slots.items():
            if slot in wanted:
                self._services.put(slot, {} if many else None)
        for filling in self._parts.fillings:
            if filling.slot not in wanted:
                continue
            lifetime = OpenProvider(self.product, filling, self._context(filling))
            opened = await stack.enter_async_context(lifetime)
            self.logger.debug(logs.PROVIDER_OPENED, slot=filling.slot, provider=filling.provider)
            if filling.many:
                self._services.get(filling.slot)[filling.provider] = opened
            else:
                self._services.put(filling.slot, opened)

    def _with_needs(self, slots: Sequence[str]) -> frozenset[str]:
        unknown = [slot for slot in slots if slot not in self._parts.slots]
        if unknown:
            raise LookupError(f"product {self.product!r} has no slot {unknown[0]!r}")
        kinds: set[ProviderKind] = set()
        for filling in self._parts.fillings:
            if filling.slot in slots:
                kinds.update(_closure(filling.kind))
        return frozenset(slots) | {filling.slot for filling in self._parts.fillings if filling.kind in kinds}

    def _context(self, filling: Filling) -> ProviderContext:
        uses_store = "session_store" in NEEDS[filling.kind]
        grant = self._grant
        granted = {} if grant is None else {name: grant(name) for name in filling.services}
        return ProviderContext(
            product=self.product,
            data_dir=self.data_dir,
            config_dir=self.config_dir,
            clock=self.clock,
            logger=self.logger,
            offload=self._parts.offload,
            store=self._open_store() if uses_store else None,
            services=GrantedServices(granted),
        )

    def _open_store(self) -> SessionStore | None:
        store = next((filling.slot for filling in self._parts.fillings if filling.kind == "session_store"), None)
        return None if store is None else self._services.get(store)

    @classmethod
    def of(
        cls,
        *,
        store: Given[SessionStore],
        search: Given[SessionSearchProvider] | None = None,
        sources: Mapping[str, TranscriptSource] | None = None,
        handles: Mapping[str, object] | None = None,
        product: str = "embedded",
        data_dir: Path | None = None,
        clock: Clock | None = None,
        logger: Logger | None = None,
        offload: Offload | None = None,
    ) -> Application[ProductConfig]:
        """An application of objects you made: no plugins, no TOML, no container.

        An object that is a provider is taken as open and stays yours to close; an async context manager is entered and
        left with the application. A function is called with a context and returns such a context manager: it is a
        provider's factory with its configuration filled in. A search provider's context carries the open store.
        """
        from .embedding import fillings_of

        parts = Parts(
            product=product,
            config=ProductConfig(),
            slots={"store": False, "search": False, "sources": True, "handles": True},
            fillings=fillings_of(store=store, search=search, sources=sources or {}, handles=handles or {}),
            data_dir=Path.cwd() if data_dir is None else data_dir,
            config_dir=Path.cwd() if data_dir is None else data_dir,
            clock=clock,
            logger=logger,
            offload=offload,
        )
        return Application(parts, services=Services(list(parts.slots)))


def _closure(kind: ProviderKind) -> set[ProviderKind]:
    """A kind and everything that must be open before it."""
    found: set[ProviderKind] = {kind}
    for need in NEEDS[kind]:
        found |= _closure(need)
    return found


__all__ = ["Application", "Parts", "Services"]
