"""What the tests of the Pi importer share: fixtures of every version, and sessions written entry by entry."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from starweaver_transcripts.pi import PiSource

FIXTURES = Path(__file__).parent / "fixtures"
NATIVE = "0c0c0c0c-1111-4222-8333-0000000000aa"


@pytest.fixture
def pi() -> PiSource:
    """The source under test."""
    return PiSource()


@pytest.fixture
def version(read_item: Callable[..., Any], pi: PiSource) -> Callable[..., Any]:
    """Reads the fixture of a version."""
    return lambda name, **options: read_item(pi, FIXTURES / f"{name}.jsonl", **options)


@pytest.fixture
def session_file(tmp_path: Path) -> Callable[..., Path]:
    """Writes a session file and gives its path."""

    def write(rows: Iterable[Any], *, folder: str = "home/.pi/agent/sessions/--srv-x--", native: str = NATIVE) -> Path:
        path = tmp_path / folder / f"2026-02-01T07-00-00-000Z_{native}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(encoded(rows))
        return path

    return write


@pytest.fixture
def read_rows(session_file: Any, read_item: Callable[..., Any], pi: PiSource) -> Callable[..., Any]:
    """Writes a session and reads it."""
    return lambda rows, **options: read_item(pi, session_file(rows), **options)


def encoded(rows: Iterable[Any]) -> bytes:
    """Rows as lines."""
    return b"".join(msgspec.json.encode(row) + b"\n" for row in rows)


class Entries:
    """Makes entries of the tree; ids count up, the parent is the entry before unless another is named."""

    def __init__(self) -> None:
        self._count = 0
        self._last: str | None = None

    def header(self, native: str = NATIVE, **fields: Any) -> dict[str, Any]:
        """The first line."""
        return {
            "type": "session",
            "version": 3,
            "id": native,
            "timestamp": "2026-02-01T07:00:00.000Z",
            "cwd": "/srv/x",
            **fields,
        }

    def entry(self, kind: str, *, after: Any = "", **fields: Any) -> dict[str, Any]:
        """An entry; `after` names its parent (None is the root)."""
        self._count += 1
        parent = self._last if after == "" else after
        self._last = f"{self._count:08x}"
        time = f"2026-02-01T07:{self._count // 60:02d}:{self._count % 60:02d}.000Z"
        return {"type": kind, "id": self._last, "parentId": parent, "timestamp": time, **fields}

    def message(self, role: str, *, after: Any = "", **fields: Any) -> dict[str, Any]:
        """A message entry."""
        return self.entry("message", after=after, message={"role": role, **fields})

    def user(self, text: str, *, after: Any = "") -> dict[str, Any]:
        """A person's message."""
        return self.message("user", after=after, content=[{"type": "text", "text": text}])

    def assistant(self, text: str, *, stop: str = "stop", after: Any = "", **fields: Any) -> dict[str, Any]:
        """The model's message."""
        content = [{"type": "text", "text": text}]
        return self.message("assistant", after=after, content=content, model="m", stopReason=stop, **fields)

    def result(self, call_id: str, *content: Any) -> dict[str, Any]:
        """A tool's answer."""
        return self.message("toolResult", toolCallId=call_id, toolName="read", content=list(content), isError=False)


@pytest.fixture
def e() -> Entries:
    """Makes entries."""
    return Entries()
