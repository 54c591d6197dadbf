"""The reference source keeps the whole transcript source suite."""

from __future__ import annotations

import pytest

from starweaver_host.conformance.line_source import LineSource, extend_line_sample, write_line_sample
from starweaver_host.conformance.transcripts import TranscriptSourceConformance, WriteSample
from starweaver_host.contract.transcripts import TranscriptSource


class TestLineSource(TranscriptSourceConformance):
    """A tool that writes lines."""

    capabilities = frozenset({"tools", "resumable", "lines", "resume_command"})

    @pytest.fixture
    def source(self) -> TranscriptSource:
        """The source."""
        return LineSource()

    @pytest.fixture
    def write_sample(self) -> WriteSample:
        """Two sessions."""
        return write_line_sample

    @pytest.fixture
    def extend_sample(self) -> WriteSample:
        """One goes on."""
        return extend_line_sample
