"""The rules that tools check speak of every distribution: a new folder cannot be forgotten."""

from __future__ import annotations

import ast
import configparser
import sys
from collections.abc import Iterator
from pathlib import Path

PRODUCTS = {"starweaver_cli"}
"""Packages with a front end of their own, which see more of the host than providers do."""

SEEN_BY_PROVIDERS = {"contract", "hooks", "projection", "services"}
SEEN_BY_FRONT_ENDS = SEEN_BY_PROVIDERS | {
    "application",
    "build",
    "config",
    "container",
    "discovery",
    "registry",
    "runtime",
}
COMPOSING = {"build", "container"}


def host_modules(root: Path) -> set[str]:
    """The names directly below the host's package: modules and packages."""
    package = root / "host" / "src" / "starweaver_host"
    found = {each.stem for each in package.iterdir() if each.suffix == ".py" or (each / "__init__.py").is_file()}
    return found - {"__init__"}


def imported(file: Path) -> Iterator[str]:
    """The top packages a file imports from elsewhere, at module level or inside; relative imports are its own."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (each.name.partition(".")[0] for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield str(node.module).partition(".")[0]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 1, f"{file} reaches out of the contract"


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


def test_contract_imports_msgspec_and_the_standard_library_only(root: Path) -> None:
    """What may be imported is listed, so that a library nobody thought of is refused too."""
    files = list((root / "host" / "src" / "starweaver_host" / "contract").glob("**/*.py"))
    foreign = {(file.name, name) for file in files for name in imported(file) if name not in sys.stdlib_module_names}

    assert {name for _, name in foreign} == {"msgspec"}, foreign


def test_every_host_module_is_in_a_layer(root: Path, workspace) -> None:
    """A new module of the host has its place in the order of layers, once."""
    (layers,) = (each for each in workspace["tool"]["importlinter"]["contracts"] if each["type"] == "layers")
    named = [name.strip() for layer in layers["layers"] for name in layer.split("|")]

    assert layers["exhaustive"] is True
    assert sorted(named) == sorted(host_modules(root))


def test_what_is_not_for_providers_and_front_ends_is_forbidden_them(root: Path, workspace) -> None:
    """Both rules forbid every module of the host that is not meant for them, new ones included."""
    providers = contract(workspace, "providers see contract, projection, services and hooks only")
    front_ends = contract(workspace, "front ends see what composes and opens a product, not how that is done")
    modules = host_modules(root)

    assert set(providers["forbidden_modules"]) == {f"starweaver_host.{name}" for name in modules - SEEN_BY_PROVIDERS}
    assert set(front_ends["forbidden_modules"]) == {f"starweaver_host.{name}" for name in modules - SEEN_BY_FRONT_ENDS}
    assert set(front_ends["source_modules"]) == PRODUCTS


def test_heavy_libraries_are_forbidden_in_every_other_host_module(root: Path, workspace) -> None:
    """The rules about pluggy and dependency_injector name each module that is not their own."""
    pluggy = contract(workspace, "only hooks and registry import pluggy")
    injector = contract(workspace, "only container, build and a product's wiring import dependency_injector")
    modules = host_modules(root)

    for rule, own in ((pluggy, {"hooks", "registry"}), (injector, COMPOSING)):
        assert {f"starweaver_host.{name}" for name in modules - own} <= set(rule["source_modules"]), rule["name"]
