"""A Gemini CLI home that is written by tests, and an importer's memory of what it read from it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from starweaver_host.contract.transcripts import SourceEnvironment
from starweaver_transcripts.gemini import GeminiSource

LATER = 4_000_000_000.0
"""Long after anything was written."""
HASH = "a" * 64


class Home:
    """A `.gemini` folder under construction."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.gemini = path / ".gemini"

    def chats(self, project: str = HASH) -> Path:
        """The chats folder of a project."""
        folder = self.gemini / "tmp" / project / "chats"
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def lines(self, *records: Any, name: str = "session-2026-05-01T10-00-aaaaaaaa", project: str = HASH) -> Path:
        """Append records to a chat of the newer form."""
        path = self.chats(project) / f"{name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a") as handle:
            handle.writelines(json.dumps(record) + "\n" for record in records)
        return path

    def whole(self, name: str = "session-2026-05-01T10-00-aaaaaaaa", **fields: Any) -> Path:
        """Write a chat of the older form."""
        path = self.chats() / f"{name}.json"
        path.write_text(json.dumps(fields, indent=2))
        return path


def header(session_id: str = "aaaaaaaa-0000-4000-8000-000000000001", **fields: Any) -> dict[str, Any]:
    """The first line of a chat."""
    return {"sessionId": session_id, "projectHash": HASH, "startTime": "2026-05-01T10:00:00Z", **fields}


def said(kind: str, message_id: str, text: Any, **fields: Any) -> dict[str, Any]:
    """A message; its time follows from its id, so that every version has the same."""
    second = sum(message_id.encode()) % 60
    return {"id": message_id, "type": kind, "timestamp": f"2026-05-01T10:01:{second:02}Z", "content": text, **fields}


def call(call_id: str, name: str, output: str | None, **fields: Any) -> dict[str, Any]:
    """A tool call, answered when there is an output."""
    response = {"functionResponse": {"id": call_id, "name": name, "response": {"output": output}}}
    result = None if output is None else [response]
    status = "executing" if output is None else "success"
    return {"id": call_id, "name": name, "args": {"q": call_id}, "status": status, "result": result, **fields}


class Kit:
    """The helpers, as one fixture."""

    header = staticmethod(header)
    said = staticmethod(said)
    call = staticmethod(call)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """An empty home."""
    return Home(tmp_path / "home")


@pytest.fixture
def make_home(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Home]:
    """Makes empty homes, for tests that need many."""
    return lambda: Home(tmp_path_factory.mktemp("home"))


@pytest.fixture
def kit() -> type[Kit]:
    """Builders of records."""
    return Kit


@pytest.fixture
def gemini(make_importer: Callable[..., Any]) -> Callable[..., Any]:
    """Makes importers of a home that have read nothing yet. `now` is the clock they go by, long after by default."""

    def make(
        home: Home,
        *extra: Path,
        environ: Mapping[str, str] | None = None,
        now: Callable[[], float] = lambda: LATER,
    ) -> Any:
        env = SourceEnvironment(home=home.path, environ=environ or {}, extra_roots=extra)
        return make_importer(GeminiSource(now=now), env)

    return make
