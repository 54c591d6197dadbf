"""A folder that stands in for site-packages, with plugins in it that exist for one test only."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from starweaver_host.discovery import Discovery, Listing, discover
from starweaver_host.registry import Collected, collect
from starweaver_host.testing import install_distribution

_serial = itertools.count()

HEAD = """\
from contextlib import asynccontextmanager
from starweaver_host.contract.registration import *
from starweaver_host.hooks import hookimpl

@asynccontextmanager
async def opened(config, context):
    yield object()

def store(name="lmdb", contract="1.0", **changes):
    fields = {"name": name, "summary": "s", "contract": contract, "factory": opened}
    return SessionStoreRegistration(**{**fields, **changes})
"""


class Site:
    """Installs plugins whose module names no other test has, and collects them by name."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def install(self, plugin: str, source: str, *, distribution: str | None = None, head: str = HEAD) -> str:
        """Install one plugin as one distribution; returns its module name."""
        module = f"site_plugin_{next(_serial)}"
        name = distribution or f"{plugin}-dist"
        install_distribution(self.folder, name, plugins={plugin: module}, modules={module: head + source})
        return module

    def found(self) -> Discovery:
        """What is installed here."""
        return discover([str(self.folder)])

    def collect(self, *plugins: str, where: str | None = "desk.toml:7") -> Collected:
        """Collect plugins by name."""
        return collect([Listing(plugin, where) for plugin in plugins], self.found())

    def problem(self, *plugins: str) -> tuple[str, str, str]:
        """Word, message and hint of the only problem that collecting them gives."""
        problems = self.collect(*plugins).problems
        assert len(problems) == 1, [problem.message for problem in problems]
        return problems[0].problem, problems[0].message, problems[0].hint or ""


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    folder = tmp_path / "site-packages"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    yield Site(folder)
    for name in [name for name in sys.modules if name.startswith("site_plugin_")]:
        del sys.modules[name]


@pytest.fixture
def hook() -> Callable[[str], str]:
    """Source of a store hook with this body."""
    return lambda body: f"@hookimpl\ndef starweaver_session_stores():\n    {body}\n"
