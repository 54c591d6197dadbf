"""Claude's transcripts in a store: what a person finds after an import."""

from __future__ import annotations

import asyncio
import os
import shutil
from pathlib import Path

import msgspec
import pytest

from starweaver_host.conformance.context import ManualClock
from starweaver_host.conformance.memory_store import MemorySessionStore
from starweaver_host.contract.records import LOCAL_NAMESPACE, AccessScope
from starweaver_host.contract.store import RunListQuery, SessionListQuery
from starweaver_host.projection.documents import identity_hash
from starweaver_host.services.importing import ImportService
from starweaver_host.services.importing_survey import ConfiguredSource

FIXTURES = Path(__file__).parent / "fixtures"
ORBIT = "claude-code:0a000000-0000-4000-8000-0000000000"
SCOPE = AccessScope()


async def _inline(function, /, *args):
    return function(*args)


class Home:
    """A copy of the fixtures, a store, and imports from one into the other."""

    def __init__(self, folder, environment, source):
        self.projects = folder / "projects"
        shutil.copytree(FIXTURES / "projects", self.projects)
        self._configured = ConfiguredSource(source, environment(folder))
        self.store = MemorySessionStore(ManualClock())

    def run(self):
        """Import; returns the report of the root that exists."""
        service = ImportService(self.store, [self._configured], clock=ManualClock(), offload=_inline)
        return next(root for root in asyncio.run(service.run()).roots if root.exists)

    def path(self, number):
        return self.projects / "-home-dev-orbit" / f"0a000000-0000-4000-8000-{number:012d}.jsonl"

    def sessions(self):
        page = asyncio.run(self.store.list_sessions(SCOPE, SessionListQuery(limit=100)))
        return {session.header.session_id: session for session in page.sessions}

    def runs(self, session_id):
        return asyncio.run(self.store.list_runs(SCOPE, session_id, RunListQuery())).runs

    def content(self):
        """Everything that does not depend on when it was imported."""
        found = {}
        for session_id, session in self.sessions().items():
            window = asyncio.run(self.store.read_events(SCOPE, session_id))
            plain = msgspec.structs.replace(session, imported_at=None, activity_revision=0, incarnation=0)
            found[session_id] = (plain, window.events, self.runs(session_id))
        return found


@pytest.fixture
def home(tmp_path, environment, idle):
    return Home(tmp_path / "claude", environment, idle)


def test_every_fixture_is_imported_once(home):
    """Sessions, subagents and the inline side chain are there; the foreign file and the damage are told."""
    root = home.run()

    assert (root.found, root.imported, root.skipped_records) == (13, 13, 5)
    foreign, damaged = sorted((note.text for note in root.notes), reverse=True)
    assert foreign == "not a transcript of Claude Code"
    assert damaged.startswith("left out line 4 at byte ")
    assert damaged.endswith("and 2 more")
    assert len(home.sessions()) == 13


def test_second_import_changes_nothing(home):
    """An import of unchanged files gives the same content and reads none of them."""
    home.run()
    before = home.content()

    root = home.run()

    assert (root.unchanged, root.found) == (13, 13)
    assert home.content() == before


def test_order_of_import_does_not_matter(home, tmp_path, environment, idle):
    """Whichever file is the newest, the content is the same."""
    other = Home(tmp_path / "other", environment, idle)
    for number, path in enumerate(sorted(other.projects.rglob("*.jsonl"))):
        os.utime(path, (1_700_000_000 + number * 100, 1_700_000_000 + number * 100))
    for number, path in enumerate(sorted(home.projects.rglob("*.jsonl"))):
        os.utime(path, (1_700_000_000 - number * 100, 1_700_000_000 - number * 100))

    home.run()
    other.run()

    assert home.content() == other.content()


def test_growing_file_is_extended(home):
    """What was appended to a transcript is appended to its session."""
    path = home.path(3)
    data = path.read_bytes()
    path.write_bytes(b"".join(data.splitlines(keepends=True)[:5]))
    home.run()
    with path.open("ab") as handle:
        handle.write(b"".join(data.splitlines(keepends=True)[5:]))

    root = home.run()

    assert (root.extended, root.rewritten) == (1, 0)
    assert home.sessions()[f"{ORBIT}03"].incarnation == 0
    assert [run.status for run in home.runs(f"{ORBIT}03")] == ["completed"] * 4


def test_runs_carry_prompt_answer_and_end(home):
    """A run's input is what the person typed, its preview the last answer, its error the transcript's."""
    home.run()
    first, second, third, fourth = home.runs(f"{ORBIT}05")

    assert [part.text for part in first.input] == ["Count the moons"]
    assert (first.status, first.terminal_error.message) == ("failed", "API Error: 529 overloaded")
    assert second.status == "cancelled"
    assert (third.status, third.output_preview) == ("completed", "Nearly: there are eigh")
    assert (fourth.status, fourth.trigger) == ("cancelled", "import")


def test_copied_messages_belong_to_the_earlier_session(home):
    """A message that a resume copied is attributed to the session that had it first."""
    home.run()
    shared = identity_hash("5a5a0000-0000-4000-8000-000000000300")

    (attribution,) = asyncio.run(home.store.attribute(SCOPE, [shared]))

    assert set(attribution.session_ids) == {f"{ORBIT}03", f"{ORBIT}08"}


def test_subagents_hang_under_their_session(home):
    """Every subagent's root is the session that sent it."""
    home.run()

    children = {key: value for key, value in home.sessions().items() if value.header.parent_session_id}

    assert {value.root_session_id for value in children.values()} == {f"{ORBIT}01", f"{ORBIT}07"}
    assert len(children) == 4


def test_newer_copy_in_another_project_is_the_transcript(home):
    """A session whose file was taken along to another folder is stored once, from the newest file."""
    copy = home.projects / "-home-dev-elsewhere" / home.path(6).name
    copy.parent.mkdir()
    copy.write_bytes(b"".join(home.path(6).read_bytes().splitlines(keepends=True)[:3]))
    os.utime(home.path(6), (1_700_000_000, 1_700_000_000))
    os.utime(copy, (1_700_000_100, 1_700_000_100))

    home.run()

    assert home.sessions()[f"{ORBIT}06"].title == "Name this session"
    assert all(session.header.namespace_id == LOCAL_NAMESPACE for session in home.sessions().values())
