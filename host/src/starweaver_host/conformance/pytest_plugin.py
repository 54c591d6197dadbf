"""The pytest plugin of the kit: the capability marker, its three answers, the guard's guard, and the report.

Loaded by entry point in every pytest run of an environment that has the host, so it imports pytest and nothing else
of weight. It does nothing to tests that do not subclass a suite.
"""

from __future__ import annotations

import pytest

from .guard import escapes, is_suite

pytest.register_assert_rewrite("starweaver_host.conformance")

_UNDECLARED = "does not declare capability"


def pytest_configure(config: pytest.Config) -> None:
    """Register the capability marker."""
    config.addinivalue_line(
        "markers", "starweaver_capability(name): a conformance test for providers that declare this capability"
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse suites that silence their guard, and turn capabilities into skips and expected failures."""
    classes: dict[type, None] = {}
    for item in items:
        cls = getattr(item, "cls", None)
        if is_suite(cls):
            classes[cls] = None
            _answer_capabilities(item, cls)
    problems = [f"{cls.__qualname__}: {problem}" for cls in classes for problem in escapes(cls)]
    if problems:
        raise pytest.UsageError(f"a conformance suite cannot be silenced: {'; '.join(problems)}")


def _answer_capabilities(item: pytest.Item, cls: type) -> None:
    supported, not_yet = getattr(cls, "capabilities", ()), getattr(cls, "not_yet", {})
    for mark in item.iter_markers("starweaver_capability"):
        name = mark.args[0]
        if name in not_yet:
            item.add_marker(pytest.mark.xfail(strict=True, reason=f"{name}: {not_yet[name]}"))
        elif name not in supported:
            item.add_marker(pytest.mark.skip(reason=f"{cls.__qualname__} {_UNDECLARED} {name!r}"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """List what the suites of this run were not asked, so that a skip never looks like a pass."""
    reasons = [_reason(report) for report in terminalreporter.stats.get("skipped", ())]
    undeclared = [reason for reason in reasons if _UNDECLARED in reason]
    if undeclared:
        terminalreporter.section("starweaver capabilities not declared")
    for reason in sorted(set(undeclared)):
        count = undeclared.count(reason)
        terminalreporter.write_line(f"{reason}: {count} {'test' if count == 1 else 'tests'} skipped")


def _reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    where = report.longrepr
    return str(where[2]).removeprefix("Skipped: ") if isinstance(where, tuple) else ""
