"""Providers open in dependency order, close in reverse, and fail under their own name."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from starweaver_host.contract.errors import PluginError, StartupError, StoreError
from starweaver_host.contract.registration import SessionStoreRegistration
from starweaver_host.testing import compose_product, plugin_module


@pytest.fixture
def made(desk: Any, workshop: Any, tmp_path: Path) -> Any:
    """Compose an application of these registrations."""
    return lambda *parts: compose_product(desk, tmp_path, {"all": plugin_module("all", *parts)})


def failure(error: BaseException) -> PluginError:
    """The only problem of a start-up error."""
    assert isinstance(error, StartupError)
    (problem,) = error.problems
    assert isinstance(problem, PluginError)
    return problem


def test_application_opens_the_store_first_and_closes_it_last(made: Any, workshop: Any, run: Any) -> None:
    """Search stands on the store, whatever the order of plugins and slots."""
    application = made(workshop.search(), workshop.store())

    async def use() -> None:
        async with application as services:
            workshop.log.append("use")
            assert workshop.contexts["scan"].store is services.store
            assert workshop.contexts["memory"].store is None

    run(use())
    assert workshop.log == ["open memory", "open scan", "use", "close scan", "close memory"]


def test_application_opens_only_what_is_asked_for(made: Any, workshop: Any, run: Any) -> None:
    """A command that reads the store starts no search provider, and cannot use one by accident."""
    application = made(workshop.store(), workshop.search())

    async def use() -> None:
        async with application.open_only("store") as services:
            assert services.store is not None
            with pytest.raises(LookupError, match="'search' is not open"):
                _ = services.search
            with pytest.raises(LookupError, match="'serach' is not a slot of this product"):
                services.get("serach")

    run(use())
    assert workshop.log == ["open memory", "close memory"]


def test_application_opens_what_the_asked_for_needs(made: Any, workshop: Any, run: Any) -> None:
    """Asking for search opens the store beneath it."""
    application = made(workshop.store(), workshop.search())

    async def use() -> None:
        async with application.open_only("search"):
            pass

    run(use())
    assert workshop.log[:2] == ["open memory", "open scan"]


def test_application_refuses_a_slot_it_does_not_have(made: Any, workshop: Any, run: Any) -> None:
    """A misspelt slot is an error of the program, before anything opens."""
    application = made(workshop.store(), workshop.search())

    async def use() -> None:
        async with application.open_only("stroe"):
            pass

    with pytest.raises(LookupError, match="product 'desk' has no slot 'stroe'"):
        run(use())
    assert workshop.log == []


def test_application_opens_again_after_it_closed_but_not_twice_at_once(made: Any, workshop: Any, run: Any) -> None:
    """One set of open providers at a time; services answer only while they are open."""
    application = made(workshop.store(), workshop.search())

    async def use() -> None:
        async with application as services:
            with pytest.raises(RuntimeError, match="already open"):
                async with application.open_only("store"):
                    pass
            assert services.store is not None
        with pytest.raises(LookupError):
            _ = services.store
        async with application.open_only("store") as again:
            assert again.store is not None

    run(use())


def test_application_closes_what_it_opened_when_a_later_provider_fails(made: Any, workshop: Any, run: Any) -> None:
    """A failing start leaves nothing open, names the provider, and keeps the cause."""
    application = made(workshop.store(), workshop.search(fails="open"))

    async def use() -> None:
        async with application:
            pass

    with pytest.raises(StartupError) as caught:
        run(use())
    problem = failure(caught.value)
    assert workshop.log == ["open memory", "close memory"]
    assert (problem.problem, problem.plugin) == ("open_failed", "all")
    assert problem.message.startswith("search provider 'scan' of plugin 'all'")
    assert problem.message.endswith("failed to open: OSError: scan will not open")
    assert isinstance(caught.value.__cause__, OSError)


def test_application_passes_a_providers_own_error_through(made: Any, workshop: Any, run: Any) -> None:
    """A locked store is `unavailable`, not a broken plugin."""

    def locked(config: object, context: object) -> Any:
        raise StoreError("unavailable", "database is locked")

    application = made(
        SessionStoreRegistration(name="memory", summary="s", contract="1.0", factory=locked), workshop.search()
    )

    async def use() -> None:
        async with application.open_only("store"):
            pass

    with pytest.raises(StoreError) as caught:
        run(use())
    assert caught.value.retryable


@pytest.fixture
def opening(made: Any, workshop: Any, run: Any) -> Any:
    """Open a store with this factory and return the problem."""

    def problem(factory: Any) -> PluginError:
        application = made(
            SessionStoreRegistration(name="memory", summary="s", contract="1.0", factory=factory), workshop.search()
        )

        async def use() -> None:
            async with application:
                pass

        with pytest.raises(StartupError) as caught:
            run(use())
        return failure(caught.value)

    return problem


def test_application_refuses_a_store_with_a_member_set_to_none(opening: Any, workshop: Any) -> None:
    """A member that is there and None is not an implementation."""
    opened = type("Half", (), {"append": None})()

    assert "'append'" in opening(workshop.opener("memory", opened)).message


def test_application_refuses_an_object_that_is_no_store_and_closes_it(opening: Any, workshop: Any) -> None:
    """What a factory yields is checked against the Protocol of its kind."""
    problem = opening(workshop.opener("memory", object()))

    assert problem.problem == "wrong_object"
    assert "opened object, which lacks 'acquire_fence'" in problem.message
    assert workshop.log == ["open memory", "close memory"]


@pytest.mark.parametrize("returned", [None, 3, "store"])
def test_application_refuses_a_factory_that_returns_no_context_manager(opening: Any, returned: object) -> None:
    """A factory that forgot its decorator is named, not crashed on."""
    assert opening(lambda config, context: returned).problem == "bad_factory"


def test_application_refuses_an_async_factory(opening: Any) -> None:
    """A factory is synchronous; a coroutine is refused and closed, so that no warning follows."""

    async def factory(config: object, context: object) -> None:
        """Nothing."""

    assert opening(factory).problem == "bad_factory"


def test_application_names_a_service_that_is_not_granted(opening: Any) -> None:
    """A provider that wants more than its product grants is told what."""
    problem = opening(lambda config, context: context.services["coordinator"])

    assert problem.problem == "slot_empty"
    assert "wants service 'coordinator', which is not granted" in problem.message


def test_application_attempts_every_close_and_chains_the_causes(made: Any, workshop: Any, run: Any) -> None:
    """One failing close keeps nothing else open and hides no other failure."""
    application = made(workshop.store(fails="close"), workshop.search(fails="close"))

    async def use() -> None:
        async with application:
            pass

    with pytest.raises(PluginError) as caught:
        run(use())
    assert workshop.log[-2:] == ["close scan", "close memory"]
    assert caught.value.problem == "close_failed"
    assert "memory will not close" in caught.value.message
    chain: list[str] = []
    error: BaseException | None = caught.value
    while error is not None:
        chain.append(str(error))
        error = error.__context__
    assert any("scan will not close" in text for text in chain)


def test_application_keeps_the_programs_error_when_closing_succeeds(made: Any, workshop: Any, run: Any) -> None:
    """An error of the front end leaves as it is, after everything was closed."""
    application = made(workshop.store(), workshop.search())

    async def use() -> None:
        async with application:
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        run(use())
    assert workshop.log[-2:] == ["close scan", "close memory"]


def test_application_lets_no_provider_swallow_the_programs_error(made: Any, workshop: Any, run: Any) -> None:
    """A provider that suppresses exceptions suppresses its own only."""

    @asynccontextmanager
    async def swallowing(config: object, context: object) -> AsyncIterator[Any]:
        try:
            async with workshop.store().factory(config, context) as store:
                yield store
        except KeyError:
            workshop.log.append("swallowed")

    application = made(
        SessionStoreRegistration(name="memory", summary="s", contract="1.0", factory=swallowing), workshop.search()
    )

    async def use() -> None:
        async with application.open_only("store"):
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        run(use())
    assert "swallowed" in workshop.log
