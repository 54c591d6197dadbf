"""The search suite can fail: every deliberately wrong provider turns exactly the tests red that are about its fault."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from starweaver_host.conformance.search_wrong import WrongSearchProvider, wrong_providers

CASES = """
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from starweaver_host.conformance.search_suite import SearchProviderConformance
from starweaver_host.conformance.search_wrong import wrong_providers


def case(wrong):
    @asynccontextmanager
    async def opened(context):
        yield wrong(context.store)

    class Case(SearchProviderConformance):
        capabilities = frozenset({"documented_order", "repeatable_pages"})

        @pytest.fixture
        def open_provider(self):
            return opened

        @pytest.fixture
        def tmp_path(self):
            return Path()  # nothing is written, and a folder for each of thousands of tests takes time

    return type(f"Test{wrong.__name__}", (Case,), {})


for wrong in wrong_providers():
    globals()[f"Test{wrong.__name__}"] = case(wrong)
"""
FAILED = re.compile(r"^FAILED \S+::Test(?P<case>\w+)::(?P<test>\w+)", re.MULTILINE)


@pytest.fixture(scope="module")
def red(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """Wrong provider -> the tests that failed for it, from one run of pytest over all of them."""
    folder: Path = tmp_path_factory.mktemp("wrong")
    (folder / "test_cases.py").write_text(CASES)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-rf",
        "--tb=no",
        "-p",
        "no:cacheprovider",
        "--rootdir",
        str(folder),
    ]
    command += ["-p", "starweaver_host.conformance.pytest_plugin", "test_cases.py"]
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "COLUMNS": "300"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stdout[-2000:] + done.stderr[-2000:]
    found: dict[str, set[str]] = {}
    for match in FAILED.finditer(done.stdout):
        found.setdefault(match["case"], set()).add(match["test"])
    return found


@pytest.mark.parametrize("wrong", wrong_providers(), ids=lambda wrong: wrong.__name__)
def test_search_suite_notices_wrong_provider(red: dict[str, set[str]], wrong: type[WrongSearchProvider]) -> None:
    """A fault turns the tests red that name it, and no other."""
    assert red.get(wrong.__name__, set()) == wrong.breaks
