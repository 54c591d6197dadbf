"""Importing, sources, doctor, plugins and configuration of the product."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import zlib
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from starweaver_host.testing import install_distribution

Home = Any


KILLING = '''
import os, signal
from starweaver_host.contract.registration import TranscriptSourceRegistration
from starweaver_host.hooks import hookimpl

def killing(_config):
    from starweaver_transcripts.claude import ClaudeSource

    class Killing(ClaudeSource):
        """The importer of Claude Code in a process that is killed at one step of one item."""

        begun = 0

        def read(self, env, item, state):
            self.begun += 1
            for number, step in enumerate(super().read(env, item, state)):
                if f"{self.begun},{number}" == os.environ["ACME_KILL_AT"]:
                    os.kill(os.getpid(), signal.SIGKILL)
                yield step

    return Killing()

@hookimpl
def starweaver_transcript_sources():
    yield TranscriptSourceRegistration(name="claude-code", summary="dies", contract="1.0", factory=killing)
'''
"""A plugin in the place of `transcripts`: the moment of the kill is a place in what is read, not a time."""


def content(home: Home) -> list[Any]:
    """What the store holds of sessions and messages, without times of import."""
    found = []
    for session in home.sw("session", "list", "--limit", "500", "--include-subagents", "--output", "json").json()[
        "sessions"
    ]:
        session_id = session["header"]["sessionId"]
        messages = home.sw("session", "replay", session_id, "--output", "json").json()["messages"]
        found.append((session_id, session["title"], session["counts"], messages))
    return sorted(found)


def test_second_import_reads_nothing(two_sessions: Home) -> None:
    """What is unchanged is not read again; what grew is extended; what was rewritten is read anew."""
    first = two_sessions.sw("session", "import", "--output", "json").json()
    second = two_sessions.sw("session", "import", "--output", "json").json()
    two_sessions.claude("s-one", ("rotate the refresh token", "The token is rotated."), ("more", "said"), day=1)
    third = two_sessions.sw("session", "import", "--output", "json").json()

    def counts(report: Any, name: str) -> int:
        return sum(root[name] for root in report["roots"])

    assert (counts(first, "imported"), counts(first, "unchanged")) == (2, 0)
    assert (counts(second, "imported"), counts(second, "unchanged")) == (0, 2)
    assert (counts(third, "extended") + counts(third, "rewritten"), counts(third, "unchanged")) == (1, 1)


def test_sources_tells_path_counts_and_retention(two_sessions: Home) -> None:
    """Every root with what was found there, and a warning about the writing tool's own deletion."""
    before = two_sessions.sw("sources", "--output", "json").json()
    two_sessions.sw("session", "import")
    text = two_sessions.sw("sources").out

    root = next(each for each in before["roots"] if each["source"] == "claude-code" and each["exists"])
    assert (root["found"], root["remaining"]) == (2, 2)
    assert "30 days" in root["warning"]
    assert "2 found: 2 unchanged" in text
    assert {each["source"] for each in before["roots"]} == {"claude-code", "codex", "gemini-cli", "opencode", "pi"}


def test_import_from_a_given_root_needs_its_source(home: Home, tmp_path: Path) -> None:
    """`--root` looks at one more place with the reader that is named."""
    other = type(home)(tmp_path / "other")
    other.claude("s-far", ("far away", "ok"))
    root = other.path / ".claude"

    assert home.sw("session", "import", "--root", str(root)).status == 2
    assert home.sw("session", "import", "--source", "nobody").status == 2
    assert home.sw("session", "import", "--source", "claude-code", "--root", str(root)).status == 0
    assert [each[0] for each in content(home)] == ["claude-code:s-far"]


def test_killed_import_is_completed_by_the_next(home: Home, tmp_path: Path) -> None:
    """kill -9 in the middle: no half session, and the next import makes the store what one import would have."""
    turns = [(f"question {number} " + "words " * 20, f"answer {number} " + "more " * 20) for number in range(20)]
    for number in range(12):
        home.claude(f"s-{number:02d}", *turns, day=1 + number)
    whole = type(home)(tmp_path / "whole")
    shutil.copytree(home.path / ".claude", whole.path / ".claude")
    whole.sw("session", "import")
    expected = content(whole)
    site = tmp_path / "site"
    install_distribution(site, "acme-kill", plugins={"acme-kill": "acme_kill"}, modules={"acme_kill": KILLING})

    home.configure('plugins = ["sqlite-store", "local-search", "acme-kill"]\n')
    for at in ("1,1", "4,0", "3,2"):  # the item that is read, the step of it that is not handed over any more
        killed = home.sw("session", "import", environ={"PYTHONPATH": str(site), "ACME_KILL_AT": at})
        assert killed.status == -signal.SIGKILL, killed.err
    home.configure("")
    half = content(home)
    assert home.sw("session", "import").status == 0

    assert 0 < len(half) < len(expected)
    assert [each for each in half if each not in expected] == []
    assert content(home) == expected
    assert home.sw("doctor").status == 0


def test_two_imports_at_once_make_one_content(home: Home, tmp_path: Path) -> None:
    """Two processes over the same transcripts neither fail nor double anything."""
    for number in range(30):
        home.claude(f"s-{number:02d}", *[(f"q{number}.{turn}", "a " * 500) for turn in range(20)])

    running = [home.start("session", "import") for _ in range(2)]
    assert [process.wait(timeout=120) for process in running] == [0, 0]

    found = content(home)
    assert len(found) == 30
    assert all(len(messages) == 40 for *_, messages in found)


def test_locked_store_is_unavailable(two_sessions: Home) -> None:
    """Another program holds the write lock: exit status 5 and a hint to try again, no traceback."""
    two_sessions.configure("[store]\nbusy_timeout_ms = 50\n")
    two_sessions.sw("session", "import")
    with sqlite3.connect(two_sessions.database, isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        ran = two_sessions.sw("session", "rename", "s-one", "x", "--output", "json")
        reading = two_sessions.sw("session", "search", "rotate", "--no-refresh", "--output", "json")
        other.execute("ROLLBACK")

    assert ran.status == 5
    assert '"code": "unavailable"' in ran.err
    assert len(reading.json()["hits"]) == 1


@pytest.mark.parametrize("obstacle", ["unavailable", "full"])
def test_search_of_a_store_that_takes_nothing_answers_from_what_it_holds(two_sessions: Home, obstacle: str) -> None:
    """New transcripts that cannot be stored make the page partial, not the search fail."""
    two_sessions.sw("session", "import")
    size = two_sessions.database.stat().st_size
    limit = "busy_timeout_ms = 50" if obstacle == "unavailable" else f"max_size_bytes = {size}"
    two_sessions.configure(f"[store]\n{limit}\n")
    for number in range(20):
        two_sessions.claude(f"s-new-{number}", *[(f"rotate {os.urandom(400).hex()}", "ok")] * 10, day=3)
    with closing(sqlite3.connect(two_sessions.database, isolation_level=None)) as other:
        if obstacle == "unavailable":
            other.execute("BEGIN IMMEDIATE")
        ran = two_sessions.sw("session", "search", "rotate the refresh", "--output", "json")

    assert len(ran.json()["hits"]) == 1
    assert ran.json()["coverage"]["state"] == "partial"
    assert "new transcripts were not read" in ran.err


def test_doctor_finds_open_permissions_and_news(two_sessions: Home) -> None:
    """Findings name the remedy; a problem is exit status 1."""
    two_sessions.sw("session", "import")
    two_sessions.claude("s-new", ("new", "new"))
    folder = two_sessions.database.parent
    folder.chmod(0o755)

    ran = two_sessions.sw("doctor", "--output", "json")

    findings = {(each["level"], each["remedy"]): each["text"] for each in ran.json()["findings"]}
    assert ran.status == 1
    assert ("problem", f"chmod 700 {folder}") in findings
    assert "1 of 3" in findings["warning", "sw session import"]


def test_doctor_reports_a_damaged_store(two_sessions: Home) -> None:
    """Damage is found and told with a remedy, not met as a crash."""
    two_sessions.sw("session", "import")
    with sqlite3.connect(two_sessions.database) as database:
        database.execute("UPDATE segments SET body = x'00'")

    ran = two_sessions.sw("doctor", "--output", "json")

    assert ran.status == 1
    assert any(each["level"] == "problem" and each["about"] == "store" for each in ran.json()["findings"])
    assert "Traceback" not in ran.err


def test_configuration_is_set_kept_and_refused(home: Home) -> None:
    """Comments stay; a key nobody knows and a value that would not start are refused, and nothing is written."""
    home.configure("# mine\n[sources]\nrefresh = 'never' # quiet\n")
    file = home.path / ".config/starweaver/cli.toml"

    assert home.sw("config", "set", "sources.piped_seconds", "1.5").status == 0
    text = file.read_text()
    assert "# mine" in text
    assert "# quiet" in text
    assert home.sw("config", "get", "sources.piped_seconds").out == "1.5\n"
    for key, value in (("sources.pipd_seconds", "1"), ("sources.refresh", "sometimes"), ("store.provider", "oracle")):
        assert home.sw("config", "set", key, value).status == 2
        assert ".cli.toml." not in home.sw("config", "set", key, value).err
    assert file.read_text() == text
    assert [path.name for path in file.parent.iterdir()] == ["cli.toml"]
    assert home.sw("config", "path").out.strip() == str(file)


def test_configuration_behind_a_link_is_changed_there(home: Home) -> None:
    """People keep their settings elsewhere and link to them; the link stays one."""
    home.configure("")
    file = home.path / ".config/starweaver/cli.toml"
    kept = home.path / "dotfiles.toml"
    kept.write_text("# mine\n")
    file.unlink()
    file.symlink_to(kept)

    assert home.sw("config", "set", "sources.refresh", "never").status == 0

    assert file.is_symlink()
    assert kept.read_text().startswith("# mine\n")
    assert "never" in kept.read_text()


def test_configuration_that_cannot_be_written_is_an_error_line(home: Home) -> None:
    """A file where the folder should be is told without a traceback."""
    (home.path / ".config").mkdir(parents=True)
    (home.path / ".config/starweaver").write_text("")

    done = home.sw("config", "set", "sources.refresh", "never")

    assert done.status == 2
    assert "configuration cannot be written" in done.err
    assert "Traceback" not in done.err


def test_bound_of_tool_results_is_configurable(home: Home) -> None:
    """What is kept of a tool's answer is clipped at the configured bound, its size recorded."""
    home.configure("[sources]\ntool_result_max_bytes = 10\n")
    path = home.claude("s-tool", ("run it", "done"))
    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {}}
    answer = {"type": "tool_result", "tool_use_id": "t1", "content": "0123456789abcdef"}
    base = {"sessionId": "s-tool", "cwd": "/src/app", "timestamp": "2026-10-01T10:01:00.000Z", "isSidechain": False}
    message = {"id": "m-t", "role": "assistant", "model": "m", "content": [call], "stop_reason": "tool_use"}
    rows = [
        {**base, "type": "assistant", "uuid": "u-c", "parentUuid": "s-tool-a0", "message": message},
        {**base, "type": "user", "uuid": "u-r", "parentUuid": "u-c", "message": {"role": "user", "content": [answer]}},
    ]
    with path.open("a", encoding="utf-8") as transcript:
        transcript.writelines(json.dumps(row) + "\n" for row in rows)
    home.sw("session", "import")

    with sqlite3.connect(f"file:{home.database}?mode=ro", uri=True) as database:
        bodies = [row[0] for row in database.execute("SELECT body FROM segments")]
    log = b"".join(body if body.startswith(b"[") else zlib.decompress(body) for body in bodies)
    assert b'"text":"0123456789"' in log
    assert b'"sizeBytes":16' in log


def test_unknown_key_names_file_line_and_nearest(home: Home) -> None:
    """A misspelt key stops the start and says where it is and what was probably meant."""
    home.configure("[search]\nprovidr = 'local'\n")

    ran = home.sw("session", "list")

    assert ran.status == 2
    assert "cli.toml:2" in ran.err
    assert "provider" in ran.err


def test_missing_plugin_stops_the_start_with_one_report(home: Home) -> None:
    """Every missing plugin is named with its line; the recovery commands still work."""
    home.configure('plugins = ["sqlite-store", "local-serch", "my-agent"]\n')

    ran = home.sw("session", "search", "x")

    assert ran.status == 2
    assert "2 problems" in ran.err
    assert "local-serch" in ran.err
    assert "my-agent" in ran.err
    assert "Traceback" not in ran.err
    assert home.sw("plugins", "list").status == 0
    assert home.sw("config", "show").status == 0
    assert home.sw("plugins", "check").status == 2


def test_configured_root_that_is_missing_is_shown(two_sessions: Home) -> None:
    """A root that a person named is told also when it is not there."""
    two_sessions.configure('[sources.codex]\nroots = ["/no/such/place"]\n')

    findings = two_sessions.sw("doctor", "--output", "json").json()["findings"]

    assert "/no/such/place" in two_sessions.sw("sources").out
    assert any(each["level"] == "warning" and "/no/such/place" in each["text"] for each in findings)
