"""Every form OpenCode kept sessions in is understood, and of several copies of a session the right one is read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest


def test_project_tree_is_understood(store: Any, opencode: Any) -> None:
    """The earliest trees: one per project, sessions under `info`, parts below session and message."""
    base = "project/app/storage/session"
    store.file(f"{base}/info/ses_a.json", {"id": "ses_a", "title": "Early", "version": "0.3", "time": {"created": 5}})
    store.file(f"{base}/message/ses_a/msg_1.json", {"id": "msg_1", "role": "user", "time": {"created": 10}})
    answer = {"id": "msg_2", "role": "assistant", "time": {"created": 20, "completed": 30}, "path": {"cwd": "/srv/app"}}
    store.file(f"{base}/message/ses_a/msg_2.json", answer)
    store.file(f"{base}/part/ses_a/msg_1/prt_1.json", {"type": "text", "text": "ask"})
    store.file(f"{base}/part/ses_a/msg_2/prt_2.json", {"type": "text", "text": "answer"})
    session = opencode(store).refresh().only
    assert session.current() == ["ask", "answer"]
    assert (session.seen.header.session_id, session.seen.header.cwd) == ("opencode:ses_a", "/srv/app")


def test_message_with_parts_inside_is_understood(store: Any, opencode: Any) -> None:
    """The earliest messages hold their parts, and tool calls of their own form."""
    base = "project/app/storage/session"
    store.file(f"{base}/info/ses_a.json", {"id": "ses_a", "title": "Early", "version": "0.1", "time": {"created": 5}})
    called = {"state": "result", "toolCallId": "c1", "toolName": "bash", "args": {"command": "ls"}, "result": "a b"}
    parts = [{"type": "text", "text": "listing"}, {"type": "tool-invocation", "toolInvocation": called}]
    metadata = {"time": {"created": 20, "completed": 30}, "sessionID": "ses_a"}
    store.file(
        f"{base}/message/ses_a/msg_1.json", {"id": "msg_1", "role": "assistant", "parts": parts, "metadata": metadata}
    )
    session = opencode(store).refresh().only
    assert session.current() == ["listing", "a b"]
    assert [(call.name, call.arguments) for call in session.of("tool/call")] == [("bash", '{"command":"ls"}')]


def test_shared_tree_is_understood(store: Any, opencode: Any) -> None:
    """The tree of 1.0: sessions by project, messages by session, parts by message."""
    store.tree_session("ses_a", "ask", "answer")
    session = opencode(store).refresh().only
    assert session.current() == ["ask", "answer"]
    header = session.seen.header
    assert (header.cwd, header.external.agent_version) == ("/home/dev/tree", "1.0.1")
    assert (session.seen.title, session.seen.title_source) == ("From a tree", "source")


def test_loose_parts_are_found_by_their_message(store: Any, opencode: Any) -> None:
    """Parts that lie in no folder are found by the message they name."""
    store.tree_session("ses_a")
    store.file("storage/message/ses_a/msg_1.json", {"id": "m_1", "role": "user", "time": {"created": 10}})
    store.file("storage/part/prt_1.json", {"id": "prt_1", "messageID": "m_1", "type": "text", "text": "loose"})
    assert opencode(store).refresh().only.current() == ["loose"]


def test_first_tables_are_understood(store: Any, opencode: Any, kit: Any) -> None:
    """The tables of 1.x: sessions, messages, parts; subagents by their parent."""
    database = store.database()
    database.session("ses_a", "Find it")
    database.message("ses_a", "msg_1", "user", kit.text("ask"))
    database.message("ses_a", "msg_2", "assistant", kit.tool("c1", "grep", output="found"), kit.text("answer"))
    database.session("ses_b", "Child session - 2026-05-01", parent="ses_a")
    database.message("ses_b", "msg_3", "user", kit.text("look there"))
    sessions = opencode(store).refresh().sessions
    assert sessions["opencode:ses_a"].current() == ["ask", "answer", "found"]
    child = sessions["opencode:ses_b"]
    assert (child.seen.header.parent_session_id, child.seen.header.origin) == ("opencode:ses_a", "subagent")
    assert child.said() == [("agent", "look there")]
    assert (child.seen.title, child.seen.title_source) == ("look there", "rule")


def test_second_tables_are_understood(store: Any, opencode: Any, kit: Any) -> None:
    """The tables of 2.x: rows by sequence, content inside; the frozen tables of 1.x beside them are read too."""
    database = store.database(kit.first, kit.second)
    database.session("ses_old", "Old")
    database.message("ses_old", "msg_1", "user", kit.text("long ago"))
    database.session2("ses_new", "New", fork="ses_other")
    state = {"status": "completed", "input": {"path": "a"}, "content": [{"type": "text", "text": "read"}]}
    called = {"type": "tool", "id": "c1", "name": "read", "state": state, "time": {"created": 1, "completed": 2}}
    content = [{"type": "reasoning", "text": "hm"}, called, {"type": "text", "text": "answer"}]
    database.row("ses_new", "msg_3", "assistant", 2, content=content, model={"id": "m-1"}, tokens={"input": 3})
    database.row("ses_new", "msg_2", "user", 1, text="ask", files=[])
    database.row("ses_new", "msg_4", "idle", 3, outcome="succeeded")
    sessions = opencode(store).refresh().sessions
    assert sessions["opencode:ses_old"].current() == ["long ago"]
    new = sessions["opencode:ses_new"]
    assert new.current() == ["ask", "answer", "read"]
    assert new.seen.header.origin == "fork"
    assert new.of("assistant/message")[0].model == "m-1"
    assert [end.reason for end in new.of("turn/end")] == ["completed"]


@pytest.mark.parametrize("folder", [".opencode", ".crush"])
def test_ancestor_is_read_where_it_is_named(store: Any, opencode: Any, kit: Any, tmp_path: Path, folder: str) -> None:
    """The Go ancestor and Crush keep a database in each project; they are read when the project is a root."""
    project = tmp_path / "project"
    database = store.database_at(project / folder / "crush.db", kit.ancestor)
    called = {"id": "c1", "name": "ls", "input": "{}", "finished": True}
    answered = {"tool_call_id": "c1", "name": "ls", "content": "a b", "is_error": False}
    rows = [
        ("m1", "user", [{"type": "text", "data": {"text": "ask"}}, {"type": "finish", "data": {"reason": "stop"}}]),
        (
            "m2",
            "assistant",
            [{"type": "tool_call", "data": called}, {"type": "finish", "data": {"reason": "tool_use"}}],
        ),
        ("m3", "tool", [{"type": "tool_result", "data": answered}]),
        (
            "m4",
            "assistant",
            [{"type": "reasoning", "data": {"thinking": "so"}}, {"type": "text", "data": {"text": "two"}}],
        ),
    ]
    database.run("INSERT INTO sessions VALUES ('s1', NULL, 'Listing', 4, 1780000000, 1780000000)")
    for number, (row_id, role, parts) in enumerate(rows):
        values = (row_id, role, json.dumps(parts), 1780000000 + number)
        database.run("INSERT INTO messages VALUES (?, 's1', ?, ?, 'm-0', ?, 1780000000, NULL)", *values)
    session = opencode(store, project).refresh().only
    assert session.current() == ["ask", "", "a b", "two"]
    assert session.seen.header.cwd == str(project)
    assert session.seen.header.created_at == 1_780_000_000_000_000
    assert opencode(store).items() == []


def test_copies_of_a_session_are_one_item(store: Any, opencode: Any, kit: Any) -> None:
    """A session that a migration left in the tree and put into the tables is read from the newer."""
    store.tree_session("ses_a", "old", updated=kit.start_ms)
    store.tree_session("ses_b", "only in the tree")
    database = store.database()
    database.session("ses_a", "Newer")
    database.message("ses_a", "msg_1", "user", kit.text("new"))
    sessions = opencode(store).refresh().sessions
    assert sessions["opencode:ses_a"].current() == ["new"]
    assert sessions["opencode:ses_b"].current() == ["only in the tree"]


def test_newer_tree_wins_over_older_table(store: Any, opencode: Any, kit: Any) -> None:
    """Times decide, not the generation: a session continued with an older release is read from its files."""
    store.tree_session("ses_a", "continued", updated=kit.start_ms + 10**9)
    database = store.database()
    database.session("ses_a")
    database.message("ses_a", "msg_1", "user", kit.text("stale"))
    assert opencode(store).refresh().only.current() == ["continued"]


def test_empty_newer_copy_does_not_hide_messages(store: Any, opencode: Any, kit: Any) -> None:
    """2.x lists sessions whose messages stayed in the tables of 1.x: those are read from there."""
    database = store.database(kit.first, kit.second)
    database.session("ses_a", "Frozen")
    database.message("ses_a", "msg_1", "user", kit.text("kept"))
    database.session2("ses_a", "Listed again")
    assert opencode(store).refresh().only.current() == ["kept"]


def test_channel_databases_are_found(store: Any, opencode: Any, kit: Any) -> None:
    """Each release channel has a database of its own."""
    for name, session_id in [("opencode.db", "ses_a"), ("opencode-dev.db", "ses_b"), ("other.db", "ses_c")]:
        database = store.database(name=name)
        database.session(session_id)
        database.message(session_id, f"msg_{session_id}", "user", kit.text("hello"))
    assert sorted(opencode(store).refresh().sessions) == ["opencode:ses_a", "opencode:ses_b"]


def test_data_variable_moves_the_root(store: Any, opencode: Any, kit: Any, tmp_path: Path) -> None:
    """`XDG_DATA_HOME` stands for `~/.local/share`; configured roots come first; a database may be named alone."""
    other = type(store)(tmp_path / "elsewhere")
    environ = {"XDG_DATA_HOME": str(store.data.parent), "OPENCODE_DB": "mine.db"}
    database = store.database(name="mine.db")
    database.session("ses_a")
    database.message("ses_a", "msg_1", "user", kit.text("hello"))
    extra = tmp_path / "extra"
    importer = opencode(other, extra, environ=environ)
    assert [(root.path, root.reason, root.exists) for root in importer.source.roots(importer.env)] == [
        (extra, "configured", False),
        (store.data / "mine.db", "OPENCODE_DB", True),
        (store.data, "XDG_DATA_HOME", True),
    ]
    assert list(importer.refresh().sessions) == ["opencode:ses_a"]


def test_resume_command_names_the_session(store: Any, opencode: Any) -> None:
    """A session is resumed by its id in its folder."""
    source = opencode(store).source
    assert source.resume_command("ses_a", "/home/dev/my app") == "cd '/home/dev/my app' && opencode --session ses_a"
    assert source.resume_command("ses_a", None) == "opencode --session ses_a"
