"""Runs a conformance suite inside a test and says what turned red, by the group of rules it belongs to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from starweaver_host.conformance.wrong.kinds import Wrong

Red = dict[str, set[tuple[str, str]]]
"""Class name -> (group, test) of what failed."""


class Outcome(NamedTuple):
    """What an inner run of pytest reported: reds, and per class how many tests passed."""

    red: Red
    passed: dict[str, int]


class _Recorder:
    """A pytest plugin that keeps the reds, and of unrelated groups runs each test with its first parameters only."""

    def __init__(self, related: dict[str, frozenset[str]]) -> None:
        self.related = related
        self.red: Red = defaultdict(set)
        self.passed: dict[str, int] = defaultdict(int)
        self._groups: dict[str, tuple[str, str, str]] = {}

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        seen: set[tuple[str, str]] = set()
        kept = []
        for item in items:
            where = (item.cls.__name__, item.originalname)
            group = _group(item.cls, item.originalname)
            if group in self.related.get(where[0], ()) or where not in seen:
                kept.append(item)
                self._groups[item.nodeid] = (where[0], group, item.name)
            seen.add(where)
        items[:] = kept

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        name, group, test = self._groups[report.nodeid]
        if report.failed:
            self.red[name].add((group, test))
        elif report.passed and report.when == "call":
            self.passed[name] += 1


def _group(cls: type, test: str) -> str:
    return next(base.__name__ for base in cls.__mro__ if test in vars(base))


@pytest.fixture
def run_suites(tmp_path: Path) -> Callable[[str, Sequence[Wrong]], Outcome]:
    """Run a test file, given as text, in a pytest of its own inside this process."""

    def run(text: str, wrongs: Sequence[Wrong] = ()) -> Outcome:
        path = tmp_path / "inner" / "test_inner.py"
        path.parent.mkdir()
        path.write_text(text, encoding="utf-8")
        path.with_name("pytest.ini").write_text("[pytest]\n", encoding="utf-8")
        recorder = _Recorder({f"Test{each.name}": each.groups for each in wrongs})
        options = ["-q", "--tb=no", "--no-header", "--no-summary", "-p", "no:cacheprovider", "-p", "no:asyncio"]
        pytest.main([*options, "-c", str(path.with_name("pytest.ini")), str(path)], [recorder])
        return Outcome(recorder.red, recorder.passed)

    return run
