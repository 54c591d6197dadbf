"""The transcript source suite is honest: each wrong source fails its named test and nothing in unrelated groups."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from starweaver_host.conformance.wrong.sources import WRONG_SOURCES

FILE = """
import pytest

from starweaver_host.conformance.line_source import extend_line_sample, write_line_sample
from starweaver_host.conformance.transcripts import TranscriptSourceConformance
from starweaver_host.conformance.wrong.sources import WRONG_SOURCES


def suite(wrong):
    members = {
        "__module__": __name__,
        "capabilities": frozenset(TranscriptSourceConformance.CAPABILITIES),
        "source": pytest.fixture(lambda self: wrong.provider()),
        "write_sample": pytest.fixture(lambda self: write_line_sample),
        "extend_sample": pytest.fixture(lambda self: extend_line_sample),
    }
    return type(f"Test{wrong.name}", (TranscriptSourceConformance,), members)


globals().update({f"Test{wrong.name}": suite(wrong) for wrong in WRONG_SOURCES})
"""


def test_each_wrong_source_fails_its_named_test_and_no_unrelated_group(
    run_suites: Callable[..., Any], faults: Callable[..., Any]
) -> None:
    """A wrong source turns its named test red, and no test outside the groups it is said to touch."""
    outcome = run_suites(FILE, WRONG_SOURCES)

    assert faults(outcome, WRONG_SOURCES) == ([], {})
    assert all(outcome.passed[f"Test{wrong.name}"] > 15 for wrong in WRONG_SOURCES)
