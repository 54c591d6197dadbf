"""Gemini CLI's importer keeps the transcript source suite of the conformance kit, for both forms of its chats."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from starweaver_host.conformance.transcripts import TranscriptSourceConformance, WriteSample
from starweaver_transcripts.gemini import GeminiSource

CHATS = f".gemini/tmp/{'a' * 64}/chats/session-2026-05-01T10-00-aaaaaaaa"


@pytest.fixture
def conversation(kit: Any) -> list[dict[str, Any]]:
    """Two turns, with a tool call each."""
    return [
        kit.said("user", "u1", [{"text": "count the boats"}]),
        kit.said("gemini", "m1", "I look.", toolCalls=[kit.call("c1", "ls", "three boats, 三艘 " * 20)]),
        kit.said("gemini", "m2", "Three."),
        kit.said("user", "u2", [{"text": "and the oars?"}]),
        kit.said("gemini", "m3", "", toolCalls=[kit.call("c2", "ls", "six oars")]),
        kit.said("gemini", "m4", "Six."),
    ]


class TestGeminiLines(TranscriptSourceConformance):
    """A record a line, where the last answer streams and earlier ones are written again."""

    capabilities = frozenset({"tools", "resumable", "lines", "resume_command"})

    @pytest.fixture
    def source(self) -> GeminiSource:
        """As it is installed."""
        return GeminiSource()

    @pytest.fixture
    def sample(self, kit: Any, conversation: list[dict[str, Any]], growing_sample: Callable[..., Any]) -> Any:
        """A chat whose last three records come later: an answer is masked, a person goes back, and asks anew."""
        masked = kit.said("gemini", "m1", "I look.", toolCalls=[kit.call("c1", "ls", "masked")])
        later = [masked, {"$rewindTo": "u2"}, kit.said("user", "u3", [{"text": "and the nets?"}])]
        lines = [kit.header(), *conversation, {"$set": {"lastUpdated": "2026-05-01T10:05:00Z"}}, *later]
        data = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
        return growing_sample({f"{CHATS}.jsonl": data}, f"{CHATS}.jsonl", len(later))

    @pytest.fixture
    def write_sample(self, sample: Any) -> WriteSample:
        """The chat without its last lines."""
        write: WriteSample = sample.write
        return write

    @pytest.fixture
    def extend_sample(self, sample: Any) -> WriteSample:
        """Its last lines."""
        extend: WriteSample = sample.extend
        return extend


class TestGeminiObject(TranscriptSourceConformance):
    """One object a file, which is written anew for every message."""

    capabilities = frozenset({"tools", "resumable", "resume_command"})

    @pytest.fixture
    def source(self) -> GeminiSource:
        """As it is installed."""
        return GeminiSource()

    @pytest.fixture
    def write_chat(self, kit: Any, conversation: list[dict[str, Any]]) -> Callable[[Path, int], None]:
        """Writes a chat with so many of its messages."""

        def write(root: Path, count: int) -> None:
            path = root / f"{CHATS}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps({**kit.header(), "messages": conversation[:count]}, indent=2))

        return write

    @pytest.fixture
    def write_sample(self, write_chat: Callable[[Path, int], None]) -> WriteSample:
        """The first turn."""
        return lambda root: write_chat(root, 3)

    @pytest.fixture
    def extend_sample(self, write_chat: Callable[[Path, int], None]) -> WriteSample:
        """Both turns."""
        return lambda root: write_chat(root, 6)
