"""What the tests of the Codex importer share: fixtures of every era, rollouts written record by record, compression."""

from __future__ import annotations

import importlib
import shutil
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from starweaver_transcripts.codex import CodexSource

FIXTURES = Path(__file__).parent / "fixtures"
THREAD = "019b0000-0000-7000-8000-0000000000aa"
Rows = Iterable[dict[str, Any]]


@pytest.fixture
def source() -> CodexSource:
    """The source under test."""
    return CodexSource()


@pytest.fixture
def era(read_item: Callable[..., Any], source: CodexSource) -> Callable[..., Any]:
    """Reads the fixture of an era."""
    return lambda name, **options: read_item(source, FIXTURES / f"{name}.jsonl", **options)


@pytest.fixture
def rollout(tmp_path: Path) -> Callable[..., Path]:
    """Writes a rollout of wrapped rows into a sessions folder and gives its path."""

    def write(rows: Rows, *, thread: str = THREAD, folder: str = "home/.codex/sessions/2026/05/04") -> Path:
        path = tmp_path / folder / f"rollout-2026-05-04T03-02-01-{thread}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(encoded(rows))
        return path

    return write


@pytest.fixture
def read(rollout: Callable[..., Path], read_item: Callable[..., Any], source: CodexSource) -> Callable[..., Any]:
    """Writes a rollout and reads it."""
    return lambda rows, **options: read_item(source, rollout(rows), root=None, **options)


def encoded(rows: Rows) -> bytes:
    """Rows as lines."""
    return b"".join(msgspec.json.encode(row) + b"\n" for row in rows)


class Writer:
    """Makes records a second apart."""

    def __init__(self) -> None:
        self._second = 0

    def row(self, kind: str, payload: dict[str, Any]) -> dict[str, Any]:
        """A wrapped record."""
        self._second += 1
        minute, second = divmod(self._second, 60)
        return {"timestamp": f"2026-05-04T03:{minute:02d}:{second:02d}.000Z", "type": kind, "payload": payload}

    def meta(self, thread: str = THREAD, **fields: Any) -> dict[str, Any]:
        """A session's first record."""
        known = {"id": thread, "timestamp": "2026-05-04T03:00:00.000Z", "cwd": "/srv/mill", "cli_version": "0.140.0"}
        return self.row("session_meta", {**known, **fields})

    def turn(self, turn_id: str, model: str = "gpt-5.5") -> dict[str, Any]:
        """A turn's settings."""
        return self.row("turn_context", {"turn_id": turn_id, "model": model})

    def event(self, kind: str, /, **fields: Any) -> dict[str, Any]:
        """A protocol event."""
        return self.row("event_msg", {"type": kind, **fields})

    def item(self, kind: str, /, **fields: Any) -> dict[str, Any]:
        """An API item."""
        return self.row("response_item", {"type": kind, **fields})

    def typed(self, text: str) -> dict[str, Any]:
        """A person's message as an event."""
        return self.event("user_message", message=text)

    def offered(self, *texts: str) -> dict[str, Any]:
        """A user row of the API."""
        return self.item("message", role="user", content=[{"type": "input_text", "text": text} for text in texts])

    def said(self, text: str) -> dict[str, Any]:
        """The model's text as an API item."""
        return self.item("message", role="assistant", content=[{"type": "output_text", "text": text}])

    def shown(self, text: str) -> dict[str, Any]:
        """The model's text as an event."""
        return self.event("agent_message", message=text)


@pytest.fixture
def w() -> Writer:
    """Makes records."""
    return Writer()


@pytest.fixture
def compress() -> Callable[[bytes], bytes]:
    """Compresses with whatever zstd there is; the importer's tests need one."""
    return _compress


def _compress(data: bytes) -> bytes:
    for name in ("compression.zstd", "backports.zstd", "zstandard"):
        try:
            return importlib.import_module(name).compress(data)
        except ImportError:
            continue
    program = shutil.which("zstd")
    assert program is not None, "these tests need zstd: install starweaver-transcripts[zstd]"
    return subprocess.run([program, "-cq"], input=data, capture_output=True, check=True).stdout
