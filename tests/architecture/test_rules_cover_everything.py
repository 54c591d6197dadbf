"""The rules that tools check speak of every distribution: a new folder cannot be forgotten."""

from __future__ import annotations

import configparser
from pathlib import Path

PRODUCTS = {"starweaver_cli"}
"""Packages with a front end of their own, which see more of the host than providers do."""


def contract(workspace, name: str) -> dict[str, list[str]]:
    """An import contract by its name."""
    return next(each for each in workspace["tool"]["importlinter"]["contracts"] if each["name"] == name)


def test_import_contracts_look_at_every_package(workspace, distributions) -> None:
    """import-linter reads every package of the repository."""
    assert {each.package for each in distributions} == set(workspace["tool"]["importlinter"]["root_packages"])


def test_no_plugin_is_left_out_of_the_independence_of_plugins(workspace, plugins) -> None:
    """No plugin imports a sibling, and the contract names each of them."""
    rule = contract(workspace, "plugins do not know each other")

    assert rule["type"] == "independence"
    assert {each.package for each in plugins} == set(rule["modules"])


def test_host_is_forbidden_every_plugin(workspace, plugins) -> None:
    """The host sees no plugin."""
    rule = contract(workspace, "the host sees no plugin")

    assert {each.package for each in plugins} == set(rule["forbidden_modules"])


def test_every_provider_is_held_to_what_providers_see(workspace, plugins) -> None:
    """Plugins other than products see contract, projection, services and hooks."""
    rule = contract(workspace, "providers see contract, projection, services and hooks only")

    assert {each.package for each in plugins} - PRODUCTS == set(rule["source_modules"])


def test_heavy_libraries_are_forbidden_in_every_plugin(workspace, plugins) -> None:
    """pluggy belongs to hooks and registry, the container's library to container, build and a product's wiring."""
    pluggy = contract(workspace, "only hooks and registry import pluggy")
    injector = contract(workspace, "only container, build and a product's wiring import dependency_injector")
    names = {each.package for each in plugins}

    assert names <= set(pluggy["source_modules"])
    assert names - PRODUCTS <= set(injector["source_modules"])


def test_tox_has_an_environment_for_every_plugin(root: Path, plugins) -> None:
    """Each plugin is tested in an environment that holds it and the host alone, and each is type-checked."""
    tox = configparser.ConfigParser(interpolation=None)
    tox.read(root / "tox.ini", encoding="utf-8")
    environments = tox["tox"]["env_list"].split()
    settings = tox["testenv"]["set_env"].splitlines()
    for each in plugins:
        name = each.folder.name
        (sets,) = (line for line in settings if line.strip().startswith(f"{name}: SETS"))

        assert name in environments
        installed = [part.partition("[")[0] for part in sets.split() if part.startswith("./plugins/")]
        assert installed == [f"./plugins/{name}"]
        assert f"plugins/{name}/src" in tox["testenv:type"]["commands"]
