"""Every sample transcript in one SQLite store: no error, the same content twice and in any order of sources."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from typing import Any

import msgspec
import pytest

from starweaver_host.contract.records import AccessScope
from starweaver_host.contract.store import RunListQuery, SessionListQuery, SessionStore
from starweaver_host.contract.transcripts import SourceEnvironment, TranscriptSource
from starweaver_host.runtime import SystemClock, inline_offload
from starweaver_host.services.importing import ImportService
from starweaver_host.services.importing_report import ImportReport
from starweaver_host.services.importing_survey import ConfiguredSource
from starweaver_host.testing import provider_context
from starweaver_sqlite_store.config import SqliteStoreConfig
from starweaver_sqlite_store.plugin import open_sqlite_store
from starweaver_transcripts.plugin import starweaver_transcript_sources

pytestmark = pytest.mark.samples
ROOTS = {
    "claude-code": ("claude",),
    "codex": ("codex",),
    "gemini-cli": ("gemini",),
    "opencode": ("opencode", "opencode/storage_v2", "opencode/storage_legacy"),
    "pi": ("pi",),
}
SESSIONS = {"claude-code": 18, "codex": 17, "gemini-cli": 8, "opencode": 7, "pi": 4}
"""Counted from the files: one per transcript; the compressed Codex rollout is a copy of another one, OpenCode's trees
hold three sessions and its databases four (`SELECT count(*)` over session and session_v2, by distinct id)."""
SCOPE = AccessScope()
Filled = tuple[dict[str, Any], list[ImportReport]]


def sources() -> dict[str, TranscriptSource]:
    return {each.name: each.factory(None) for each in starweaver_transcript_sources()}


def configured(samples: Path, home: Path, order: list[str]) -> list[ConfiguredSource]:
    made = sources()
    return [
        ConfiguredSource(
            made[name],
            SourceEnvironment(home=home, environ={}, extra_roots=tuple(samples / root for root in ROOTS[name])),
        )
        for name in order
    ]


async def imported(store: SessionStore, each: list[ConfiguredSource]) -> list[ImportReport]:
    """Import source by source, in the order given."""
    service = [ImportService(store, [one], clock=SystemClock(), offload=inline_offload) for one in each]
    return [await one.run() for one in service]


async def content(store: SessionStore) -> dict[str, Any]:
    """Everything that does not depend on when and in how many steps it was imported."""
    found: dict[str, Any] = {}
    for session in (await store.list_sessions(SCOPE, SessionListQuery(limit=500))).sessions:
        session_id = session.key.session_id
        plain = msgspec.structs.replace(session, imported_at=None, activity_revision=0, incarnation=0)
        runs = (await store.list_runs(SCOPE, session_id, RunListQuery(limit=500))).runs
        events, at = [], 0
        while window := (await store.read_events(SCOPE, session_id, from_seq=at)).events:
            events += window
            at = window[-1].seq + 1
        found[session_id] = (plain, runs, events)
    return found


def filled(
    samples: Path, folder: Path, order: list[str], *, times: int = 1
) -> tuple[dict[str, Any], list[ImportReport]]:
    async def fill() -> tuple[dict[str, Any], list[ImportReport]]:
        async with open_sqlite_store(SqliteStoreConfig(), provider_context(folder)) as store:
            for _ in range(times):
                reports = await imported(store, configured(samples, folder / "home", order))
            return await content(store), reports

    return asyncio.run(fill())


def test_every_sample_imports_without_an_error(samples: Path, tmp_path: Path) -> None:
    """No root and no item is refused, and the number of sessions per source is the one counted in the files."""
    found, reports = filled(samples, tmp_path, list(ROOTS))

    assert [root.unreadable for report in reports for root in report.roots if root.unreadable] == []
    counted = {name: sum(key.startswith(f"{name}:") for key in found) for name in SESSIONS}
    assert counted == SESSIONS


def test_importing_twice_gives_the_same_content(samples: Path, tmp_path: Path) -> None:
    """A second import reads nothing and changes nothing."""
    once, _ = filled(samples, tmp_path / "once", list(ROOTS))
    twice, reports = filled(samples, tmp_path / "twice", list(ROOTS), times=2)

    assert twice == once
    assert [root.imported for report in reports for root in report.roots if root.imported] == []


def test_importing_in_any_order_gives_the_same_content(samples: Path, tmp_path: Path) -> None:
    """Sources may come in any order."""
    order = list(ROOTS)
    random.Random(5).shuffle(order)

    first, _ = filled(samples, tmp_path / "first", list(ROOTS))
    other, _ = filled(samples, tmp_path / "other", order)

    assert other == first
