"""Closed sets of words that a reader meets in output have an entry each."""

from __future__ import annotations

import importlib
import pkgutil

import pytest

from starweaver_host import conformance
from starweaver_host.conformance.suite import ConformanceSuite
from starweaver_host.contract.corpus import SEARCH_SOURCES
from starweaver_host.contract.search import COVERAGE_STATES, WARNING_KINDS

COVERAGE = "docs/explanation/coverage.md"


def suites() -> dict[str, type[ConformanceSuite]]:
    """Every suite of the kit that an author subclasses, by name."""
    modules = [importlib.import_module(info.name) for info in pkgutil.iter_modules(conformance.__path__, KIT)]
    found = [value for module in modules for name, value in vars(module).items() if name.endswith("Conformance")]
    return {value.__name__: value for value in found if value is not ConformanceSuite}


KIT = f"{conformance.__name__}."


def test_coverage_page_explains_exactly_the_states_there_are(page) -> None:
    """Each coverage state has a row, in the contract's order."""
    assert list(COVERAGE_STATES) == list(page(COVERAGE).rows("States"))


def test_coverage_page_explains_exactly_the_warnings_there_are(page) -> None:
    """Each kind of warning has a row, in the contract's order."""
    assert list(WARNING_KINDS) == list(page(COVERAGE).rows("Warnings"))


def test_literal_page_lists_the_search_sources(page) -> None:
    """Each source of search has a row, in the contract's order."""
    assert list(SEARCH_SOURCES) == list(page("docs/explanation/literal.md").rows("Where a search looks"))


@pytest.mark.parametrize("name", suites())
def test_conformance_page_has_every_suite_with_its_capabilities(page, name: str) -> None:
    """Each suite has a section that says where it is imported from and what a provider may declare."""
    suite = suites()[name]
    section = page("docs/reference/conformance.md").section(f"`{name}`")

    assert f"from {suite.__module__} import {name}" in section
    assert set(suite.CAPABILITIES) == set(page("docs/reference/conformance.md").rows(f"`{name}`"))
