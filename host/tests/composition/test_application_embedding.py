"""`Application.of`: the same lifetimes without plugins, files and a container."""

from __future__ import annotations

import sys
from functools import partial
from typing import Any

import pytest

from starweaver_host.application import Application
from starweaver_host.contract.errors import StartupError


@pytest.fixture
def store(workshop: Any) -> Any:
    """A store as a context manager that writes its opening and closing down."""
    registration = workshop.store()
    return registration.factory(None, None)


def test_embedding_enters_context_managers_and_leaves_them(store: Any, workshop: Any, run: Any) -> None:
    """What is given as a lifetime is opened and closed with the application."""

    async def use() -> None:
        async with Application.of(store=store) as services:
            assert services.search is None
            assert services.sources == {}

    run(use())
    assert workshop.log == ["open memory", "close memory"]


def test_embedding_leaves_open_objects_to_their_owner(store: Any, workshop: Any, run: Any) -> None:
    """What is given open stays open."""

    async def use() -> None:
        async with store as opened:
            async with Application.of(store=opened, handles={"query": "handle"}) as services:
                assert services.store is opened
                assert services.get("handles") == {"query": "handle"}
            workshop.log.append("after")

    run(use())
    assert workshop.log == ["open memory", "after", "close memory"]


def test_embedding_makes_a_store_from_its_function(workshop: Any, run: Any, tmp_path: Any) -> None:
    """A store given as a function is made with a context of the application's folder."""

    async def use() -> None:
        opener = partial(workshop.store().factory, None)
        async with Application.of(store=opener, data_dir=tmp_path) as services:
            assert services.store is not None

    run(use())
    assert workshop.log == ["open memory", "close memory"]
    assert workshop.contexts["memory"].data_dir == tmp_path


def test_embedding_gives_the_open_store_to_a_search_function(store: Any, workshop: Any, run: Any) -> None:
    """A search provider given as a function is made with a context that carries the store, and lives inside it."""
    given = []

    def open_search(context: Any) -> Any:
        given.append(context.store)
        return workshop.search().factory(None, context)

    async def use() -> None:
        async with Application.of(store=store, search=open_search) as services:
            assert given == [services.store]
            assert services.search is not None

    run(use())
    assert workshop.log == ["open memory", "open scan", "close scan", "close memory"]


def test_embedding_of_a_search_function_without_a_lifetime_is_refused(store: Any, run: Any) -> None:
    """A function that returns no context manager is named as what is wrong."""

    async def use() -> None:
        async with Application.of(store=store, search=lambda _context: object()):  # type: ignore[arg-type,return-value]
            pass

    with pytest.raises(StartupError) as caught:
        run(use())
    assert "search 'given' of the embedding program" in caught.value.problems[0].message


def test_embedding_of_something_that_is_no_store_is_refused(run: Any) -> None:
    """The same checks as for a plugin's object."""

    async def use() -> None:
        async with Application.of(store=object()):  # type: ignore[arg-type]
            pass

    with pytest.raises(StartupError) as caught:
        run(use())
    assert "store 'given' of the embedding program" in caught.value.problems[0].message


def test_embedding_needs_no_container() -> None:
    """The application's module does not import the container's library; the composition root does."""
    import starweaver_host.application as module

    assert "dependency_injector" not in {name.partition(".")[0] for name in vars(module)}
    assert module.__name__ in sys.modules
