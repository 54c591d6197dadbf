"""The pytest plugin of the kit: the capability marker, its three answers, the guard's guard, and the report.

Loaded by entry point in every pytest run of an environment that has the host, so it imports pytest and nothing else
of weight. It does nothing to tests that do not subclass a suite.
"""

from __future__ import annotations

import pytest

from .guard import escapes, is_suite

pytest.register_assert_rewrite("starweaver_host.conformance")

_UNDECLARED = pytest.StashKey[dict[tuple[str, str], int]]()


def pytest_configure(config: pytest.Config) -> None:
    """Register the capability marker."""
    config.addinivalue_line(
        "markers", "starweaver_capability(name): a conformance test for providers that declare this capability"
    )
    config.stash[_UNDECLARED] = {}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Refuse suites that silence their guard, and turn capabilities into skips and expected failures."""
    classes: dict[type, None] = {}
    for item in items:
        cls = getattr(item, "cls", None)
        if is_suite(cls):
            classes[cls] = None
            _answer_capabilities(config, item, cls)
    problems = [f"{cls.__qualname__}: {problem}" for cls in classes for problem in escapes(cls)]
    if problems:
        raise pytest.UsageError(f"a conformance suite cannot be silenced: {'; '.join(problems)}")


def _answer_capabilities(config: pytest.Config, item: pytest.Item, cls: type) -> None:
    supported, not_yet = getattr(cls, "capabilities", ()), getattr(cls, "not_yet", {})
    for mark in item.iter_markers("starweaver_capability"):
        name = mark.args[0]
        if name in not_yet:
            item.add_marker(pytest.mark.xfail(strict=True, reason=f"{name}: {not_yet[name]}"))
        elif name not in supported:
            item.add_marker(pytest.mark.skip(reason=f"{cls.__qualname__} does not declare capability {name!r}"))
            counts = config.stash[_UNDECLARED]
            counts[cls.__qualname__, name] = counts.get((cls.__qualname__, name), 0) + 1


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """List what the suites of this run were not asked, so that a skip never looks like a pass."""
    counts = config.stash.get(_UNDECLARED, {})
    if counts:
        terminalreporter.section("starweaver capabilities not declared")
    for (suite, name), count in sorted(counts.items()):
        noun = "test" if count == 1 else "tests"
        terminalreporter.write_line(f"{suite} does not declare capability {name!r}: {count} {noun} skipped")
