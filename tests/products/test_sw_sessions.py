"""Listing, showing, replaying, renaming, archiving and deleting sessions."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from starweaver_host.contract.records import AccessScope
from starweaver_host.testing import provider_context
from starweaver_sqlite_store.config import SqliteStoreConfig
from starweaver_sqlite_store.plugin import open_sqlite_store

Home = Any


def listed(home: Home, *flags: str) -> list[str]:
    page = home.sw("session", "list", "--output", "json", *flags).json()
    return [session["header"]["sessionId"] for session in page["sessions"]]


def test_list_is_newest_first_and_pages(two_sessions: Home) -> None:
    """A token goes on where the page ended."""
    two_sessions.sw("session", "import")
    first = two_sessions.sw("session", "list", "--limit", "1", "--output", "json").json()

    assert [each["header"]["sessionId"] for each in first["sessions"]] == ["claude-code:s-two"]
    assert listed(two_sessions, "--limit", "1", "--after", first["after"]) == ["claude-code:s-one"]


def test_show_accepts_a_unique_prefix_or_the_native_id(two_sessions: Home) -> None:
    """People type as little as tells sessions apart; an ambiguous prefix lists what it could be."""
    two_sessions.sw("session", "import")

    by_native = two_sessions.sw("session", "show", "s-one", "--output", "json").json()
    ambiguous = two_sessions.sw("session", "show", "claude-code:s-")

    assert by_native["session"]["header"]["sessionId"] == "claude-code:s-one"
    assert [run["status"] for run in by_native["runs"]] == ["completed"]
    assert ambiguous.status == 2
    assert "claude-code:s-one" in ambiguous.err
    assert two_sessions.sw("session", "show", "nobody").status == 3


def test_replay_prints_what_was_said_in_order(home: Home) -> None:
    """Prompts and answers, oldest first; `--after` skips what was seen, `--run` picks one turn."""
    home.claude("s-talk", ("one", "first"), ("two", "second"))
    home.sw("session", "import")

    messages = home.sw("session", "replay", "s-talk", "--output", "json").json()["messages"]
    rest = home.sw("session", "replay", "s-talk", "--after", str(messages[1]["sequence"]), "--output", "jsonl").lines()
    turn = home.sw("session", "replay", "s-talk", "--run", messages[2]["runId"], "--output", "json").json()["messages"]

    assert [(each["role"], each["text"]) for each in messages] == [
        ("user", "one"),
        ("assistant", "first"),
        ("user", "two"),
        ("assistant", "second"),
    ]
    assert [each.get("text") for each in rest] == ["two", "second", None]
    assert [each["text"] for each in turn] == ["two", "second"]
    assert home.sw("session", "replay", "s-talk", "--run", "nope").status == 3


def test_title_of_a_person_survives_the_next_import(home: Home) -> None:
    """Renaming wins over the transcript, also when the transcript goes on."""
    home.claude("s-talk", ("one", "first"))
    home.sw("session", "import")

    assert home.sw("session", "rename", "s-talk", "My own words").status == 0
    home.claude("s-talk", ("one", "first"), ("two", "second"))
    home.sw("session", "import")

    session = home.sw("session", "show", "s-talk", "--output", "json").json()["session"]
    assert session["title"] == "My own words"
    assert session["counts"]["messages"] == 4


def test_rename_against_an_old_revision_is_a_conflict(two_sessions: Home) -> None:
    """`--expected-revision` protects an edit; exit status 6."""
    two_sessions.sw("session", "import")
    two_sessions.sw("session", "rename", "s-one", "first")

    ran = two_sessions.sw("session", "rename", "s-one", "second", "--expected-revision", "1", "--output", "json")

    assert ran.status == 6
    assert '"code": "conflict"' in ran.err


def test_archived_session_is_found_by_status(two_sessions: Home) -> None:
    """Archiving keeps a session searchable and can be undone."""
    two_sessions.sw("session", "import")
    two_sessions.sw("session", "archive", "s-one")

    assert listed(two_sessions, "--status", "archived") == ["claude-code:s-one"]
    assert two_sessions.sw("session", "search", "rotate", "--output", "json").json()["hits"]
    two_sessions.sw("session", "archive", "s-one", "--undo")
    assert listed(two_sessions, "--status", "archived") == []


def test_deleted_session_stays_deleted(two_sessions: Home) -> None:
    """No search, no list, no import brings it back; its transcript is untouched."""
    transcript = two_sessions.path / ".claude/projects/-src-app/s-one.jsonl"
    before = transcript.read_bytes()
    two_sessions.sw("session", "import")

    refused = two_sessions.sw("session", "delete", "s-one")
    done = two_sessions.sw("session", "delete", "s-one", "--yes")
    transcript.write_bytes(before + b"\n")
    two_sessions.sw("session", "import")

    assert refused.status == 2
    assert done.status == 0
    assert transcript.read_bytes().startswith(before)
    assert listed(two_sessions) == ["claude-code:s-two"]
    assert two_sessions.sw("session", "search", "rotate", "--output", "json").json()["hits"] == []
    assert two_sessions.sw("session", "delete", "s-one", "--yes").status == 0


@pytest.mark.parametrize(
    ("fence", "status", "state"), [("other-1", 6, "deleting"), ("cli-delete-left", 0, "deleted")], ids=["other", "own"]
)
def test_deletion_under_way_is_completed_by_its_own_command_only(
    two_sessions: Home, fence: str, status: int, state: str
) -> None:
    """Another deleter's fence is a conflict and stays; one that this command left behind is taken up."""
    two_sessions.sw("session", "import")
    fenced(two_sessions, "claude-code:s-one", fence)

    ran = two_sessions.sw("session", "delete", "s-one", "--yes", "--output", "json")

    found = two_sessions.sw("session", "show", "s-one", "--output", "json").json()["session"]["fence"]
    assert (ran.status, found["state"], found["fenceId"]) == (status, state, fence)
    assert ('"code": "conflict"' in ran.err) == (status == 6)


def fenced(home: Home, session_id: str, fence: str) -> None:
    """Begin a deletion as another program would."""

    async def begin() -> None:
        async with open_sqlite_store(SqliteStoreConfig(), provider_context(home.database.parent)) as store:
            await store.acquire_fence(
                AccessScope(), session_id, fence_id=fence, requested_by="somebody", expected_revision=None
            )

    asyncio.run(begin())


def test_session_outlives_its_transcript(two_sessions: Home) -> None:
    """What the writing tool deletes is still here."""
    two_sessions.sw("session", "import")
    for transcript in two_sessions.path.glob(".claude/projects/*/*.jsonl"):
        transcript.unlink()

    assert len(two_sessions.sw("session", "search", "refresh", "--output", "json").json()["hits"]) == 2
    assert two_sessions.sw("session", "import").status == 0
    assert len(listed(two_sessions)) == 2
