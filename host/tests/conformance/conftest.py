"""Runs a conformance suite inside a test and says what turned red, by the group of rules it belongs to.

To keep a large matrix of wrong providers quick, each of them meets all of the groups it is related to, and of the
others a share, another one for another provider. STARWEAVER_FULL_MATRIX=1 runs all tests on all providers.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import pytest

from starweaver_host.conformance.wrong.kinds import Wrong

_FULL = bool(os.environ.get("STARWEAVER_FULL_MATRIX"))
_SEARCHING = frozenset({"ScanningRules"})
"""Groups that search for a smallest example when they fail, which takes long: run where they are named."""
Red = dict[str, set[tuple[str, str]]]
"""Class name -> (group, test) of what failed."""


class Outcome(NamedTuple):
    """What an inner run of pytest reported: reds, and per class how many tests passed."""

    red: Red
    passed: dict[str, int]


class _Recorder:
    """A pytest plugin that chooses what runs and keeps the reds."""

    def __init__(self, wrongs: Sequence[Wrong], share: int) -> None:
        self._share = share
        self._wrongs = {f"Test{each.name}": each for each in wrongs}
        self.red: Red = defaultdict(set)
        self.passed: dict[str, int] = defaultdict(int)
        self._groups: dict[str, tuple[str, str, str]] = {}

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        items[:] = [item for item in items if self._is_chosen(item.cls.__name__, _group(item), item.name)]
        self._groups = {item.nodeid: (item.cls.__name__, _group(item), item.name) for item in items}

    def _is_chosen(self, name: str, group: str, test: str) -> bool:
        wrong = self._wrongs.get(name)
        if wrong is None or _FULL or test == wrong.test:
            return True
        if group in _SEARCHING:
            return False
        return group in wrong.groups or crc32(f"{name} {test}".encode()) % self._share == 0

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        name, group, test = self._groups[report.nodeid]
        if report.failed:
            self.red[name].add((group, test))
        elif report.passed and report.when == "call":
            self.passed[name] += 1


def _group(item: Any) -> str:
    bases: tuple[type, ...] = item.cls.__mro__
    return next(base.__name__ for base in bases if item.originalname in vars(base))


@pytest.fixture
def faults() -> Callable[[Outcome, Sequence[Wrong]], tuple[list[str], dict[str, list[str]]]]:
    """Names of the wrong providers whose named test stayed green, and what turned red outside of their groups."""

    def find(outcome: Outcome, wrongs: Sequence[Wrong]) -> tuple[list[str], dict[str, list[str]]]:
        reds = {wrong: outcome.red[f"Test{wrong.name}"] for wrong in wrongs}
        unnoticed = [wrong.name for wrong, red in reds.items() if wrong.test not in {test for _, test in red}]
        strayed = {
            wrong.name: sorted(f"{group}.{test}" for group, test in red if group not in wrong.groups)
            for wrong, red in reds.items()
        }
        return unnoticed, {name: found for name, found in strayed.items() if found}

    return find


@pytest.fixture
def run_suites(tmp_path: Path) -> Callable[..., Outcome]:
    """Run a test file, given as text, in a pytest of its own inside this process; unrelated groups one in `share`."""

    def run(text: str, wrongs: Sequence[Wrong] = (), *, share: int = 1) -> Outcome:
        path = tmp_path / "inner" / f"{tmp_path.name}_inner_test.py"  # a module name of its own
        path.parent.mkdir()
        path.write_text(text, encoding="utf-8")
        path.with_name("pytest.ini").write_text("[pytest]\n", encoding="utf-8")
        recorder = _Recorder(wrongs, share)
        options = ["-q", "--tb=no", "--no-header", "--no-summary", "-p", "no:cacheprovider", "-p", "no:asyncio"]
        status = pytest.main([*options, "-c", str(path.with_name("pytest.ini")), str(path)], [recorder])
        assert status in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED), "the inner run did not run"
        return Outcome(recorder.red, recorder.passed)

    return run
