"""Claude's fixtures by number, sources that find every or no file idle, and rows for transcripts a test makes up."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from starweaver_transcripts.claude import ClaudeSource

FIXTURES = Path(__file__).parent / "fixtures"
PROJECT = FIXTURES / "projects" / "-home-dev-orbit"


@pytest.fixture
def idle() -> ClaudeSource:
    """A source for which nobody has written to any file lately."""
    return ClaudeSource(now=lambda: 4e9)


@pytest.fixture
def busy() -> ClaudeSource:
    """A source for which every file is being written."""
    return ClaudeSource(now=lambda: 0.0)


@pytest.fixture
def fixture(read_item: Callable[..., Any], idle: ClaudeSource) -> Callable[..., Any]:
    """Reads a fixture by its number, or by a path below the project's folder."""

    def read(name: int | str, **options: Any) -> Any:
        path = PROJECT / (f"0a000000-0000-4000-8000-{name:012d}.jsonl" if isinstance(name, int) else name)
        return read_item(idle, path, root=FIXTURES, **options)

    return read


class Transcript:
    """Writes rows of a made-up session; every row hangs on the one before unless told otherwise."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows: list[dict[str, Any]] = []
        path.parent.mkdir(parents=True, exist_ok=True)

    def _row(self, kind: str, fields: dict[str, Any]) -> str:
        number = len(self.rows) + 1
        uuid = f"00000000-0000-4000-8000-{number:012d}"
        parents = [row["uuid"] for row in self.rows]
        row = {
            "parentUuid": parents[-1] if parents else None,
            "sessionId": self.path.stem,
            "timestamp": f"2026-01-01T00:{number // 60 % 60:02d}:{number % 60:02d}Z",
            "type": kind,
            "uuid": uuid,
            **fields,
        }
        self.rows.append(row)
        return uuid

    def user(self, content: Any, **fields: Any) -> str:
        return self._row("user", {"message": {"role": "user", "content": content}, **fields})

    def assistant(self, message_id: str, *content: Any, **fields: Any) -> str:
        blocks = [{"type": "text", "text": each} if isinstance(each, str) else each for each in content]
        message = {"id": message_id, "role": "assistant", "model": "m", "content": blocks, "stop_reason": None}
        message.update(fields.pop("message", {}))
        return self._row("assistant", {"message": message, **fields})

    def call(self, message_id: str, call_id: str, **fields: Any) -> str:
        return self.assistant(message_id, {"type": "tool_use", "id": call_id, "name": "Bash", "input": {}}, **fields)

    def result(self, call_id: str, content: Any = "done", **fields: Any) -> str:
        return self.user([{"type": "tool_result", "tool_use_id": call_id, "content": content}], **fields)

    def system(self, subtype: str, **fields: Any) -> str:
        return self._row("system", {"subtype": subtype, **fields})

    def data(self) -> bytes:
        """The file as bytes."""
        return b"".join(json.dumps(row).encode() + b"\n" for row in self.rows)

    def save(self) -> Path:
        """Write the file; returns its path."""
        self.path.write_bytes(self.data())
        return self.path


@pytest.fixture
def transcript(tmp_path: Path) -> Transcript:
    """An empty transcript in a folder of its own."""
    return Transcript(tmp_path / "projects" / "p" / "11111111-0000-4000-8000-000000000000.jsonl")
