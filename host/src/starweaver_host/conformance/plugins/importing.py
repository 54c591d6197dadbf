"""Rules of importing a plugin: cheap, silent, and alone."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from starweaver_host.conformance.suite import capability
from starweaver_host.hooks import ENTRY_POINT_GROUP

from .suite import PluginSuite

_ALLOWED = frozenset({"starweaver_host", "msgspec", "pluggy", "typing_extensions"})
_ALLOWED_HOST = ("starweaver_host.contract", "starweaver_host.hooks")
_HEAVY = (
    "asyncio",
    "concurrent.futures",
    "email",
    "http",
    "importlib.metadata",
    "logging",
    "multiprocessing",
    "sqlite3",
    "ssl",
    "tomllib",
    "unittest",
    "xml",
)
"""Parts of the standard library that cost milliseconds and that describing a provider does not need."""

_REPORT = """
import importlib, json, os, pkgutil, sys
import starweaver_host.contract, starweaver_host.hooks
for each in pkgutil.iter_modules(starweaver_host.contract.__path__):
    importlib.import_module("starweaver_host.contract." + each.name)
before = set(sys.modules)
threads = len(os.listdir("/proc/self/task")) if os.path.isdir("/proc/self/task") else 1
importlib.import_module(sys.argv[1])
now = len(os.listdir("/proc/self/task")) if os.path.isdir("/proc/self/task") else 1
print(json.dumps({"modules": sorted(set(sys.modules) - before), "threads": now - threads}))
"""


class Imported(NamedTuple):
    """What an import did: modules it loaded, threads it left, text it printed."""

    modules: list[str]
    threads: int
    output: str


class ImportingRules(PluginSuite):
    """Every command of a product imports every listed plugin: a plugin module describes, and does nothing else."""

    def test_plugin_imports_nothing_but_the_contract(self, tmp_path: Path) -> None:
        """Importing the plugin module loads the contract, the hooks and the plugin's own small modules only.

        If this fails: import the named module inside the factory. Other plugins, the rest of the host and every other
        distribution are not for the plugin module.
        """
        own = self.plugin_module.partition(".")[0]
        loaded = [name for name in self._import(tmp_path).modules if not self._is_own(name)]

        strangers = [
            name for name in loaded if name.partition(".")[0] not in {*_ALLOWED, own, *sys.stdlib_module_names}
        ]
        host = [name for name in loaded if name.startswith("starweaver_host.") and not name.startswith(_ALLOWED_HOST)]

        assert (strangers, host) == ([], [])

    def test_plugin_imports_no_heavy_part_of_the_library(self, tmp_path: Path) -> None:
        """Importing the plugin module loads no part of the standard library that takes long to load.

        If this fails: the named module costs every command its time, used or not. Import it in the factory.
        """
        loaded = self._import(tmp_path).modules

        assert [name for name in loaded if name in _HEAVY] == []

    def test_importing_the_plugin_does_nothing(self, tmp_path: Path) -> None:
        """Importing prints nothing, writes no file and starts no thread.

        If this fails: module level code acts. Opening is for factories.
        """
        report = self._import(tmp_path)

        assert (report.threads, list(tmp_path.iterdir()), report.output) == (0, [], "")

    @capability("packaged")
    def test_distribution_names_the_plugin(self) -> None:
        """An installed distribution has an entry point in `starweaver.plugins` that names this module.

        If this fails: without the entry point no product can find the plugin.
        """
        from importlib.metadata import entry_points

        assert self.plugin_module in {each.value for each in entry_points(group=ENTRY_POINT_GROUP)}

    def _is_own(self, name: str) -> bool:
        """Whether a module is the plugin's package, below it, or above it."""
        package = self.plugin_module.rpartition(".")[0]
        return f"{name}.".startswith(f"{package}.") or f"{package}.".startswith(f"{name}.")

    def _import(self, folder: Path) -> Imported:
        """Import the plugin in a process of its own, in an empty folder."""
        path = json.dumps([entry for entry in sys.path if entry])
        program = f"import sys; sys.path[:] = {path}\nsys.dont_write_bytecode = True\n{_REPORT}"
        done = subprocess.run(
            [sys.executable, "-c", program, self.plugin_module], cwd=folder, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        *output, report = done.stdout.splitlines()
        return Imported(**json.loads(report), output="\n".join(output) + done.stderr)


__all__ = ["ImportingRules"]
