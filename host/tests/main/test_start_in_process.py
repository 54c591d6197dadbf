"""A whole start, from installed distributions to a report or an open product, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from starweaver_host.testing import install_distribution

PROGRAM = """\
import asyncio, sys
from starweaver_host.build import compose
from starweaver_host.config.model import ConfigTable, ProductConfig, ProductDefinition, Slot
from starweaver_host.contract.errors import StartupError

class Store(ConfigTable, frozen=True, kw_only=True):
    provider: str

class Config(ProductConfig, frozen=True, kw_only=True):
    store: Store

DESK = ProductDefinition(
    name="desk", file_name="desk.toml", config=Config,
    defaults='plugins = ["shelf"]\\n[store]\\nprovider = "shelf"\\n',
    slots=(Slot(name="store", kind="session_store", table=("store",)),),
)

async def use(application):
    async with application as services:
        print("open", type(services.store).__name__)

try:
    asyncio.run(use(compose(DESK)))
except StartupError as error:
    for problem in error.problems:
        print(getattr(problem, "problem", problem.code), problem.message, "|", problem.hint)
    sys.exit(1)
"""

SHELF = """\
from contextlib import asynccontextmanager
from starweaver_host.contract.registration import SessionStoreRegistration
from starweaver_host.hooks import hookimpl
from starweaver_host.contract.store import SessionStore

names = {n for base in SessionStore.__mro__ for n in vars(base) if not n.startswith("_")}
Shelf = type("Shelf", (), {name: print for name in names})

@asynccontextmanager
async def open_shelf(config, context):
    yield Shelf()

@hookimpl
def starweaver_session_stores():
    yield SessionStoreRegistration(name="shelf", summary="s", contract="1.0", factory=open_shelf)
"""

Start = Callable[[str], subprocess.CompletedProcess[str]]


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    folder.mkdir()
    return folder


@pytest.fixture
def start(tmp_path: Path, site: Path) -> Start:
    """Start the product with this user file."""

    def run(toml: str) -> subprocess.CompletedProcess[str]:
        (tmp_path / "desk.toml").write_text(toml)
        environ = {**os.environ, "PYTHONPATH": str(site), "STARWEAVER_CONFIG_DIR": str(tmp_path)}
        command = [sys.executable, "-c", PROGRAM]
        return subprocess.run(command, capture_output=True, text=True, env=environ, check=False)

    return run


def shelf(site: Path, source: str = SHELF, distribution: str = "shelf") -> None:
    """Install the plugin."""
    module = f"{distribution.replace('-', '_')}_plugin"
    install_distribution(site, distribution, plugins={"shelf": module}, modules={module: source})


def test_start_of_a_whole_installation_opens_the_product(start: Start, site: Path) -> None:
    """The failures below are failures of what they change."""
    shelf(site)

    done = start("")

    assert (done.returncode, done.stdout, done.stderr) == (0, "open Shelf\n", "")


@pytest.mark.parametrize(
    ("name", "toml", "source", "words"),
    [
        ("absent", "", None, ["not_installed"]),
        ("override", "plugins = ['shelf', 'fts-search']", SHELF, ["not_installed"]),
        ("import", "", "raise OSError('x')", ["import_failed"]),
        ("dependency", "", "import nobody_has_this", ["import_failed"]),
        ("contract", "", SHELF.replace('"1.0"', '"2.0"'), ["contract_mismatch"]),
        ("typo", "", SHELF.replace("_session_stores", "_session_store"), ["misspelt_hook"]),
        ("async", "", SHELF.replace("def starweaver", "async def starweaver"), ["awaitable_result"]),
        ("doubled", "", SHELF + "    yield from starweaver_twin()\n\ndef starweaver_twin():\n"
         "    yield SessionStoreRegistration(name='shelf', summary='s', contract='1.0', factory=open_shelf)\n",
         ["doubled_provider"]),
        ("key", "[stor]\nx = 1", SHELF, ["config_invalid"]),
        ("provider", "[store]\nprovider = 'shlf'", SHELF, ["unknown_provider"]),
        ("empty", "[store]\nprovider = ''", SHELF, ["slot_empty"]),
        ("toml", "x = = 1", SHELF, ["config_invalid"]),
        ("object", "", SHELF.replace("yield Shelf()", "yield object()"), ["wrong_object"]),
        ("opening", "", SHELF.replace("yield Shelf()", "raise OSError('disk')\n    yield"), ["open_failed"]),
        ("several", "plugins = ['shelf', 'nope']\n[stor]\nx = 1\n[store]\nprovidr = 1", "raise OSError('x')",
         ["config_invalid", "import_failed", "not_installed"]),
    ],
    ids=lambda value: value if isinstance(value, str) and value.isidentifier() else "",
)  # fmt: skip
def test_start_that_must_fail_reports_once_and_without_a_traceback(
    start: Start, site: Path, name: str, toml: str, source: str | None, words: list[str]
) -> None:
    """Every kind of trouble ends in one report with its words, a failing status, and nothing on standard error."""
    if source is not None:
        shelf(site, source)

    done = start(toml)

    assert [line.partition(" ")[0] for line in done.stdout.splitlines()] == words
    assert done.stderr == ""
    assert done.returncode == 1


def test_start_with_a_plugin_from_two_distributions_names_both(start: Start, site: Path) -> None:
    """The same name from two distributions stops the product, whichever was installed last."""
    shelf(site)
    shelf(site, SHELF, "other-shelf")

    done = start("")

    assert done.returncode == 1
    assert "installed_twice" in done.stdout
    assert "other-shelf 1.0" in done.stdout
    assert "shelf 1.0 as" in done.stdout


def test_start_reports_the_line_of_a_user_override_that_names_an_absent_plugin(start: Start, tmp_path: Path) -> None:
    """The report leads to the line to change."""
    done = start("# mine\nplugins = [\n  'shelf',\n  'local-search-2',\n]\n")

    assert f"plugin 'local-search-2' is not installed (named in {tmp_path / 'desk.toml'}:4)" in done.stdout
