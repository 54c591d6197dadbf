"""The container: every slot of every product's shape is filled or refused, and services are built from open slots."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from dependency_injector import providers

from starweaver_host.application import Application
from starweaver_host.build import container_of
from starweaver_host.config.model import Slot
from starweaver_host.container import HostContainer
from starweaver_host.contract.errors import PluginError, StartupError
from starweaver_host.contract.store import SessionStore
from starweaver_host.testing import ManualClock, compose_product, plugin_module


class Coordinator:
    """A service of the product, built from slots."""

    def __init__(self, *, store: SessionStore, clock: object) -> None:
        self.store = store
        self.clock = clock


class DeskContainer(HostContainer):
    coordinator = providers.Singleton(Coordinator, store=HostContainer.store, clock=HostContainer.clock)


class NeedyContainer(HostContainer):
    scope_builder: providers.Dependency[object] = providers.Dependency()


def composed(desk: Any, workshop: Any, folder: Path, **changes: Any) -> Application[Any]:
    """Compose the product with changes to its definition."""
    product = msgspec.structs.replace(desk, **changes)
    return compose_product(product, folder, {"all": plugin_module("all", workshop.store(), workshop.search())})


def test_container_constructs_every_provider_of_the_host(desk: Any, workshop: Any, tmp_path: Path, run: Any) -> None:
    """No slot of an open product is left without an object; a checker does not see factory keywords, so call all."""
    application = composed(desk, workshop, tmp_path)
    container = container_of(application, HostContainer)

    async def use() -> dict[str, object]:
        async with application:
            return {name: provider() for name, provider in container.providers.items() if not name.startswith("_")}

    objects = run(use())
    assert {"config", "clock", "logger", "offload", "store", "search", "sources"} <= objects.keys()
    assert objects["config"] is application.config
    assert isinstance(objects["clock"], ManualClock)


def test_container_of_a_product_builds_services_from_open_slots(
    desk: Any, workshop: Any, tmp_path: Path, run: Any
) -> None:
    """A product's own wiring gets plain, open objects."""
    application = composed(desk, workshop, tmp_path, container=lambda: DeskContainer)
    container = container_of(application, DeskContainer)

    async def use() -> None:
        async with application as services:
            assert container.coordinator().store is services.store

    run(use())


def test_container_slot_refuses_while_nothing_is_open(desk: Any, workshop: Any, tmp_path: Path) -> None:
    """A provider is never handed out before it opened."""
    container = container_of(composed(desk, workshop, tmp_path), HostContainer)

    with pytest.raises(LookupError, match="'store' is not open"):
        container.store()


def test_container_with_a_slot_nobody_fills_is_refused(desk: Any, workshop: Any, tmp_path: Path) -> None:
    """A hole in a product's wiring is found when it is composed."""
    with pytest.raises(StartupError) as caught:
        composed(desk, workshop, tmp_path, container=lambda: NeedyContainer)

    (problem,) = caught.value.problems
    assert isinstance(problem, PluginError)
    assert problem.problem == "slot_empty"
    assert "scope_builder" in problem.message


def test_container_without_a_slot_of_its_product_is_refused(desk: Any, workshop: Any, tmp_path: Path) -> None:
    """A slot that the container's class lacks is named, with the class."""
    slots = (*desk.slots, Slot(name="executor", kind="run_executor", table=("sources",), many=True, required=False))

    with pytest.raises(TypeError, match="container DeskContainer of product 'desk' has no slot 'executor'"):
        composed(desk, workshop, tmp_path, slots=slots, container=lambda: DeskContainer)


def test_container_of_another_class_is_refused(desk: Any, workshop: Any, tmp_path: Path) -> None:
    """Asking for wiring that the product does not have is an error of the program."""
    with pytest.raises(TypeError, match="has no container of class DeskContainer"):
        container_of(composed(desk, workshop, tmp_path), DeskContainer)


def test_container_services_reach_the_providers_they_are_granted_to(
    desk: Any, workshop: Any, tmp_path: Path, run: Any
) -> None:
    """A slot names the services its providers may use; they are built when the provider opens."""
    slots = tuple(
        msgspec.structs.replace(slot, services=("coordinator",)) if slot.name == "search" else slot
        for slot in desk.slots
    )
    application = composed(desk, workshop, tmp_path, slots=slots, container=lambda: DeskContainer)

    async def use() -> None:
        async with application:
            pass

    run(use())
    assert isinstance(workshop.contexts["scan"].services["coordinator"], Coordinator)
    assert isinstance(slots[0], Slot)
