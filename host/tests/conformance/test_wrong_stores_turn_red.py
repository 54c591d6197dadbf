"""The store suite is honest: each wrong store fails its named test and nothing in unrelated groups."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from starweaver_host.conformance.store import SessionStoreConformance
from starweaver_host.conformance.wrong.stores import WRONG_STORES

FILE = """
import contextlib
import pathlib

import pytest
from hypothesis import Phase, settings

from starweaver_host.conformance.context import provider_context
from starweaver_host.conformance.store import SessionStoreConformance
from starweaver_host.conformance.wrong.stores import WRONG_STORES


def suite(wrong):
    @contextlib.asynccontextmanager
    async def opened(context):
        yield wrong.provider(context.clock)

    members = {
        "effort": settings(SessionStoreConformance.effort, phases=[Phase.generate]),
        "__module__": __name__,
        "capabilities": wrong.declares,
        "open_store": pytest.fixture(lambda self: opened),
        "context": pytest.fixture(lambda self, clock: provider_context(pathlib.Path("unused"), clock=clock)),
    }
    return type(f"Test{wrong.name}", (SessionStoreConformance,), members)


globals().update({f"Test{wrong.name}": suite(wrong) for wrong in WRONG_STORES})
"""


def test_each_wrong_store_fails_its_named_test_and_no_unrelated_group(
    run_suites: Callable[..., Any], faults: Callable[..., Any]
) -> None:
    """A wrong store turns its named test red, and no test outside the groups it is said to touch."""
    outcome = run_suites(FILE, WRONG_STORES, share=5)

    assert faults(outcome, WRONG_STORES) == ([], {})
    assert all(outcome.passed[f"Test{w.name}"] > 20 for w in WRONG_STORES)


def test_every_group_of_rules_is_seen_red() -> None:
    """There is no group of store rules that no wrong store breaks."""
    groups = {base.__name__ for base in SessionStoreConformance.__mro__ if base.__name__.endswith("Rules")}

    assert groups - {group for wrong in WRONG_STORES for group in wrong.groups} == set()
