"""Where chats lie, the older form of one object a file, siblings, subagents and project roots."""

from __future__ import annotations

import json
import tracemalloc
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from starweaver_host.contract.errors import SourceError

USER, MODEL = "user", "gemini"
STEM = "session-2026-05-01T10-00-aaaaaaaa"


def test_object_file_is_understood(home: Any, kit: Any, gemini: Any) -> None:
    """The form of releases up to 0.39: messages of all kinds, in order, in one pretty-printed object."""
    home.whole(
        **kit.header(),
        lastUpdated="2026-05-01T11:00:00Z",
        messages=[
            kit.said(USER, "u1", "list files"),
            kit.said(MODEL, "m1", "", toolCalls=[kit.call("c1", "ls", "a b")]),
            kit.said("model", "m2", None, parts=[{"text": "two files"}]),
            kit.said("info", "i1", "noted"),
        ],
    )
    session = gemini(home).refresh().only
    assert session.seen.header.session_id == "gemini-cli:aaaaaaaa-0000-4000-8000-000000000001"
    assert session.seen.updated_at == 1_777_633_200_000_000
    assert session.current() == ["list files", "", "a b", "two files"]
    assert [(d.level, d.text) for d in session.of("status/detail")] == [("info", "noted")]


@pytest.mark.parametrize("indent", [None, 2, 4])
def test_object_file_is_read_in_any_layout(home: Any, kit: Any, gemini: Any, indent: int | None) -> None:
    """However a file is laid out, also with its messages before its header, it is read the same."""
    calls = [kit.call("c1", "ls", "{\n    }\n  ],", note={"a": [{}, {"b": 1}]})]
    messages = [kit.said(USER, "u1", "one\n    },"), kit.said(MODEL, "m1", "1", toolCalls=calls)]
    (home.chats() / f"{STEM}.json").write_text(json.dumps({"messages": messages, **kit.header()}, indent=indent))
    session = gemini(home).refresh().only
    assert session.current() == ["one\n    },", "1", "{\n    }\n  ],"]
    assert session.seen.header.session_id == "gemini-cli:aaaaaaaa-0000-4000-8000-000000000001"


def test_object_file_is_never_held_as_a_whole(home: Any, kit: Any, gemini: Any) -> None:
    """Reading a file as the tool lays it out takes memory for a message, not for the file."""
    messages = [kit.said(USER, f"u{number}", "x" * 50_000) for number in range(200)]
    size = home.whole(**kit.header(), messages=messages).stat().st_size
    importer = gemini(home)
    (item,) = importer.items()
    tracemalloc.start()
    for step in importer.source.read(importer.env, item, None):
        del step
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < size / 2


def test_object_file_that_grew_is_appended_to(home: Any, kit: Any, gemini: Any) -> None:
    """A file that is written as a whole every time still gives only what is new, unless the old changed."""
    messages = [kit.said(USER, "u1", "one"), kit.said(MODEL, "m1", "1")]
    home.whole(**kit.header(), messages=messages)
    importer = gemini(home).refresh()
    messages += [kit.said(USER, "u2", "two")]
    home.whole(**kit.header(), messages=messages)
    importer.refresh()
    messages[0]["content"] = "uno"
    home.whole(**kit.header(), messages=messages)
    importer.refresh()
    assert importer.modes == ["replace", "append", "replace"]
    assert importer.only.current() == ["uno", "1", "two"]


def test_object_file_without_ids_or_header_still_reads(home: Any, gemini: Any) -> None:
    """Messages are named by their place where they have no id, the session by its file where it has none."""
    home.whole("old", messages=[{"type": "user", "content": "bare"}, {"type": "gemini", "content": "words"}])
    session = gemini(home).refresh().only
    assert session.seen.header.session_id == "gemini-cli:old"
    assert session.current() == ["bare", "words"]


def test_bad_message_of_an_object_file_is_skipped(home: Any, kit: Any, gemini: Any) -> None:
    """One message that does not fit is counted and named by its place; the others are read."""
    home.whole(**kit.header(), messages=[kit.said(USER, "u1", "one"), {"id": 5}, kit.said(USER, "u2", "two")])
    importer = gemini(home).refresh()
    assert importer.only.current() == ["one", "two"]
    assert [skip.where for skip in importer.skipped] == ["message 2"]
    home.whole(**kit.header(), messages=[kit.said(USER, "u1", "one"), {"id": 5}, kit.said(USER, "u2", "two"), {}])
    assert [skip.where for skip in importer.refresh().skipped] == ["message 2"]


def test_object_file_cut_short_is_an_error(home: Any, kit: Any, gemini: Any) -> None:
    """A file that is no JSON cannot be read at all; the error may pass."""
    home.whole(**kit.header(), messages=[]).write_text('{"sessionId": "x", "messages": [')
    with pytest.raises(SourceError) as caught:
        gemini(home).refresh()
    assert caught.value.retryable


def test_resumed_chat_prefers_its_lines(home: Any, kit: Any, gemini: Any) -> None:
    """A `.json` and the `.jsonl` it was turned into are one session: the lines are read, the import goes on."""
    old = [kit.said(USER, "u1", "one"), kit.said(MODEL, "m1", "1", toolCalls=[kit.call("c1", "ls", "x")])]
    home.whole(**kit.header(), messages=old)
    importer = gemini(home).refresh()
    home.lines(kit.header(), *old, {"$set": {"sessionId": kit.header()["sessionId"]}}, kit.said(USER, "u2", "two"))
    importer.refresh()
    assert [item.path.suffix for item in importer.items()] == [".jsonl"]
    assert importer.modes == ["replace", "append"]
    assert importer.only.current() == ["one", "1", "x", "two"]


def test_files_of_one_session_are_one_item(home: Any, kit: Any, gemini: Any) -> None:
    """A session whose context was cleared has several files; they are read in the order of their names."""
    home.lines(kit.header(), kit.said(USER, "u1", "before"))
    importer = gemini(home).refresh()
    home.lines(kit.header(), kit.said(USER, "u2", "after"), name="session-2026-05-01T12-00-aaaaaaaa")
    home.lines(kit.header("aaaaaaaa-other"), kit.said(USER, "u3", "else"), name="session-2026-05-01T13-00-aaaaaaaa")
    importer.refresh()
    assert sorted(importer.sessions) == ["gemini-cli:aaaaaaaa-0000-4000-8000-000000000001", "gemini-cli:aaaaaaaa-other"]
    assert importer.sessions["gemini-cli:aaaaaaaa-0000-4000-8000-000000000001"].current() == ["before", "after"]
    assert importer.modes[:2] == ["replace", "append"]


def test_subagent_has_its_parent(home: Any, kit: Any, gemini: Any) -> None:
    """A chat below a folder named after a session is that session's subagent; its prompts are no person's."""
    parent = kit.header()["sessionId"]
    linked = [kit.call("c1", "explore", "found", agentId="sub-1")]
    home.lines(kit.header(), kit.said(USER, "u1", "go"), kit.said(MODEL, "m1", "", toolCalls=linked))
    sub = kit.header("sub-1", kind="subagent", directories=["/home/dev/app"])
    home.lines(sub, kit.said(USER, "s1", "explore"), name=f"{parent}/sub-1")
    sessions = gemini(home).refresh().sessions
    child = sessions["gemini-cli:sub-1"]
    assert child.seen.header.parent_session_id == f"gemini-cli:{parent}"
    assert (child.seen.header.origin, child.seen.header.cwd) == ("subagent", "/home/dev/app")
    assert child.of("user/message")[0].source == "agent"
    link = sessions[f"gemini-cli:{parent}"].of("subagent/link")[0]
    assert (link.call_id, link.child_session_id) == ("c1", "gemini-cli:sub-1")


def test_project_folder_is_looked_up(home: Any, kit: Any, gemini: Any) -> None:
    """A project root comes from `projects.json`, by short name or by hash, or from what its subagents were given."""
    seen, known = "/home/dev/seen", "/home/dev/known"
    hashes = {root: sha256(root.encode()).hexdigest() for root in (seen, known)}
    (home.chats().parent.parent.parent / "projects.json").write_text(
        json.dumps({"projects": {"/home/dev/short": "short", known: "known"}})
    )
    for project, session, project_hash in [
        ("short", "s-short", HASH_UNKNOWN),
        (hashes[known], "s-known", hashes[known]),
        (hashes[seen], "s-seen", hashes[seen]),
        ("elsewhere", "s-none", HASH_UNKNOWN),
    ]:
        record = {**kit.header(session), "projectHash": project_hash}
        home.lines(record, kit.said(USER, "u1", "go"), name=session, project=project)
    sub = {**kit.header("s-sub"), "projectHash": hashes[seen], "directories": [seen]}
    home.lines(sub, kit.said(USER, "u1", "go"), name="s-seen/s-sub", project=hashes[seen])
    found = {name: each.seen.header.cwd for name, each in gemini(home).refresh().sessions.items()}
    assert found == {
        "gemini-cli:s-short": "/home/dev/short",
        "gemini-cli:s-known": known,
        "gemini-cli:s-seen": seen,
        "gemini-cli:s-sub": seen,
        "gemini-cli:s-none": None,
    }


HASH_UNKNOWN = "0" * 64


def test_home_variable_moves_the_root(home: Any, kit: Any, gemini: Any, tmp_path: Path) -> None:
    """`GEMINI_CLI_HOME` stands for the home folder; configured roots come first and may be any folder of chats."""
    home.lines(kit.header(), kit.said(USER, "u1", "go"))
    other = tmp_path / "other"
    extra = tmp_path / "kept"
    extra.mkdir()
    (extra / "copy.json").write_text(json.dumps({**kit.header("kept"), "messages": [kit.said(USER, "u1", "kept")]}))
    environ = {"GEMINI_CLI_HOME": str(home.path)}
    moved = gemini(type(home)(other), extra, environ=environ)
    roots = [(root.path, root.reason, root.exists) for root in moved.source.roots(moved.env)]
    assert roots == [(extra, "configured", True), (home.gemini / "tmp", "GEMINI_CLI_HOME", True)]
    assert len(moved.refresh().sessions) == 2
    left = gemini(type(home)(other))
    assert [(root.path, root.exists) for root in left.source.roots(left.env)] == [(other / ".gemini" / "tmp", False)]


def test_other_files_are_not_chats(home: Any, kit: Any, gemini: Any) -> None:
    """`logs.json` and checkpoints are ignored; what the tool set aside is noted and not read."""
    path = home.lines(kit.header(), kit.said(USER, "u1", "go"))
    (path.parent.parent / "logs.json").write_text("[]")
    (path.parent / "logs.json").write_text("[]")
    (path.parent.parent / "checkpoints").mkdir()
    (path.parent.parent / "checkpoints" / "x.json").write_text("{}")
    (path.parent / f"{path.name}.unreadable-1777000000000").write_text("garbage")
    (path.parent / "stranger.jsonl").write_text('{"hello": 1}\n')
    importer = gemini(home).refresh()
    assert len(importer.sessions) == 1
    notes = {Path(key).name: done.note for key, done in importer.done.items() if done.note}
    assert notes == {
        f"{path.name}.unreadable-1777000000000": "set aside by Gemini CLI as unreadable, not read",
        "stranger": "not a chat of Gemini CLI",
    }


def test_listing_costs_no_reading(home: Any, kit: Any, gemini: Any) -> None:
    """Items are found by their directory entries: a chat nobody may read is still listed with its stat."""
    path = home.lines(kit.header(), kit.said(USER, "u1", "go"))
    path.write_bytes(b"\xff" * 10)
    (item,) = gemini(home).items()
    assert (item.path, item.size_bytes) == (path, 10)
    assert item.key == str(path.with_suffix(""))


def test_resume_command_names_the_session(home: Any, gemini: Any) -> None:
    """A session is resumed by its id from its project."""
    source = gemini(home).source
    assert source.resume_command("abc", "/home/dev/my app") == "cd '/home/dev/my app' && gemini --resume abc"
    assert source.resume_command("abc", None) == "gemini --resume abc"


def test_long_chat_is_read_in_parts(home: Any, kit: Any, gemini: Any) -> None:
    """A reading may stop at any of its points and go on there; the log is that of one reading."""
    for number in range(40):
        text = f"{number} " + "x" * 100_000
        home.lines(*([kit.header()] if not number else []), kit.said(USER, f"u{number}", text))
    whole = gemini(home).refresh().only
    importer = gemini(home)
    for _ in range(20):
        importer.refresh(stop_at_points=True)
    assert importer.modes.count("append") >= 2
    assert importer.only.events == whole.events
