"""The composition root: a product's definition, its configuration and its plugins become an application.

Nothing is opened. Every problem of configuration, plugins and slots is gathered into one StartupError; a provider's
keys are decoded into its own config class here, after its plugin was loaded and before its factory runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from . import logs
from .application import Application, Parts, Services
from .config.keys import KeySpace
from .config.load import Reading, read_config
from .config.model import C, KeyPath, ProductDefinition, ProviderTable, Selection, Slot
from .config.places import Places
from .contract.errors import PluginError, StartupError, StarweaverError
from .contract.registration import Clock, Logger, Offload, ProviderContext, Registration
from .discovery import Discovery, discover
from .fillings import LOOP_FREE, Filling
from .offers import Offer, Registry
from .registry import Collected, collect, modules_as_plugins

if TYPE_CHECKING:
    from dependency_injector import containers

K = TypeVar("K", bound="containers.DeclarativeContainer")


def compose(
    product: ProductDefinition[C],
    file: Path | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    places: Places | None = None,
    installed: Discovery | None = None,
    modules: Mapping[str, ModuleType] | None = None,
    clock: Clock | None = None,
    logger: Logger | None = None,
    offload: Offload | None = None,
) -> Application[C]:
    """Compose a product. `file` replaces the user's usual file.

    `modules` (plugin name -> module) takes the place of the plugin list and of what is installed; `installed` of the
    scan for it. Raises StartupError holding every problem that was found.
    """
    reading = read_config(product, file, environ=environ, places=places)
    collected = _collect(reading, installed, modules)
    filler = _Filler(reading, collected)
    fillings = list(filler.fillings())
    problems = [*reading.report, *collected.problems, *filler.problems]
    if problems:
        raise StartupError(product.name, problems)
    configuration = reading.settled()
    parts = Parts(
        product=product.name,
        config=configuration.value,
        slots={slot.name: slot.many for slot in product.slots},
        fillings=fillings,
        data_dir=configuration.places.data.path,
        config_dir=configuration.places.config.path if file is None else file.absolute().parent,
        clock=clock,
        logger=logger,
        offload=offload,
    )
    return _assemble(parts, product, collected.registry, filler.settings)


def known_keys(
    product: ProductDefinition[C],
    file: Path | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    places: Places | None = None,
    installed: Discovery | None = None,
    modules: Mapping[str, ModuleType] | None = None,
) -> KeySpace:
    """Every key of a product that can be set, those of its providers included as far as their plugins load."""
    reading = read_config(product, file, environ=environ, places=places)
    registry = _collect(reading, installed, modules).registry
    options: dict[KeyPath, type[msgspec.Struct] | None] = {}
    for slot in product.slots:
        if slot.many:
            options.update(
                {(*slot.table, offer.name): offer.registration.config for offer in registry.offers(slot.kind)}
            )
    for selection in reading.selections:
        offers = registry.offers(selection.slot.kind)
        if selection.provider is not None and selection.provider in offers:
            options[selection.path] = offers.find(selection.provider).registration.config
    return KeySpace(product, options)


def container_of(application: Application[Any], container: type[K]) -> K:
    """The application's container as the class that the product's `wiring.py` defines."""
    from .container import as_class

    return as_class(application.container, container, product=application.product)


def _collect(reading: Reading[Any], installed: Discovery | None, modules: Mapping[str, ModuleType] | None) -> Collected:
    if modules is not None:
        return modules_as_plugins(modules)
    return collect(reading.listings, discover() if installed is None else installed)


def _assemble(
    parts: Parts[C],
    product: ProductDefinition[C],
    registry: Registry,
    settings: Mapping[tuple[str, str], ProviderTable],
) -> Application[C]:
    services = Services(list(parts.slots))
    container = _LazyContainer(product, parts, services)
    if product.container is not None:
        container()
    for plugin in registry.plugins:
        parts.logger.debug(logs.PLUGIN_LOADED, plugin=plugin.plugin, distribution=plugin.source)
    return Application(
        parts,
        services=services,
        registry=registry,
        container=container,
        settings=settings,
        grant=lambda name: getattr(container(), name)(),
    )


class _LazyContainer:
    """The product's container, made when something asks for it: its library is most of what a start would cost.

    A product with wiring of its own has it made, and its dependencies checked, while it is composed.
    """

    def __init__(self, product: ProductDefinition[Any], parts: Parts[Any], services: Services) -> None:
        self._product = product
        self._parts = parts
        self._services = services
        self._made: containers.Container | None = None

    def __call__(self) -> containers.Container:
        """The filled container; StartupError for an empty slot."""
        if self._made is None:
            self._made = self._make()
        return self._made

    def _make(self) -> containers.Container:
        from .container import filled

        parts, slots = self._parts, self._product.slots
        taken = {filling.slot for filling in parts.fillings}
        return filled(
            self._product.container() if self._product.container else None,
            product=parts.product,
            values={"config": parts.config, "clock": parts.clock, "logger": parts.logger, "offload": parts.offload},
            slots=[slot.name for slot in slots if slot.name in taken or slot.many],
            open_slot=self._services.get,
        )


class _Filler:
    """Chooses an offer for each slot of a product and decodes its keys; `problems` are those of slots."""

    def __init__(self, reading: Reading[Any], collected: Collected) -> None:
        self._reading = reading
        self._registry = collected.registry
        self._is_whole = not collected.problems
        self._is_sound = self._is_whole and not reading.problems
        self.problems: list[StarweaverError] = []
        self.settings: dict[tuple[str, str], ProviderTable] = {}

    def fillings(self) -> Iterator[Filling]:
        """Every filling of the product, in the order of its slots."""
        for slot in self._reading.product.slots:
            selections = [item for item in self._reading.selections if item.slot is slot]
            chosen = any(item.provider and item.settings.enabled for item in selections)
            found = list(self._many(slot, selections) if slot.many else self._one(slot, selections))
            if slot.required and not found and not chosen and self._is_sound:
                self.problems.append(self._empty(slot))
            yield from found

    def _one(self, slot: Slot, selections: Sequence[Selection]) -> Iterator[Filling]:
        for selection in selections:
            known = selection.provider in self._registry.offers(slot.kind)
            if selection.provider is None:
                self._reading.options(selection, None)
            elif selection.settings.enabled or known:
                offer = self._find(selection)
                found = [] if offer is None else list(self._filling(slot, selection, offer))
                yield from found if selection.settings.enabled else ()

    def _many(self, slot: Slot, selections: Sequence[Selection]) -> Iterator[Filling]:
        chosen = {selection.provider: selection for selection in selections}
        for selection in selections:
            self._find(selection)
        for offer in self._registry.offers(slot.kind):
            selection = chosen.get(offer.name) or Selection(
                slot=slot, provider=offer.name, path=(*slot.table, offer.name)
            )
            self.settings[slot.name, offer.name] = selection.settings
            if selection.settings.enabled:
                yield from self._filling(slot, selection, offer)

    def _find(self, selection: Selection) -> Offer[Any] | None:
        provider = selection.provider or ""
        key = selection.path if selection.slot.many else (*selection.path, selection.slot.selector)
        try:
            return self._registry.offers(selection.slot.kind).find(provider, where=self._reading.where(key))
        except PluginError as error:
            # A plugin that could not be loaded may be the one that offers it; its own problem is in the report.
            if self._is_whole:
                self.problems.append(error)
            return None

    def _filling(self, slot: Slot, selection: Selection, offer: Offer[Registration]) -> Iterator[Filling]:
        before = len(self._reading.problems)
        config = self._reading.options(selection, offer.registration.config)
        if len(self._reading.problems) == before:
            yield Filling(
                slot.name,
                slot.kind,
                offer.name,
                offer.plugin.plugin,
                f"{slot.kind.replace('_', ' ')} {offer.described}",
                _maker(slot, offer.registration, config),
                slot.many,
                slot.services,
                loop_free=LOOP_FREE in offer.registration.capabilities,
            )

    def _empty(self, slot: Slot) -> StarweaverError:
        kind = slot.kind.replace("_", " ")
        known = self._registry.offers(slot.kind).names
        hint = f"one of {', '.join(map(repr, known))}" if known else f"add a plugin that offers a {kind} to plugins"
        table = ".".join(slot.table)
        return PluginError(
            "slot_empty",
            slot.name,
            f"product {self._reading.product.name!r} needs a {kind}, and [{table}] names none "
            f"({self._reading.where(slot.table)})",
            hint=hint,
        )


def _maker(
    slot: Slot, registration: Registration, config: msgspec.Struct | None
) -> Callable[[ProviderContext], object]:
    factory: Callable[..., object] = getattr(registration, "factory")  # noqa: B009 - the base class has none
    if slot.kind == "transcript_source":
        return lambda context: factory(config)  # noqa: ARG005 - a source is stateless
    return lambda context: factory(config, context)


__all__ = ["compose", "container_of", "known_keys"]
