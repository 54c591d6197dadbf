"""TranscriptSourceConformance: every guarantee of `contract.transcripts.TranscriptSource` as a test."""

from __future__ import annotations

from .finding import FindingRules
from .meaning import MeaningRules
from .reading import ReadingRules
from .suite import WriteSample


class TranscriptSourceConformance(FindingRules, ReadingRules, MeaningRules):
    """The whole suite. Subclass it as `TestYourSource`; supply `source`, `write_sample` and perhaps `extend_sample`.

    class TestYourSource(TranscriptSourceConformance):
        capabilities = frozenset({"tools", "resumable", "lines"})

        @pytest.fixture
        def source(self) -> TranscriptSource:
            return YourSource()

        @pytest.fixture
        def write_sample(self) -> WriteSample:
            return copy_your_fixture_tree
    """


__all__ = ["TranscriptSourceConformance", "WriteSample"]
