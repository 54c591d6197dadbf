"""OpenCode's storage of every generation, built by tests from the facts of its schemas."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from starweaver_host.contract.transcripts import SourceEnvironment
from starweaver_transcripts.opencode import OpenCodeSource

LATER = 4_000_000_000.0
"""Long after anything was written."""
T0 = 1_780_000_000_000
"""The first time in these stores, in milliseconds."""

FIRST = """
CREATE TABLE project (id text PRIMARY KEY, worktree text NOT NULL, time_created integer, time_updated integer);
CREATE TABLE session (id text PRIMARY KEY, project_id text NOT NULL, parent_id text, slug text NOT NULL,
  directory text NOT NULL, title text NOT NULL, version text NOT NULL, revert text, time_created integer NOT NULL,
  time_updated integer NOT NULL, time_archived integer);
CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL,
  time_updated integer NOT NULL, data text NOT NULL);
CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL,
  time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
CREATE INDEX message_session_time_created_id_idx ON message (session_id, time_created, id);
CREATE INDEX part_message_id_id_idx ON part (message_id, id);
CREATE INDEX part_session_idx ON part (session_id);
"""
SECOND = """
CREATE TABLE session_v2 (id text PRIMARY KEY, project_id text NOT NULL, parent_id text, fork_session_id text,
  fork_boundary text, slug text NOT NULL, directory text NOT NULL, title text, version text NOT NULL, revert text,
  time_created integer NOT NULL, time_updated integer NOT NULL, time_archived integer);
CREATE TABLE session_message (id text PRIMARY KEY, session_id text NOT NULL, type text NOT NULL, seq integer NOT NULL,
  time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
CREATE UNIQUE INDEX session_message_session_seq_idx ON session_message (session_id, seq);
"""
ANCESTOR = """
CREATE TABLE sessions (id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT NOT NULL, message_count INTEGER,
  updated_at INTEGER NOT NULL, created_at INTEGER NOT NULL);
CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, role TEXT NOT NULL, parts TEXT NOT NULL,
  model TEXT, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, finished_at INTEGER);
"""


class Database:
    """A database under construction. Statements are committed at once, as the tool does."""

    def __init__(self, path: Path, *schemas: str, wal: bool = False) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self.connection = sqlite3.connect(path, isolation_level=None)
        self.connection.execute("PRAGMA synchronous = off")
        if wal:
            self.connection.execute("PRAGMA journal_mode = wal")
        for schema in schemas:
            self.connection.executescript(schema)
        self.clock = T0

    def run(self, statement: str, *values: Any) -> None:
        """Execute a statement."""
        self.connection.execute(statement, values)

    def close(self) -> None:
        """Let go of the file."""
        self.connection.close()

    def tick(self) -> int:
        """The next time: a second after the last one."""
        self.clock += 1000
        return self.clock

    def session(self, session_id: str, title: str = "A title", *, parent: str | None = None, **more: Any) -> None:
        """A session of 1.x."""
        now = self.tick()
        self.run(
            "INSERT INTO session VALUES (?, 'prj', ?, 'slug', ?, ?, '1.9.0', ?, ?, ?, NULL)",
            *(session_id, parent, more.get("directory", "/home/dev/app"), title),
            *(json.dumps(more["revert"]) if "revert" in more else None, now, more.get("updated", now)),
        )

    def message(self, session_id: str, message_id: str, role: str, *parts: Any, **data: Any) -> None:
        """A message of 1.x with its parts; an answer is complete unless `time` says otherwise."""
        now = self.tick()
        time = {"created": now, "completed": now + 500} if role == "assistant" else {"created": now}
        body = {"role": role, "time": time, **data}
        self.run("INSERT INTO message VALUES (?, ?, ?, ?, ?)", message_id, session_id, now, now, json.dumps(body))
        for number, part in enumerate(parts):
            self.part(session_id, message_id, f"{message_id}p{number}", part)

    def part(self, session_id: str, message_id: str, part_id: str, part: Any) -> None:
        """A part of 1.x."""
        now = self.tick()
        values = (part_id, message_id, session_id, now, now, json.dumps(part))
        self.run("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", *values)

    def rewrite(self, table: str, row_id: str, data: Any) -> None:
        """Write to a row in place."""
        values = (json.dumps(data), self.tick(), row_id)
        self.run(f"UPDATE {table} SET data = ?, time_updated = ? WHERE id = ?", *values)

    def session2(self, session_id: str, title: str | None = "A title", **more: Any) -> None:
        """A session of 2.x."""
        now = self.tick()
        self.run(
            "INSERT INTO session_v2 VALUES (?, 'prj', ?, ?, NULL, 'slug', '/home/dev/app', ?, '2.0.1', ?, ?, ?, NULL)",
            *(session_id, more.get("parent"), more.get("fork"), title),
            *(json.dumps(more["revert"]) if "revert" in more else None, now, now),
        )

    def row(self, session_id: str, row_id: str, kind: str, seq: int, **data: Any) -> None:
        """A row of 2.x; an answer is complete unless `time` says otherwise."""
        now = self.tick()
        time = {"created": now, "completed": now + 500} if kind == "assistant" else {"created": now}
        body = json.dumps({"time": time, **data})
        self.run(
            "INSERT INTO session_message VALUES (?, ?, ?, ?, ?, ?, ?)", row_id, session_id, kind, seq, now, now, body
        )


class Store:
    """A data folder under construction."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.data = home / ".local" / "share" / "opencode"
        self._open: list[Database] = []

    def database(self, *schemas: str, name: str = "opencode.db", wal: bool = False) -> Database:
        """A database in the data folder, with the tables of 1.x unless others are named."""
        return self.database_at(self.data / name, *schemas, wal=wal)

    def database_at(self, path: Path, *schemas: str, wal: bool = False) -> Database:
        """A database anywhere."""
        database = Database(path, *(schemas or (FIRST,)), wal=wal)
        self._open.append(database)
        return database

    def file(self, path: str, content: Any) -> Path:
        """A JSON file below the data folder."""
        target = self.data / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(json.dumps(content))
        return target

    def tree_session(self, session_id: str, *texts: str, updated: int = T0, **more: Any) -> None:
        """A session of the shared tree: prompts and answers in turn."""
        time = {"created": T0, "updated": updated}
        session = {"id": session_id, "projectID": "prj", "directory": "/home/dev/tree", "title": "From a tree"}
        self.file(f"storage/session/prj/{session_id}.json", {**session, "version": "1.0.1", "time": time, **more})
        for number, text in enumerate(texts):
            self.tree_message(session_id, number, text)

    def tree_message(self, session_id: str, number: int, text: str) -> None:
        """A message of the shared tree."""
        message_id = f"msg_{session_id}_{number:03}"
        role = "assistant" if number % 2 else "user"
        time = {"created": T0 + number * 1000, **({"completed": T0 + number * 1000 + 1} if number % 2 else {})}
        part = {"id": "prt_1", "messageID": message_id, "type": "text", "text": text}
        self.file(f"storage/part/{message_id}/prt_1.json", part)
        self.file(f"storage/message/{session_id}/{message_id}.json", {"id": message_id, "role": role, "time": time})

    def close(self) -> None:
        """Close every database."""
        for database in self._open:
            database.close()


def text(words: str, **more: Any) -> dict[str, Any]:
    """A part that is text."""
    return {"type": "text", "text": words, **more}


def tool(call_id: str, name: str, status: str = "completed", **state: Any) -> dict[str, Any]:
    """A part of 1.x that is a tool call."""
    return {
        "type": "tool",
        "callID": call_id,
        "tool": name,
        "state": {"status": status, "input": {"q": call_id}, **state},
    }


class Kit:
    """The helpers and schemas, as one fixture."""

    text = staticmethod(text)
    tool = staticmethod(tool)
    first, second, ancestor = FIRST, SECOND, ANCESTOR
    start_ms = T0


@pytest.fixture
def store(tmp_path: Path) -> Any:
    """An empty data folder, closed at the end."""
    store = Store(tmp_path / "home")
    yield store
    store.close()


@pytest.fixture
def kit() -> type[Kit]:
    """Builders of parts."""
    return Kit


@pytest.fixture
def opencode(make_importer: Callable[..., Any]) -> Callable[..., Any]:
    """Makes importers of a data folder that have read nothing yet. `now` is the clock, long after by default."""

    def make(
        store: Store,
        *extra: Path,
        environ: Mapping[str, str] | None = None,
        now: Callable[[], float] = lambda: LATER,
    ) -> Any:
        env = SourceEnvironment(home=store.home, environ=environ or {}, extra_roots=extra)
        return make_importer(OpenCodeSource(now=now), env)

    return make


@pytest.fixture
def make_store(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Store]:
    """Makes empty data folders, for tests that need many."""
    return lambda: Store(tmp_path_factory.mktemp("home"))
