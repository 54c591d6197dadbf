"""Claude Code's importer keeps the transcript source suite of the conformance kit, for every form of its files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest

from starweaver_host.conformance.transcripts import TranscriptSourceConformance, WriteSample
from starweaver_transcripts.claude import ClaudeSource

PROJECTS = Path(__file__).parent / "fixtures" / "projects"
STEM = "-home-dev-orbit/0a000000-0000-4000-8000-{:012d}"


class ClaudeConformance(TranscriptSourceConformance):
    """What the generations share: the fixtures with these numbers, of which the first grows by `held` lines."""

    capabilities = frozenset({"tools", "resumable", "lines", "resume_command"})
    numbers: ClassVar[tuple[int, ...]]
    held: ClassVar[int]

    @pytest.fixture
    def source(self, idle: ClaudeSource) -> ClaudeSource:
        """One for which nobody writes: these releases do not say when a message ended."""
        return idle

    @pytest.fixture
    def sample(self, growing_sample: Callable[..., Any]) -> Any:
        """A configuration folder with the fixtures and whatever lies in the folders of their subagents."""
        stems = [STEM.format(number) for number in self.numbers]
        paths = [path for stem in stems for path in (PROJECTS / f"{stem}.jsonl", *(PROJECTS / stem).rglob("*.*"))]
        files = {f"projects/{path.relative_to(PROJECTS).as_posix()}": path.read_bytes() for path in paths}
        return growing_sample(files, f"projects/{stems[0]}.jsonl", self.held)

    @pytest.fixture
    def write_sample(self, sample: Any) -> WriteSample:
        """The sample without its last lines."""
        write: WriteSample = sample.write
        return write

    @pytest.fixture
    def extend_sample(self, sample: Any) -> WriteSample:
        """Its last lines."""
        extend: WriteSample = sample.extend
        return extend


class TestClaudeOneLineMessages(ClaudeConformance):
    """1.0: a line is a message, subagents are inline side chains."""

    numbers, held = (1,), 4

    @pytest.fixture
    def source(self) -> ClaudeSource:
        """As it is installed."""
        return ClaudeSource()


class TestClaudeSplitMessages(ClaudeConformance):
    """2.0: a message lies on several lines, with images and results of tools between them."""

    numbers, held = (2,), 1


class TestClaudeBranches(ClaudeConformance):
    """2.1: a person went back, and the context was compacted; a resumed copy lies beside."""

    numbers, held = (3, 8, 1), 4


class TestClaudeSteering(ClaudeConformance):
    """Text is typed while the model works."""

    numbers, held = (4,), 4


class TestClaudeSubagents(ClaudeConformance):
    """Subagents lie in files of their own."""

    numbers, held = (7,), 1
