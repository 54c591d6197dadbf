"""What is loaded, and when: plugin modules describe, light commands stay light. Asked of a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {
    "asyncio",
    "dependency_injector",
    "importlib.metadata",
    "msgspec",
    "pluggy",
    "sqlite3",
    "structlog",
    "tomlkit",
}
"""What a command that only prints about itself has no use for."""
_PRINT_MODULES = "import json, sys; sys.stderr.write(json.dumps(sorted(sys.modules)))"


def modules_after(code: str) -> set[str]:
    """The modules a fresh interpreter has loaded once it ran `code`."""
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{_PRINT_MODULES}"], capture_output=True, text=True, check=True
    )
    return set(json.loads(done.stderr.splitlines()[-1]))


@pytest.mark.parametrize(
    "arguments",
    [["--version"], ["--help"], ["session", "--help"], ["session", "search", "--help"], ["completion", "bash"]],
    ids=" ".join,
)
def test_light_command_loads_nothing_heavy(arguments: list[str]) -> None:
    """Version, help and completion load neither plugins nor the container, the logger, the engine or an event loop."""
    loaded = modules_after(f"from starweaver_cli.main import main\nmain({arguments!r})")

    assert "starweaver_cli.main" in loaded
    assert loaded & HEAVY == set()
    assert {
        name for name in loaded if name.startswith("starweaver_") and not name.startswith("starweaver_cli")
    } == set()


def test_search_loads_no_logger_container_or_event_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search pays for the store, the provider and the importers, and for nothing it does not use."""
    for name in ("HOME", "STARWEAVER_CONFIG_DIR", "STARWEAVER_DATA_DIR"):
        monkeypatch.setenv(name, str(tmp_path))
    loaded = modules_after("from starweaver_cli.main import main\nmain(['session', 'search', 'oauth'])")

    assert "sqlite3" in loaded
    assert loaded & {"asyncio", "dependency_injector", "importlib.metadata", "structlog", "tomlkit"} == set()


def test_importing_the_host_package_loads_nothing_of_it() -> None:
    """The package is a name; what is imported from it decides what is paid."""
    loaded = modules_after("import starweaver_host")

    assert {name for name in loaded if name.startswith("starweaver_")} == {"starweaver_host"}
    assert loaded & HEAVY == set()


def test_plugin_modules_import_contract_and_hooks_only(plugins) -> None:
    """A plugin's module describes: of ours it loads the contract, the hooks, and its own configuration at most."""
    for each in plugins:
        loaded = modules_after(f"import {each.package}.plugin")
        own = {each.package, f"{each.package}.plugin", f"{each.package}.config"}
        ours = {name for name in loaded if name.startswith("starweaver_")} - own
        others = {name for name in ours if not name.startswith(("starweaver_host.contract", "starweaver_host.hooks"))}

        assert others <= {"starweaver_host"}, each.package
        assert loaded & (HEAVY - {"msgspec", "pluggy", "importlib.metadata"}) == set(), each.package


def test_contract_and_hooks_stay_light() -> None:
    """Contract and hooks themselves stay without event loop, logger, container and engine."""
    loaded = modules_after("import starweaver_host.hooks, starweaver_host.contract.registration")

    assert loaded & {"asyncio", "dependency_injector", "sqlite3", "structlog", "tomlkit"} == set()
