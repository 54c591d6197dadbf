"""Damage in a real store: one record that cannot be read hides no other, and `sw doctor --repair` mends what it can."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

import pytest

Home = Any
OF_ONE = "session_id = 'claude-code:s-one'"
DAMAGE = {
    "session": f"UPDATE sessions SET metadata = '{{' WHERE {OF_ONE}",
    "log": f"UPDATE segments SET body = x'00' WHERE {OF_ONE}",
    "search_text": f"UPDATE corpus_chunks SET documents = x'00' WHERE {OF_ONE}",
    "run": f"UPDATE runs SET texts = x'00', texts_codec = 1 WHERE {OF_ONE}",
}


def spoil(home: Home, statement: str) -> None:
    with closing(sqlite3.connect(home.database)) as database:
        database.execute(statement)
        database.commit()


def found(home: Home, *flags: str) -> tuple[list[str], Any]:
    """The sessions a search shows, and its coverage."""
    ran = home.sw("session", "search", "e", "--no-refresh", "--output", "json", *flags)
    assert ran.status == 0, ran.err
    page = ran.json()
    return sorted({hit["session"]["sessionId"] for hit in page["hits"]}), page["coverage"]


@pytest.mark.parametrize("kind", DAMAGE)
def test_search_over_a_damaged_session_finds_the_others(two_sessions: Home, kind: str) -> None:
    """What cannot be read is counted in one warning; the other session is found."""
    two_sessions.sw("session", "import")
    source = "display_message" if kind == "log" else "run_input"
    whole, _ = found(two_sessions, "--source", source)
    spoil(two_sessions, DAMAGE[kind])

    sessions, coverage = found(two_sessions, "--source", source)

    assert sessions == ["claude-code:s-two"]
    assert whole == ["claude-code:s-one", "claude-code:s-two"]
    assert coverage["state"] == "partial"
    assert [warning["kind"] for warning in coverage["warnings"]] == ["malformed_source"]
    assert coverage["warnings"][0]["message"].startswith("1 ")


@pytest.mark.parametrize(
    "statement", [DAMAGE["search_text"], "UPDATE store_meta SET value = x'30' WHERE key = 'fold_version'"]
)
def test_doctor_repairs_search_text(two_sessions: Home, statement: str) -> None:
    """Doctor names its own remedy for search text that is damaged or of another version, and the remedy works."""
    two_sessions.sw("session", "import")
    spoil(two_sessions, statement)
    broken = two_sessions.sw("doctor", "--output", "json")
    stale = found(two_sessions)[1]

    repaired = two_sessions.sw("doctor", "--repair", "--output", "json")

    assert broken.status == 1
    assert "sw doctor --repair" in [each["remedy"] for each in broken.json()["findings"]]
    assert stale["state"] in {"partial", "degraded"}
    assert repaired.status == 0, repaired.out
    sessions, coverage = found(two_sessions)
    assert (sessions, coverage["state"]) == (["claude-code:s-one", "claude-code:s-two"], "complete")
    again = two_sessions.sw("doctor", "--repair").out
    assert "are as the records have them" in again


def test_repair_leaves_a_session_with_a_damaged_log(two_sessions: Home) -> None:
    """What cannot be built again stays, is named, and nothing is deleted."""
    two_sessions.sw("session", "import")
    spoil(two_sessions, DAMAGE["log"])

    ran = two_sessions.sw("doctor", "--repair", "--output", "json")

    problems = [each["text"] for each in ran.json()["findings"] if each["level"] == "problem"]
    assert ran.status == 1
    assert any("claude-code:s-one" in text for text in problems)
    assert "claude-code:s-one" in found(two_sessions, "--source", "run_input")[0]
