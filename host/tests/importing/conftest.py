"""A small transcript source over real files, and an import service around the reference store.

A file holds one JSON array a line: `["say", session, text]`, `["title", session, title]`, `["point"]`, `["bad"]`,
`["fail"]` (the reader gives up), `["bug"]` (the reader breaks), `["wait"]` (the reader waits for `gate`),
`["open"]` (the item is not complete). Its state is the number of bytes it has read and the sessions it has named.
"""

from __future__ import annotations

import asyncio
import json
import os
import threading
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest

from starweaver_host.conformance.context import ManualClock
from starweaver_host.conformance.memory_store import MemorySessionStore
from starweaver_host.contract.errors import SourceError
from starweaver_host.contract.events import TextBlock, TurnStart, UserMessage, new_event
from starweaver_host.contract.records import LOCAL_NAMESPACE, AccessScope, SessionHeader
from starweaver_host.contract.transcripts import (
    EventsRead,
    ItemDone,
    ReadPoint,
    ReadStep,
    RecordSkipped,
    SessionSeen,
    SourceEnvironment,
    SourceItem,
    SourceRoot,
)
from starweaver_host.services.importing import ImportService
from starweaver_host.services.importing_survey import ConfiguredSource


class NotesSource:
    """Reads the files described above. `reads` holds (name, offset) of every reading, in order."""

    name = "notes"

    def __init__(self) -> None:
        self.reader_version = 1
        self.reads: list[tuple[str, int]] = []
        self.refuses_listing = False
        self.always_appends = False
        self.waiting, self.gate = threading.Event(), threading.Event()

    def roots(self, env: SourceEnvironment) -> list[SourceRoot]:
        return [SourceRoot(path=path, exists=path.is_dir(), reason="configured") for path in env.extra_roots]

    def items(self, env: SourceEnvironment, root: SourceRoot) -> Iterator[SourceItem]:
        if self.refuses_listing:
            raise SourceError("folder cannot be listed")
        for path in root.path.glob("*.notes"):
            found = path.stat()
            yield SourceItem(
                key=str(path),
                path=path,
                fingerprint=f"{found.st_size}:{found.st_mtime_ns}",
                newest=found.st_mtime_ns // 1000,
                size_bytes=found.st_size,
            )

    def read(self, env: SourceEnvironment, item: SourceItem, state: bytes | None) -> Iterator[ReadStep]:
        data = item.path.read_bytes()
        memory = json.loads(state) if state is not None else {"offset": 0, "head": "", "named": []}
        if not data.decode().startswith(memory["head"]):
            memory = {"offset": 0, "head": "", "named": []}
        self.reads.append((item.path.name, memory["offset"]))
        for line in data[memory["offset"] :].splitlines(keepends=True):
            memory["offset"] += len(line)
            memory["head"] = data[: memory["offset"]].decode()
            yield from self._steps(json.loads(line), memory)
        yield ItemDone(state=json.dumps(memory).encode(), complete=b'["open"]' not in data)

    def _steps(self, row: list[str], memory: dict[str, Any]) -> Iterator[ReadStep]:
        match row:
            case ["say", session, text]:
                yield self._seen(session, memory, None)
                yield EventsRead(events=tuple(_turn(session, text, memory)))
            case ["title", session, title]:
                yield self._seen(session, memory, title)
            case ["point"]:
                yield ReadPoint(state=json.dumps(memory).encode())
            case ["bad"]:
                yield RecordSkipped(where="somewhere", reason="bad")
            case ["fail"]:
                raise SourceError("file cannot be read")
            case ["bug"]:
                raise KeyError("bug")
            case ["wait"]:
                self.waiting.set()
                self.gate.wait(10)

    def _seen(self, session: str, memory: dict[str, Any], title: str | None) -> SessionSeen:
        mode = "append" if session in memory["named"] or self.always_appends else "replace"
        memory["named"].append(session)
        header = SessionHeader(namespace_id=LOCAL_NAMESPACE, session_id=f"notes:{session}", created_at=1_000_000)
        source = None if title is None else "source"
        return SessionSeen(header=header, mode=mode, title=title, title_source=source)

    def resume_command(self, native_id: str, cwd: str | None) -> str | None:
        return None


def _turn(session: str, text: str, memory: dict[str, Any]) -> Iterator[Any]:
    turn = memory[f"turn {session}"] = memory.get(f"turn {session}", 0) + 1
    yield new_event(TurnStart(turn=turn), time=turn, run_id=f"turn-{turn}")
    yield new_event(UserMessage(content=(TextBlock(text=text),)), time=turn, run_id=f"turn-{turn}")


async def inline(function: Callable[..., Any], /, *args: Any) -> Any:
    return function(*args)


class Desk:
    """A folder of notes, a store, and what a test asks of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.source = NotesSource()
        self.clock = ManualClock()
        self.store: Any = MemorySessionStore(self.clock)
        self.roots = (folder,)
        self.batch_bytes = 4 << 20
        self.offload: Any = inline

    def write(self, name: str, *rows: list[str], age: int = 0, folder: Path | None = None) -> Path:
        """Write a file; `age` in seconds makes it older than others."""
        path = (folder or self.folder) / f"{name}.notes"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        os.utime(path, (1_700_000_000 - age, 1_700_000_000 - age))
        return path

    def extend(self, name: str, *rows: list[str]) -> None:
        """Append rows; the file becomes the newest."""
        path = self.folder / f"{name}.notes"
        with path.open("a") as handle:
            handle.write("".join(json.dumps(row) + "\n" for row in rows))
        os.utime(path, (1_700_001_000, 1_700_001_000))

    def service(self) -> ImportService:
        env = SourceEnvironment(home=self.folder, environ={}, extra_roots=self.roots)
        return ImportService(
            self.store,
            [ConfiguredSource(self.source, env)],
            clock=self.clock,
            offload=self.offload,
            batch_bytes=self.batch_bytes,
        )

    def run(self, **options: Any) -> Any:
        """Import; returns the report."""
        return asyncio.run(self.service().run(**options))

    def root(self, **options: Any) -> Any:
        """Import; returns the report of the first root."""
        return self.run(**options).roots[0]

    def wait(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run(work)

    def texts(self, session: str) -> list[str]:
        """What was said in a session, as the store holds it."""
        window = self.wait(self.store.read_events(AccessScope(), f"notes:{session}"))
        payloads = [event.payload() for event in window.events]
        return [payload.content[0].text for payload in payloads if isinstance(payload, UserMessage)]

    def session(self, session: str, *, deleted: bool = False) -> Any:
        return self.wait(self.store.get_session(AccessScope(include_deleted=deleted), f"notes:{session}"))


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    folder = tmp_path / "notes"
    folder.mkdir()
    return Desk(folder)
