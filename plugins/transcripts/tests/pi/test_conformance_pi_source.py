"""Pi's importer keeps the transcript source suite of the conformance kit, for files of every version."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest

from starweaver_host.conformance.transcripts import TranscriptSourceConformance, WriteSample
from starweaver_transcripts.pi import PiSource

FIXTURES = Path(__file__).parent / "fixtures"

CALL = {"type": "toolCall", "id": "t1", "name": "bash", "arguments": {"command": "ls"}}
RESULT = {"type": "text", "text": "a pear \u68a8 " * 20}


def _row(entry: str, parent: str, role: str, *content: Any, **fields: Any) -> dict[str, Any]:
    message = {"role": role, "content": content, "timestamp": 1762066800000, **fields}
    time = "2026-01-03T07:01:00.000Z"
    return {"type": "message", "id": entry, "parentId": parent, "timestamp": time, "message": message}


MORE = [
    _row("aaaa0011", "aaaa0010", "assistant", CALL, model="claude-opus", stopReason="toolUse"),
    _row("aaaa0012", "aaaa0011", "toolResult", RESULT, toolCallId="t1", toolName="bash", isError=False),
    _row("aaaa0013", "aaaa000f", "user", {"type": "text", "text": "And the quince?"}),
    _row("aaaa0014", "aaaa0013", "assistant", {"type": "text", "text": "It too."}, stopReason="stop"),
]
"""A tool call, then a question that steps back behind it."""


class PiConformance(TranscriptSourceConformance):
    """What the versions share: a fixture, and `more` rows after it, that grows by its last `held` lines."""

    capabilities = frozenset({"tools", "resumable", "lines", "resume_command"})
    version: ClassVar[str]
    more: ClassVar[list[dict[str, Any]]] = []
    held: ClassVar[int]

    @pytest.fixture
    def source(self) -> PiSource:
        """As it is installed."""
        return PiSource()

    @pytest.fixture
    def sample(self, growing_sample: Callable[..., Any]) -> Any:
        """One session file in the folder of a project."""
        place = "agent/sessions/--srv-orchard--/2026-01-01T07-00-00-000Z_0b0b0b0b-1111-4222-8333-000000000002.jsonl"
        rows = b"".join(json.dumps(row).encode() + b"\n" for row in self.more)
        return growing_sample({place: (FIXTURES / f"{self.version}.jsonl").read_bytes() + rows}, place, self.held)

    @pytest.fixture
    def write_sample(self, sample: Any) -> WriteSample:
        """The session without its last lines."""
        write: WriteSample = sample.write
        return write

    @pytest.fixture
    def extend_sample(self, sample: Any) -> WriteSample:
        """Its last lines."""
        extend: WriteSample = sample.extend
        return extend


class TestPiFirstVersion(PiConformance):
    """A list of messages, which grows over a compaction."""

    version, held = "linear_v1", 5


class TestPiSecondVersion(PiConformance):
    """A tree of entries, which grows by a step back."""

    version, more, held = "tree_v2", MORE, 2


class TestPiThirdVersion(PiConformance):
    """A tree of entries, with the roles of today."""

    version, more, held = "tree_v3", MORE, 2
