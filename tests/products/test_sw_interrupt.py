"""Ctrl-C while transcripts are read: what was committed stays, and the command goes on with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from starweaver_host.testing import install_distribution

Home = Any
MODULE = '''
import asyncio, functools, os, signal
from contextlib import asynccontextmanager
from starweaver_host.contract.registration import SessionStoreRegistration, TranscriptSourceRegistration
from starweaver_host.hooks import hookimpl

class WaitingStore:
    """A store that waits for its event loop before a batch is written, as one behind a connection does."""

    def __init__(self, store):
        self._store = store

    def __getattr__(self, name):
        return getattr(self._store, name)

    async def import_batch(self, *args, **kwargs):
        await asyncio.sleep(0)
        return await self._store.import_batch(*args, **kwargs)

@asynccontextmanager
async def open_waiting(config, context):
    from starweaver_sqlite_store.plugin import open_sqlite_store
    async with open_sqlite_store(config, context) as store:
        yield WaitingStore(store)

@asynccontextmanager
async def open_looped(config, context):
    from starweaver_sqlite_store.plugin import open_sqlite_store
    async with open_sqlite_store(config, context) as store:
        yield store

def stopping(_config):
    """The importer of Claude Code, at whose third item somebody presses Ctrl-C."""
    from starweaver_transcripts.claude import ClaudeSource

    class Stopping(ClaudeSource):
        name = "stopping"
        seen = 0

        def read(self, env, item, state):
            Stopping.seen += 1
            if Stopping.seen == 3:
                os.kill(os.getpid(), signal.SIGINT)
            yield from super().read(env, item, state)

    return Stopping()

@hookimpl
def starweaver_session_stores():
    from starweaver_sqlite_store.config import SqliteStoreConfig
    for name, factory in (("waiting", open_waiting), ("looped", open_looped)):
        yield SessionStoreRegistration(
            name=name, summary="waits", contract="1.0", config=SqliteStoreConfig, factory=factory)

@hookimpl
def starweaver_transcript_sources():
    yield TranscriptSourceRegistration(name="stopping", summary="stops", contract="1.0", factory=stopping)
'''
LISTED = 'plugins = ["sqlite-store", "transcripts", "local-search", "acme-stop"]\n'
OTHERS = "".join(
    f"[sources.{name}]\nenabled = false\n" for name in ("claude-code", "codex", "gemini-cli", "opencode", "pi")
)


@pytest.fixture(params=["sqlite", "looped", "waiting"])
def stopped(request: pytest.FixtureRequest, home: Home, tmp_path: Path) -> dict[str, str]:
    """Six sessions, a store (driven without a loop, with one, and one that waits in it), and a source that stops."""
    site = tmp_path / "site"
    install_distribution(site, "acme-stop", plugins={"acme-stop": "acme_stop"}, modules={"acme_stop": MODULE})
    home.configure(f'{LISTED}[store]\nprovider = "{request.param}"\n{OTHERS}')
    for number in range(6):
        home.claude(f"s-{number}", (f"rotate token {number}", "done"), day=1 + number)
    return {"PYTHONPATH": str(site)}


def test_interrupted_refresh_goes_on_with_what_was_read(home: Home, stopped: dict[str, str]) -> None:
    """The search answers from what was committed, tells that it is not everything, and is no failure."""
    ran = home.sw("session", "search", "rotate", "--output", "json", environ=stopped)

    assert ran.status == 0, ran.err
    assert "stopped; what was read is kept" in ran.err
    assert "Traceback" not in ran.err
    page = ran.json()
    assert 2 <= len(page["hits"]) < 6
    assert page["coverage"]["state"] == "partial"


def test_interrupted_import_is_completed_by_the_next(home: Home, stopped: dict[str, str]) -> None:
    """An import that was stopped reports what remains; the next ones read it."""
    first = home.sw("session", "import", "--output", "json", environ=stopped)
    remaining = [sum(root["remaining"] for root in first.json()["roots"])]
    while remaining[-1]:
        ran = home.sw("session", "import", "--output", "json", environ=stopped)
        remaining.append(sum(root["remaining"] for root in ran.json()["roots"]))
        assert remaining[-1] < remaining[-2]

    assert 0 < remaining[0] < 6
    assert len(home.sw("session", "list", "--output", "json", environ=stopped).json()["sessions"]) == 6
