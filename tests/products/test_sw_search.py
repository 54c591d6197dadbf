"""`sw session search` end to end: real transcripts, real store, real processes."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Home = Any
SEARCH = ("session", "search")


def ids(page: Any) -> list[str]:
    return [hit["session"]["sessionId"] for hit in page["hits"]]


def test_first_search_imports_and_answers(two_sessions: Home) -> None:
    """The very first command a person types does the job, newest match first."""
    page = two_sessions.sw(*SEARCH, "refresh", "--output", "json", "--sort", "updated_desc").json()

    assert ids(page) == ["claude-code:s-two", "claude-code:s-one"]
    assert page["coverage"]["state"] == "complete"
    assert page["nextCursor"] is None


def test_cursor_pages_through_runs_without_repeating(two_sessions: Home) -> None:
    """`--after` goes on where the page ended; the cursor is opaque and begins with its version."""
    flags = ("--source", "run_input", "--granularity", "run", "--limit", "1", "--output", "json")
    first = two_sessions.sw(*SEARCH, "refresh", *flags).json()
    second = two_sessions.sw(*SEARCH, "refresh", *flags, "--after", first["nextCursor"]).json()

    assert first["nextCursor"].startswith("ssc1.")
    assert {hit["source"] for hit in first["hits"] + second["hits"]} == {"run_input"}
    assert sorted(ids(first) + ids(second)) == ["claude-code:s-one", "claude-code:s-two"]
    assert second["nextCursor"] is None


def test_cursor_of_another_query_is_refused(two_sessions: Home) -> None:
    """A cursor belongs to its query; another one gets exit status 2 and one JSON object."""
    page = two_sessions.sw(*SEARCH, "refresh", "--limit", "1", "--output", "json").json()

    ran = two_sessions.sw(*SEARCH, "token", "--after", page["nextCursor"], "--output", "json")

    assert ran.status == 2
    assert '"code": "invalid_cursor"' in ran.err
    assert ran.out == ""


@pytest.mark.parametrize("needle", ["[value]*", "--hidden-option", "REFRESH FAILS", "in the   log"])
def test_needle_is_a_literal_after_the_separator(two_sessions: Home, needle: str) -> None:
    """Regex and option characters mean nothing; letter case and white space fold."""
    page = two_sessions.sw(*SEARCH, "--output", "json", "--", needle).json()

    assert ids(page) == ["claude-code:s-two"]


def test_text_output_shows_identity_mark_and_resume(two_sessions: Home) -> None:
    """A person sees who said it, where, with the match marked and how to go on."""
    ran = two_sessions.sw(*SEARCH, "rotated")

    assert ran.status == 0
    assert "local/claude-code:s-one run " in ran.out
    assert "«rotated»" in ran.out
    assert "claude --resume s-one" in ran.out


def test_jsonl_ends_with_a_trailer(two_sessions: Home) -> None:
    """One hit a line, then cursor and coverage."""
    *hits, trailer = two_sessions.sw(*SEARCH, "refresh", "--output", "jsonl").lines()

    assert len(hits) == 2
    assert trailer["type"] == "session_search_page"
    assert trailer["nextCursor"] is None
    assert trailer["coverage"]["state"] == "complete"


def test_no_match_is_status_zero(two_sessions: Home) -> None:
    """Nothing found with complete coverage is an answer."""
    ran = two_sessions.sw(*SEARCH, "no such words")

    assert (ran.status, ran.out) == (0, "")
    assert "no matches" in ran.err


def test_workspace_dot_is_the_current_directory(home: Home, tmp_path: Path) -> None:
    """`--workspace .` finds the sessions of this directory; with a slash, those below as well."""
    here = tmp_path / "project"
    (here / "sub").mkdir(parents=True)
    home.claude("s-here", ("needle here", "ok"), cwd=str(here))
    home.claude("s-below", ("needle below", "ok"), cwd=str(here / "sub"))
    home.claude("s-beside", ("needle beside", "ok"), cwd=str(here) + "-other")

    exact = home.sw(*SEARCH, "needle", "--workspace", ".", "--output", "json", cwd=here).json()
    below = home.sw(*SEARCH, "needle", "--workspace", "./", "--output", "json", cwd=here).json()

    assert ids(exact) == ["claude-code:s-here"]
    assert set(ids(below)) == {"claude-code:s-here", "claude-code:s-below"}


def test_filters_of_agent_role_and_time_narrow(two_sessions: Home) -> None:
    """Who wrote the transcript, who spoke, and when."""
    sw = two_sessions.sw
    assert ids(sw(*SEARCH, "refresh", "--agent", "codex", "--output", "json").json()) == []
    assert ids(sw(*SEARCH, "token", "--role", "assistant", "--output", "json").json()) == ["claude-code:s-one"]
    since = sw(*SEARCH, "refresh", "--since", "2026-10-02", "--output", "json").json()
    until = sw(*SEARCH, "refresh", "--until", "2026-10-02", "--output", "json").json()
    assert ids(since) == ["claude-code:s-two"]
    assert ids(until) == ["claude-code:s-one"]


def test_subagent_is_folded_under_its_root(home: Home) -> None:
    """A hit in a subagent shows the root session and names the subagent; a flag unfolds it."""
    home.claude("s-root", ("please investigate", "I sent somebody."))
    home.claude("a1b2c3", ("look for zebra stripes", "zebra found"), subagent_of="s-root")

    folded = home.sw(*SEARCH, "zebra", "--output", "json").json()
    unfolded = home.sw(*SEARCH, "zebra", "--include-subagents", "--output", "json").json()

    assert ids(folded) == ["claude-code:s-root"]
    assert folded["hits"][0]["location"]["sessionId"] != "claude-code:s-root"
    assert ids(unfolded) == [folded["hits"][0]["location"]["sessionId"]]


def test_context_prints_messages_around_the_hit(home: Home) -> None:
    """`--context N` shows what was said before and after."""
    home.claude("s-talk", ("first question", "first answer"), ("the needle", "middle"), ("third question", "end"))

    out = home.sw(*SEARCH, "the needle", "--source", "run_input", "--context", "1").out

    assert "| assistant: first answer" in out
    assert "| assistant: middle" in out
    assert "third question" not in out


def test_search_changes_nothing(two_sessions: Home, settled: Callable[[Home], Home]) -> None:
    """Searching never resumes, edits or touches a session: the store's rows are what they were."""
    settled(two_sessions)

    def dump() -> str:
        with sqlite3.connect(f"file:{two_sessions.database}?mode=ro", uri=True) as database:
            return hashlib.sha256("\n".join(database.iterdump()).encode()).hexdigest()

    before = dump()
    two_sessions.sw(*SEARCH, "refresh")
    two_sessions.sw(*SEARCH, "refresh", "--limit", "1", "--output", "json")

    assert dump() == before


def test_piped_refresh_that_is_cut_makes_the_page_partial(two_sessions: Home) -> None:
    """Bounded when piped; what was not read is said, and an empty page is not called `no matches`."""
    two_sessions.configure("[sources]\npiped_seconds = 0.0\n")

    page = two_sessions.sw(*SEARCH, "refresh", "--output", "json").json()
    text = two_sessions.sw(*SEARCH, "refresh")

    assert page["coverage"]["state"] == "partial"
    assert [warning["kind"] for warning in page["coverage"]["warnings"]] == ["limit_reached"]
    assert "no matches" not in text.err
    assert "sw session import" in text.err


def test_refresh_can_be_switched_off(two_sessions: Home) -> None:
    """With `--no-refresh` or `refresh = "never"` the store is read as it stands."""
    two_sessions.sw("session", "import")
    two_sessions.claude("s-three", ("refresh again", "ok"), day=3)

    without = two_sessions.sw(*SEARCH, "refresh again", "--no-refresh", "--output", "json").json()
    two_sessions.configure('[sources]\nrefresh = "never"\n')
    never = two_sessions.sw(*SEARCH, "refresh again", "--output", "json").json()
    asked = two_sessions.sw(*SEARCH, "refresh again", "--refresh", "--output", "json").json()

    assert (ids(without), ids(never), ids(asked)) == ([], [], ["claude-code:s-three"])


def test_machine_without_transcripts_searches_the_examples(home: Home) -> None:
    """The bundled examples answer, from a store of their own, and say so."""
    ran = home.sw(*SEARCH, "oauth refresh")

    assert ran.status == 0
    assert "«OAuth refresh»" in ran.out
    assert "bundled examples" in ran.err
    with sqlite3.connect(f"file:{home.database}?mode=ro", uri=True) as database:
        assert database.execute("SELECT count(*) FROM sessions").fetchone() == (0,)


def test_session_of_the_examples_can_be_shown_and_replayed(home: Home) -> None:
    """An id that a search over the examples printed is known to the commands that read, in any order of commands."""
    listed = home.sw("session", "list", "--output", "json")
    found = ids(home.sw(*SEARCH, "oauth refresh", "--output", "json").json())
    shown = home.sw("session", "show", found[0], "--output", "json")
    replayed = home.sw("session", "replay", found[0], "--output", "json")

    assert found[0] in {each["header"]["sessionId"] for each in listed.json()["sessions"]}
    assert (shown.status, shown.json()["session"]["header"]["sessionId"]) == (0, found[0])
    assert replayed.json()["messages"]
    assert all("bundled examples" in ran.err for ran in (listed, shown, replayed))
    assert home.sw("session", "show", "no-such").status == 3


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (("x", "--mode", "terms"), 4),
        (("x" * 5000,), 2),
        (("x", "--after", "ssc1.broken"), 2),
        (("x", "--limit", "0"), 2),
        (("x", "--session", "no-such"), 3),
        (("x", "--since", "whenever"), 2),
    ],
)
def test_request_that_cannot_be_served_has_its_exit_status(
    two_sessions: Home, arguments: tuple[str, ...], status: int
) -> None:
    """2 usage, 3 not found, 4 unsupported; the reason on standard error, nothing on standard output."""
    ran = two_sessions.sw(*SEARCH, *arguments)

    assert ran.status == status
    assert ran.out == ""
    assert ran.err
    assert "Traceback" not in ran.err


def test_default_limit_follows_the_provider(two_sessions: Home) -> None:
    """A provider that allows small pages makes the default small, not the search an error."""
    two_sessions.configure("[search]\nmax_page_size = 1\n")

    assert len(two_sessions.sw(*SEARCH, "refresh", "--output", "json").json()["hits"]) == 1
    assert two_sessions.sw(*SEARCH, "refresh", "--limit", "2").status == 2


def test_agent_nobody_reads_is_told(two_sessions: Home) -> None:
    """A misspelt agent finds nothing and says that it is not known."""
    ran = two_sessions.sw(*SEARCH, "refresh", "--agent", "claud")

    assert (ran.status, ran.out) == (0, "")
    assert "'claud'" in ran.err
    assert "claude-code" in ran.err
