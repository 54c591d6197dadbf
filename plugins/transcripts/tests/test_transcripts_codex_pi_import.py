"""Codex and Pi through the importing service into a store: what is stored does not depend on when it was read."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from starweaver_host.conformance.context import ManualClock
from starweaver_host.conformance.memory_store import MemorySessionStore
from starweaver_host.contract.records import AccessScope
from starweaver_host.contract.store import RunListQuery
from starweaver_host.runtime import inline_offload
from starweaver_host.services.importing import ImportService
from starweaver_host.services.importing_survey import ConfiguredSource
from starweaver_transcripts.codex import CodexSource
from starweaver_transcripts.pi import PiSource

SOURCES = {"codex": CodexSource, "pi": PiSource}


class Imports:
    """A store and what is imported into it from one folder."""

    def __init__(self, source: Any, env: Any) -> None:
        clock = ManualClock()
        self.store = MemorySessionStore(clock=clock)
        self._service = ImportService(
            self.store, [ConfiguredSource(source, env)], clock=clock, offload=inline_offload, batch_bytes=2000
        )

    async def run(self) -> Any:
        """Import what is new and give the one root's report."""
        return next(root for root in (await self._service.run()).roots if root.exists)

    async def content(self, ids: list[str]) -> list[Any]:
        """Sessions, events and runs, without what only tells when they were written."""
        found = []
        for session in await self.store.get_sessions(AccessScope(), ids):
            key = session.header.session_id
            window = await self.store.read_events(AccessScope(), key)
            runs = await self.store.list_runs(AccessScope(), key, RunListQuery(limit=50))
            found.append((session.header, session.title, session.counts, session.updated_at, window.events, runs.runs))
        return found


@pytest.fixture
def imports(environment: Callable[..., Any]) -> Callable[..., Imports]:
    """Makes an import of a folder."""
    return lambda name, folder: Imports(SOURCES[name](), environment(folder))


def _fixtures(name: str) -> list[Path]:
    return sorted((Path(__file__).parent / name / "fixtures").glob("*.jsonl"))


def _ids(name: str, folder: Path, environment: Callable[..., Any]) -> list[str]:
    source, env = SOURCES[name](), environment(folder)
    items = [item for root in source.roots(env) if root.exists for item in source.items(env, root)]
    steps = [step for item in items for step in source.read(env, item, None)]
    return sorted({step.header.session_id for step in steps if hasattr(step, "header")})


@pytest.mark.parametrize("name", SOURCES)
def test_importing_twice_stores_the_same_once(
    name: str, tmp_path: Path, imports: Any, environment: Callable[..., Any]
) -> None:
    """A second import finds everything unchanged and reads nothing."""
    folder = tmp_path / "files"
    shutil.copytree(Path(__file__).parent / name / "fixtures", folder)
    ids = _ids(name, folder, environment)
    target = imports(name, folder)

    async def both() -> None:
        first = await target.run()
        stored = await target.content(ids)
        second = await target.run()

        assert (first.imported, first.unreadable) == (len(_fixtures(name)), ())
        assert (second.imported, second.unchanged) == (0, len(_fixtures(name)))
        assert await target.content(ids) == stored
        assert len(stored) == len(ids) == len(_fixtures(name))

    asyncio.run(both())


@pytest.mark.parametrize("name", SOURCES)
def test_files_that_grow_between_imports_store_what_one_import_does(
    name: str, tmp_path: Path, imports: Any, environment: Callable[..., Any]
) -> None:
    """Every file is met as its first third, then two thirds, then whole."""
    folder, whole = tmp_path / "growing", tmp_path / "whole"
    shutil.copytree(Path(__file__).parent / name / "fixtures", whole)
    folder.mkdir()
    ids = _ids(name, whole, environment)
    grown, at_once = imports(name, folder), imports(name, whole)

    async def compare() -> None:
        for part in (1, 2, 3):
            for path in _fixtures(name):
                data = path.read_bytes()
                (folder / path.name).write_bytes(data[: len(data) * part // 3])
            report = await grown.run()
            assert (report.unreadable, report.rewritten) == ((), 0)
        await at_once.run()

        assert await grown.content(ids) == await at_once.content(ids)

    asyncio.run(compare())


@pytest.mark.parametrize(("name", "kind"), [("codex", "CodexSource"), ("pi", "PiSource")])
def test_listing_items_does_not_import_what_reads_them(name: str, kind: str, tmp_path: Path) -> None:
    """A refresh that finds nothing new pays neither for decoders nor for SQLite."""
    shutil.copytree(Path(__file__).parent / name / "fixtures", tmp_path / "files")
    script = f"""
import sys
from pathlib import Path
from starweaver_host.contract.transcripts import SourceEnvironment
from starweaver_transcripts.{name} import {kind}
root = Path(sys.argv[1])
source, env = {kind}(), SourceEnvironment(home=root, environ={{}}, extra_roots=(root,))
assert [item for each in source.roots(env) if each.exists for item in source.items(env, each)]
heavy = ("rows", "reader", "session", "rollout", "subprocess", "sqlite3", "hashlib")
print([module for module in sys.modules if module.rpartition(".")[2] in heavy])
"""
    done = subprocess.run(
        [sys.executable, "-I", "-c", script, str(tmp_path / "files")], capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == "[]"
