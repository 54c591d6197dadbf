"""A suite cannot be weakened in silence, and what a provider does not support is shown."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

HEAD = """
import pytest

from starweaver_host.conformance.memory_store import open_memory_store
from starweaver_host.conformance.store import OpenStore, SessionStoreConformance


class TestStore(SessionStoreConformance):
    @pytest.fixture
    def open_store(self) -> OpenStore:
        return open_memory_store

"""
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run_file(tmp_path: Path) -> Run:
    """Run pytest on a file of the given text, in a process of its own, on the tests that `-k` selects."""

    def run(text: str, select: str, *options: str) -> subprocess.CompletedProcess[str]:
        (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = -p no:cacheprovider -p no:asyncio\n")
        path = tmp_path / "test_theirs.py"
        path.write_text(text, encoding="utf-8")
        command = [sys.executable, "-m", "pytest", "-q", "-rA", "-k", select, *options, str(path)]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    return run


def test_suite_with_one_fixture_is_a_whole_test_file(run_file: Run) -> None:
    """An import, a subclass and one fixture are all that an author writes."""
    done = run_file(HEAD, "absent_session_is_not_found or not_weakened")

    assert done.returncode == 0, done.stdout
    assert "2 passed" in done.stdout


def test_suite_class_that_is_only_imported_collects_nothing(run_file: Run) -> None:
    """A suite's own name does not start with Test."""
    done = run_file("from starweaver_host.conformance.store import SessionStoreConformance\n", "test")

    assert done.returncode == pytest.ExitCode.NO_TESTS_COLLECTED


def test_forgotten_fixture_is_named(run_file: Run) -> None:
    """Without its fixture a suite errs with the fixture's name."""
    imported = "from starweaver_host.conformance.store import SessionStoreConformance\n"

    done = run_file(f"{imported}class TestS(SessionStoreConformance): ...", "absent_session_is_not_found")

    assert "fixture 'open_store' not found" in done.stdout


@pytest.mark.parametrize(
    ("member", "found"),
    [
        ("test_absent_session_is_not_found = None", "'test_absent_session_is_not_found' is removed"),
        (
            "def test_absent_session_is_not_found(self): pass",
            "'test_absent_session_is_not_found' is replaced without xfail(strict=True, reason=...)",
        ),
        (
            "@pytest.mark.xfail(reason='why', strict=False)\n    def test_absent_session_is_not_found(self): pass",
            "'test_absent_session_is_not_found' is replaced without",
        ),
        (
            "@pytest.mark.xfail(reason='', strict=True)\n    def test_absent_session_is_not_found(self): pass",
            "'test_absent_session_is_not_found' is replaced without",
        ),
        (
            "@pytest.mark.xfail(strict=True, reason='y', run=0)\n    def test_absent_session_is_not_found(self): pass",
            "'test_absent_session_is_not_found' is replaced without",
        ),
        ("capabilities = frozenset({'durabel'})", "capability 'durabel' is not one of"),
        ("not_yet = {'durable': ' '}", "capability 'durable' is not yet supported, and no reason is given"),
    ],
    ids=["removed", "replaced", "lenient", "without_reason", "never_run", "misspelt_capability", "not_yet_unexplained"],
)
def test_weakened_suite_fails_its_guard_which_says_how(run_file: Run, member: str, found: str) -> None:
    """A removed or replaced standard test, or a wrong declaration, turns the guard test red and is named."""
    done = run_file(f"{HEAD}    {member}\n", "not_weakened")

    assert done.returncode == pytest.ExitCode.TESTS_FAILED
    assert found in done.stdout


def test_expected_failure_with_reason_is_no_weakening(run_file: Run) -> None:
    """An override marked xfail, strict and with a reason, satisfies the guard and shows as expected failure."""
    text = f"""{HEAD}
    @pytest.mark.xfail(strict=True, reason="absent sessions are made up")
    async def test_absent_session_is_not_found(self, store):
        await super().test_absent_session_is_not_found(store)
        raise AssertionError
"""

    done = run_file(text, "absent_session_is_not_found or not_weakened")

    assert done.returncode == 0, done.stdout
    assert "1 passed, " in done.stdout
    assert "1 xfailed" in done.stdout


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (HEAD.replace("class TestStore", "@pytest.mark.skip\nclass TestStore"), "the whole class is marked 'skip'"),
        (f"{HEAD}    def test_suite_is_not_weakened(self): pass\n", "'test_suite_is_not_weakened' is replaced"),
        (f"pytestmark = __import__('pytest').mark.xfail\n{HEAD}", "the whole module is marked 'xfail'"),
    ],
    ids=["class_mark", "guard_replaced", "module_mark"],
)
def test_silenced_guard_fails_the_run(run_file: Run, text: str, found: str) -> None:
    """What would keep the guard from running is refused when tests are collected."""
    done = run_file(text, "absent")

    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert found in done.stdout + done.stderr


def test_undeclared_capability_is_skipped_and_reported(run_file: Run) -> None:
    """Tests of a capability that is not declared are skipped, and counted in a section of their own."""
    done = run_file(HEAD, "reopened or absent_session_is_not_found")

    assert "starweaver capabilities not declared" in done.stdout
    assert "TestStore does not declare capability 'durable': 2 tests skipped" in done.stdout


def test_capability_not_yet_supported_is_expected_to_fail(run_file: Run) -> None:
    """Tests of a capability that is being built run, fail as expected, and turn red when they pass."""
    building = f"{HEAD}    not_yet = {{'durable': 'the file format is being written'}}\n"
    built = building.replace("return open_memory_store", "return kept").replace(
        "class TestStore", f"{_KEPT}\nclass TestStore"
    )

    failing = run_file(building, "reopened_store_is_the_same")
    passing = run_file(built, "reopened_store_is_the_same")

    assert (failing.returncode, "durable: the file format is being written" in failing.stdout) == (0, True)
    assert (passing.returncode, "XPASS(strict)" in passing.stdout) == (1, True)


def test_failed_assertion_of_the_kit_shows_its_values(run_file: Run) -> None:
    """Assertions of the kit are rewritten: a red test says what was found."""
    text = f"{HEAD.replace('return open_memory_store', 'return wrong')}"
    text = text.replace("class TestStore", f"{_WRONG}\nclass TestStore")

    done = run_file(text, "many_are_read_in_the_order")

    assert "assert ['a', 'c'] == ['c', 'a']" in done.stdout


_KEPT = """
from contextlib import asynccontextmanager
from starweaver_host.conformance.memory_store import MemorySessionStore
STORES = {}
@asynccontextmanager
async def kept(context):
    yield STORES.setdefault(context.data_dir, MemorySessionStore(context.clock))
"""
_WRONG = """
from contextlib import asynccontextmanager
from starweaver_host.conformance.wrong.store_records import ReordersMany
@asynccontextmanager
async def wrong(context):
    yield ReordersMany(context.clock)
"""
