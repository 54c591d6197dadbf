"""What may be loaded by what: asserted on modules, never on a clock."""

from __future__ import annotations

import subprocess
import sys

import pytest

LIST_PLUGINS = """\
from starweaver_host.__main__ import main
sys.stdout = sys.stderr
main(["plugins"])
sys.stdout = sys.__stdout__
"""
HEAVY = ("asyncio", "dependency_injector", "importlib.metadata", "structlog", "tomlkit", "pluggy", "msgspec", "rich")


def loaded(statement: str) -> set[str]:
    """Heavy modules that a fresh interpreter has after a statement."""
    code = f"import sys\n{statement}\nprint(*[name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize(
    ("statement", "allowed"),
    [
        ("import starweaver_host", set()),
        ("import starweaver_host.discovery", set()),
        ("from starweaver_host.discovery import discover; discover()", set()),
        ("import starweaver_host.hooks", {"pluggy", "msgspec"}),
        ("import starweaver_host.registry", {"pluggy", "msgspec"}),
        ("import starweaver_host.config.model, starweaver_host.config.load", {"msgspec"}),
        ("import starweaver_host.config.edit", {"msgspec"}),
        ("import starweaver_host.application", {"msgspec"}),
        ("import starweaver_host.logs, starweaver_host.runtime", set()),
        ("import starweaver_host.build", {"msgspec", "pluggy"}),
        (LIST_PLUGINS, set()),
    ],
)
def test_import_loads_no_heavy_module_beyond_its_need(statement: str, allowed: set[str]) -> None:
    """The container is loaded when one is asked for, not before; discovery loads nothing at all."""
    assert loaded(statement) <= allowed


def test_container_module_loads_its_library() -> None:
    """The list above can fail: the one module that may load the container does."""
    assert "dependency_injector" in loaded("import starweaver_host.container")
