"""What every test run shares: the sample transcripts.

They are other people's data, lie beside the repository, and are no part of it. Tests that read them are marked
`samples`: where the folder is absent they are deselected and the report says so, unless STARWEAVER_REQUIRE_SAMPLES is
set, which makes its absence an error.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

SAMPLES = Path(__file__).parent.parent / "shared" / "samples"
collect_ignore = ["tests/third_party"]
"""A distribution that is not of the workspace: its tests run where it is installed from its wheel."""
_ABSENT = pytest.StashKey[int]()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect what needs the samples where they are not."""
    reads_samples = [item for item in items if item.get_closest_marker("samples")]
    if not reads_samples or SAMPLES.is_dir():
        return
    if os.environ.get("STARWEAVER_REQUIRE_SAMPLES"):
        raise pytest.UsageError(f"sample transcripts are required and not found at {SAMPLES}")
    config.hook.pytest_deselected(items=reads_samples)
    items[:] = [item for item in items if item not in reads_samples]
    config.stash[_ABSENT] = len(reads_samples)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say why tests were deselected."""
    if count := config.stash.get(_ABSENT, 0):
        terminalreporter.write_line(f"{count} tests deselected: sample transcripts not found at {SAMPLES}")


@pytest.fixture
def samples() -> Path:
    """The folder of sample transcripts."""
    return SAMPLES
