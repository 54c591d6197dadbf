"""Composition: what fills the slots, and one report of everything that keeps a product from starting."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from starweaver_host.build import compose, known_keys
from starweaver_host.config.places import places_in
from starweaver_host.contract.errors import PluginError, StartupError
from starweaver_host.contract.registration import Registration
from starweaver_host.testing import compose_product, plugin_module


@pytest.fixture
def refused(desk: Any, tmp_path: Path) -> Any:
    """Compose and return the problems."""

    def problems(toml: str, *registrations: Registration) -> Sequence[Any]:
        with pytest.raises(StartupError) as caught:
            compose_product(desk, tmp_path, {"all": plugin_module("all", *registrations)}, toml=toml)
        return caught.value.problems

    return problems


def test_compose_fills_slots_and_opens_nothing(desk: Any, workshop: Any, tmp_path: Path) -> None:
    """Composing checks everything and starts nothing."""
    modules = {"all": plugin_module("all", workshop.store(), workshop.search())}

    application = compose_product(desk, tmp_path, modules)

    assert application.config.server.store.backend == "memory"
    assert application.registry is not None
    assert application.registry.session_stores.names == ("memory",)
    assert workshop.log == []


def test_compose_decodes_provider_keys_and_derives_some(desk: Any, workshop: Any, tmp_path: Path, run: Any) -> None:
    """A factory gets its own config object: keys of its table, and those the product derives from its own."""
    toml = "[server]\ndatabase_path = 'mine.db'\n[server.store]\nlimit = 3\n"
    modules = {"all": plugin_module("all", workshop.store(), workshop.search())}
    application = compose_product(desk, tmp_path, modules, toml=toml)

    async def opened() -> None:
        async with application:
            pass

    run(opened())
    config = workshop.configs["memory"]
    assert (config.limit, config.path) == (3, tmp_path / "config" / "mine.db")
    assert workshop.configs["scan"] is None


def test_compose_of_an_unknown_provider_names_file_line_and_known(refused: Any, workshop: Any) -> None:
    """A provider nobody offers is a problem at the line that names it."""
    (problem,) = refused("\n[server.store]\nbackend = 'memry'\n", workshop.store(), workshop.search())

    assert problem.problem == "unknown_provider"
    assert "session store 'memry'" in problem.message
    assert "desk.toml:3)" in problem.message
    assert "'memory' of plugin 'all'" in problem.message
    assert problem.hint == "did you mean 'memory'?"


def test_compose_with_an_empty_required_slot_names_what_could_fill_it(refused: Any, workshop: Any) -> None:
    """A slot that must be filled and is not is a problem, with the providers that are there."""
    (problem,) = refused("[server.store]\nbackend = ''\n", workshop.store(), workshop.search())

    assert (problem.problem, problem.plugin, problem.hint) == ("slot_empty", "store", "one of 'memory'")
    assert "needs a session store, and [server.store] names none" in problem.message


def test_compose_gathers_problems_of_file_plugins_and_slots(desk: Any, tmp_path: Path) -> None:
    """One start, one report: configuration first, by line, then plugins in list order."""
    places = places_in(tmp_path)
    places.config.path.mkdir()
    file = places.config.path / "desk.toml"
    file.write_text("plugins = [\n'nobody-has',\n'fts-search']\n[servr]\n[sources.pi]\nenabled = 3\n")

    with pytest.raises(StartupError) as caught:
        compose(desk, environ={}, places=places)

    found = [(p.problem if isinstance(p, PluginError) else p.code, p.message) for p in caught.value.problems]
    assert [word for word, _ in found] == ["config_invalid", "config_invalid", "not_installed", "not_installed"]
    assert f"(named in {file}:2)" in found[2][1]
    assert f"(named in {file}:3)" in found[3][1]
    assert "desk.toml:4)" in found[0][1]
    assert caught.value.message == "product 'desk' cannot start: 4 problems"


def test_compose_does_not_blame_slots_for_plugins_that_did_not_load(refused: Any) -> None:
    """A provider that a broken plugin may offer is not reported as unknown on top of the plugin's own problem."""
    assert [problem.problem for problem in refused("")] == ["no_hooks"]


def test_compose_reports_wrong_provider_keys_with_line_and_nearest(refused: Any, workshop: Any) -> None:
    """A provider's keys are checked against its own class when its plugin is loaded."""
    (problem,) = refused("[server.store]\nlimt = 3\n", workshop.store(), workshop.search())

    assert problem.message.startswith("unknown key 'server.store.limt'")
    assert (problem.line, problem.hint) == (2, "did you mean 'limit'?")


def test_compose_with_a_switched_off_slot_leaves_it_empty(desk: Any, workshop: Any, tmp_path: Path, run: Any) -> None:
    """Off is not missing: the provider need not even be installed."""
    application = compose_product(
        desk,
        tmp_path,
        {"all": plugin_module("all", workshop.store())},
        toml="[server.session_search]\nenabled = false\nmax_page_size = 3\n",
    )

    async def opened() -> object:
        async with application as services:
            return services.search

    assert run(opened()) is None


def test_compose_checks_the_keys_of_a_switched_off_provider_that_is_there(refused: Any, workshop: Any) -> None:
    """Unknown keys are errors also beside a switch that is off."""
    toml = "[server.session_search]\nenabled = false\nbogus = 3\n"

    (problem,) = refused(toml, workshop.store(), workshop.search())

    assert problem.message.startswith("unknown key 'server.session_search.bogus'")


def test_compose_takes_every_enabled_provider_of_a_many_slot(
    desk: Any, workshop: Any, tmp_path: Path, run: Any
) -> None:
    """All offers of the kind fill the slot, in list order, except those switched off; settings stay with each."""
    parts = [workshop.store(), workshop.search(), *(workshop.source(name) for name in ("pi", "codex", "claude"))]
    application = compose_product(
        desk,
        tmp_path,
        {"all": plugin_module("all", *parts)},
        toml="[sources.codex]\nenabled = false\n[sources.pi]\nroots = ['near']\n",
    )

    async def opened() -> list[str]:
        async with application as services:
            return list(services.sources)

    assert run(opened()) == ["pi", "claude"]
    assert application.settings("sources", "pi").roots == (tmp_path / "config" / "near",)
    assert application.settings("sources", "claude").roots == ()


def test_compose_refuses_a_table_for_a_source_nobody_offers(refused: Any, workshop: Any) -> None:
    """A misspelt source table would otherwise configure nothing in silence."""
    parts = (workshop.store(), workshop.search(), workshop.source("codex"))

    (problem,) = refused("[sources.codx]\n", *parts)

    assert (problem.problem, problem.hint) == ("unknown_provider", "did you mean 'codex'?")


def test_compose_with_an_explicit_file_gives_its_folder_as_configuration_directory(
    desk: Any, workshop: Any, tmp_path: Path
) -> None:
    """What is relative to the configuration is relative to the file that was named."""
    file = tmp_path / "elsewhere" / "rpc.toml"
    file.parent.mkdir()
    file.write_text("")

    application = compose(
        desk,
        file,
        environ={},
        places=places_in(tmp_path),
        modules={"all": plugin_module("all", workshop.store(), workshop.search())},
    )

    assert application.config_dir == file.parent


def test_known_keys_hold_those_of_the_chosen_providers(desk: Any, workshop: Any, tmp_path: Path) -> None:
    """What can be set includes the keys of providers whose plugins load."""
    modules = {"all": plugin_module("all", workshop.store(), workshop.search(), workshop.source("pi"))}

    keys = known_keys(desk, environ={}, places=places_in(tmp_path), modules=modules)

    assert keys.find(("server", "store", "limit")) is int
    assert keys.find(("sources", "pi", "enabled")) is bool
