"""Codex's importer keeps the transcript source suite of the conformance kit, for every era, compressed and archived."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest

from starweaver_host.conformance.transcripts import TranscriptSourceConformance, WriteSample
from starweaver_transcripts.codex import CodexSource

FIXTURES = Path(__file__).parent / "fixtures"


class CodexConformance(TranscriptSourceConformance):
    """What the eras share: a fixture that grows by `held` lines, in a Codex home."""

    capabilities = frozenset({"tools", "resumable", "lines", "resume_command"})
    era: ClassVar[str]
    held: ClassVar[int]

    @pytest.fixture
    def source(self) -> CodexSource:
        """As it is installed."""
        return CodexSource()

    @pytest.fixture
    def sample(self, growing_sample: Callable[..., Any]) -> Any:
        """One rollout."""
        place = f"sessions/2026/05/04/rollout-2026-05-04T03-02-01-{self.era}.jsonl"
        return growing_sample({place: (FIXTURES / f"{self.era}.jsonl").read_bytes()}, place, self.held)

    @pytest.fixture
    def write_sample(self, sample: Any) -> WriteSample:
        """The rollout without its last lines."""
        write: WriteSample = sample.write
        return write

    @pytest.fixture
    def extend_sample(self, sample: Any) -> WriteSample:
        """Its last lines."""
        extend: WriteSample = sample.extend
        return extend


class TestCodexBare(CodexConformance):
    """Items of the API without a wrapper or a time."""

    era, held = "bare", 4


class TestCodexWrapped(CodexConformance):
    """Items and events of the protocol side by side."""

    era, held = "wrapped", 8


class TestCodexAgents(CodexConformance):
    """A thread that another one started."""

    era, held = "agents", 6


class TestCodexOrdinal(CodexConformance):
    """Numbered records."""

    era, held = "ordinal", 8


class TestCodexPaginated(CodexConformance):
    """Events alone, and items of the newest protocol."""

    era, held = "paginated_twins", 3


class TestCodexCompressed(TranscriptSourceConformance):
    """A rollout that was compressed, and one that was archived, which is unpacked when it goes on."""

    capabilities = frozenset({"tools", "resumable", "resume_command"})

    @pytest.fixture
    def source(self) -> CodexSource:
        """As it is installed."""
        return CodexSource()

    @pytest.fixture
    def write_sample(self, compress: Callable[[bytes], bytes]) -> WriteSample:
        """Both rollouts compressed, the first without its last turn."""

        def write(root: Path) -> None:
            for place, data in (("sessions/wrapped", _wrapped(16)), ("archived_sessions/ordinal", _ordinal())):
                path = root / f"{place}.jsonl.zst"
                path.parent.mkdir()
                path.write_bytes(compress(data))

        return write

    @pytest.fixture
    def extend_sample(self) -> WriteSample:
        """As the tool does: the rollout is plain again, and longer."""

        def extend(root: Path) -> None:
            (root / "sessions" / "wrapped.jsonl.zst").unlink()
            (root / "sessions" / "wrapped.jsonl").write_bytes(_wrapped(None))

        return extend


def _wrapped(count: int | None) -> bytes:
    return b"".join((FIXTURES / "wrapped.jsonl").read_bytes().splitlines(keepends=True)[:count])


def _ordinal() -> bytes:
    return (FIXTURES / "ordinal.jsonl").read_bytes()
