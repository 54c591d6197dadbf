"""Reading a store again: what changed and nothing else, whatever way it changed, without touching it."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from starweaver_host.contract.errors import SourceError
from starweaver_host.contract.transcripts import ItemDone, SourceEnvironment
from starweaver_transcripts.opencode import copies, places


def test_new_messages_are_appended(store: Any, opencode: Any, kit: Any) -> None:
    """A session that only got longer hands over what is new."""
    database = store.database()
    database.session("ses_a")
    database.message("ses_a", "msg_1", "user", kit.text("one"))
    importer = opencode(store).refresh()
    before = list(importer.only.events)
    database.message("ses_a", "msg_2", "assistant", kit.text("two"))
    importer.refresh()
    assert importer.modes == ["replace", "append"]
    assert importer.only.events[: len(before)] == before
    assert importer.only.current() == ["one", "two"]


def test_row_written_in_place_begins_anew(store: Any, opencode: Any, kit: Any) -> None:
    """A part that was imported and changed replaces the log, though no session row says so."""
    database = store.database()
    database.session("ses_a")
    database.message("ses_a", "msg_1", "user", kit.text("one"))
    database.message("ses_a", "msg_2", "assistant", kit.text("two"))
    importer = opencode(store).refresh()
    database.rewrite("part", "msg_1p0", kit.text("uno"))
    importer.refresh()
    assert importer.modes == ["replace", "replace"]
    assert importer.only.current() == ["uno", "two"]


def test_unfinished_answer_waits_until_followed_or_idle(store: Any, opencode: Any, kit: Any) -> None:
    """An answer without its end is held back while the session is being written."""
    database = store.database()
    database.session("ses_a")
    database.message("ses_a", "msg_1", "user", kit.text("one"))
    database.message("ses_a", "msg_2", "assistant", kit.text("tw"), time={"created": kit.start_ms})
    clock = [kit.start_ms / 1000]
    importer = opencode(store, now=lambda: clock[0]).refresh()
    assert importer.only.current() == ["one"]
    assert [done.complete for done in importer.done.values()] == [False]
    clock[0] += 10_000
    assert importer.refresh().only.current() == ["one", "tw"]
    assert importer.modes == ["replace", "append"]


def test_unchanged_sessions_are_not_read(store: Any, opencode: Any, kit: Any) -> None:
    """Of five thousand sessions in one file, one whose rows changed is read again, and listing takes one query."""
    database = store.database()
    database.run("BEGIN")
    for number in range(5000):
        database.session(f"ses_{number}")
        database.message(f"ses_{number}", f"msg_{number}", "user", kit.text(f"prompt {number}"))
    database.run("COMMIT")
    importer = opencode(store)
    for item in importer.items():
        importer.fingerprints[item.key] = item.fingerprint
        importer.done[item.key] = ItemDone()
    database.rewrite("part", "msg_77p0", kit.text("other prompt"))
    importer.refresh()
    assert [key.rpartition("#")[2] for key in importer.read_keys] == ["ses_77"]
    assert importer.only.current() == ["other prompt"]


def test_listing_sessions_is_one_query(store: Any, opencode: Any, kit: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many sessions there are, a generation is listed by a single statement over its rows."""
    database = store.database()
    for number in range(20):
        database.session(f"ses_{number}")
    statements: list[str] = []
    from starweaver_transcripts.opencode import database as module

    connect = module._connect

    def traced(path: Path, **options: bool) -> sqlite3.Connection:
        connection = connect(path, **options)
        connection.set_trace_callback(statements.append)
        return connection

    monkeypatch.setattr(module, "_connect", traced)
    assert len(opencode(store).items()) == 20
    assert len([statement for statement in statements if statement.startswith("SELECT")]) == 1


def test_tree_that_changed_is_read_again(store: Any, opencode: Any) -> None:
    """A tree's session changes with its files and folders: a new message is appended, others are left alone."""
    store.tree_session("ses_a", "one", "1")
    store.tree_session("ses_b", "other")
    importer = opencode(store).refresh()
    store.tree_message("ses_a", 2, "two")
    importer.refresh()
    assert [key.rpartition("#")[2] for key in importer.read_keys] == ["ses_a", "ses_b", "ses_a"]
    assert importer.sessions["opencode:ses_a"].current() == ["one", "1", "two"]
    assert importer.modes == ["replace", "replace", "append"]


def test_migrated_session_goes_on(store: Any, opencode: Any, kit: Any) -> None:
    """A session that moves into a table keeps its item and its log, as far as that says the same."""
    store.tree_session("ses_a", "one")
    importer = opencode(store).refresh()
    (key,) = importer.states
    database = store.database()
    database.session("ses_a", "Moved", updated=kit.start_ms + 5_000)
    data = {"time": {"created": kit.start_ms}}
    database.message("ses_a", "msg_ses_a_000", "user", kit.text("one"), **data)
    database.message("ses_a", "msg_ses_a_001", "assistant", kit.text("two"))
    importer.refresh()
    assert list(importer.states) == [key]
    assert importer.modes == ["replace", "append"]
    assert importer.only.current() == ["one", "two"]


def test_write_ahead_log_is_seen_and_nothing_is_written(store: Any, opencode: Any, kit: Any) -> None:
    """What is committed only in the `-wal` file is read; database and log keep their bytes.

    SQLite maps the `-shm` file to find its way in the log: that one belongs to all readers and is not compared.
    """
    database = store.database(wal=True)
    database.session("ses_a")
    database.run("PRAGMA wal_checkpoint(TRUNCATE)")
    database.message("ses_a", "msg_1", "user", kit.text("only in the log"))
    files = [database.path, database.path.with_name("opencode.db-wal")]
    before = [(hashlib.sha256(path.read_bytes()).digest(), path.stat().st_mtime_ns) for path in files]
    assert before[1][0] != hashlib.sha256(b"").digest()
    assert opencode(store).refresh().only.current() == ["only in the log"]
    assert [(hashlib.sha256(path.read_bytes()).digest(), path.stat().st_mtime_ns) for path in files] == before


def test_shared_memory_file_does_not_count(store: Any, opencode: Any, kit: Any) -> None:
    """A reader that moves the `-shm` file changes no fingerprint."""
    database = store.database(wal=True)
    database.session("ses_a")
    before = [item.fingerprint for item in opencode(store).items()]
    side = database.path.with_name("opencode.db-shm")
    side.touch()
    assert [item.fingerprint for item in opencode(store).items()] == before


def test_database_on_its_own_is_left_as_it_was(store: Any, opencode: Any, kit: Any) -> None:
    """A database nobody has open is read without a change to its bytes or its time."""
    database = store.database(wal=True)
    database.session("ses_a")
    database.message("ses_a", "msg_1", "user", kit.text("quiet"))
    database.close()
    before = (database.path.read_bytes(), database.path.stat().st_mtime_ns)
    assert opencode(store).refresh().only.current() == ["quiet"]
    assert (database.path.read_bytes(), database.path.stat().st_mtime_ns) == before
    assert [path.name for path in store.data.iterdir()] == ["opencode.db"]


def test_database_opened_while_it_is_read_is_read_again(store: Any, opencode: Any, kit: Any) -> None:
    """A reading without locks that its tool came into does not count: it is an error that passes."""
    database = store.database(wal=True)
    database.session("ses_a")
    database.message("ses_a", "msg_1", "user", kit.text("quiet"))
    database.close()
    importer = opencode(store)
    (item,) = importer.items()
    steps = importer.source.read(importer.env, item, None)
    next(steps)
    late = store.database_at(database.path, "")
    late.clock = database.clock
    late.message("ses_a", "msg_2", "user", kit.text("late"))
    rest = []
    with pytest.raises(SourceError, match="was opened by another program") as caught:
        rest.extend(steps)
    assert caught.value.retryable
    assert not any(isinstance(step, ItemDone) for step in rest)
    assert importer.refresh().only.current() == ["quiet", "late"]


def test_locked_database_is_an_error_that_may_pass(
    store: Any, opencode: Any, kit: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A locked database cannot be listed now: its root says so, and old copies do not pass for its sessions."""
    from starweaver_transcripts.opencode import database as module

    monkeypatch.setattr(module, "BUSY_TIMEOUT_S", 0)
    store.tree_session("ses_a", "old copy")
    database = store.database()
    database.session("ses_a")
    database.run("BEGIN EXCLUSIVE")
    with pytest.raises(SourceError, match=r"opencode\.db' cannot be read now") as caught:
        opencode(store).items()
    assert caught.value.retryable
    database.run("ROLLBACK")
    assert len(opencode(store).items()) == 1


@pytest.mark.parametrize("content", [b"not a database at all, but long enough to be one" * 20, b""])
def test_broken_database_does_not_stop_the_others(store: Any, opencode: Any, kit: Any, content: bytes) -> None:
    """A database that is none is an item whose reading fails by name; trees and other databases are read."""
    store.tree_session("ses_t", "in a tree")
    database = store.database(name="opencode-dev.db")
    database.session("ses_a")
    database.message("ses_a", "msg_1", "user", kit.text("in a table"))
    broken = store.data / "opencode.db"
    broken.write_bytes(content)
    importer = opencode(store)
    good = [item for item in importer.items() if item.path != broken]
    (bad,) = [item for item in importer.items() if item.path == broken]
    assert len(good) == 2
    with pytest.raises(SourceError, match=r"opencode\.db"):
        list(importer.source.read(importer.env, bad, None))


def test_deleted_session_is_an_error_of_its_item(store: Any, opencode: Any, kit: Any) -> None:
    """A session that is gone between listing and reading fails alone."""
    database = store.database()
    database.session("ses_a")
    importer = opencode(store)
    (item,) = importer.items()
    database.run("DELETE FROM session")
    with pytest.raises(SourceError, match="ses_a"):
        list(importer.source.read(importer.env, item, None))


def test_missing_root_has_no_stores(tmp_path: Path) -> None:
    """A folder without anything of OpenCode's has no stores, and says nothing."""
    assert copies.stores_of(tmp_path, is_configured=True) == []
    env = SourceEnvironment(home=tmp_path, environ={})
    assert [root.exists for root in places.find_roots(env)] == [False]


def test_links_are_not_followed(store: Any, opencode: Any, tmp_path: Path) -> None:
    """Files that lead out of a tree are not read."""
    store.tree_session("ses_a", "one")
    outside = tmp_path / "outside.json"
    outside.write_text('{"id": "ses_x", "time": {"created": 1}}')
    (store.data / "storage/session/prj/ses_x.json").symlink_to(outside)
    assert list(opencode(store).refresh().sessions) == ["opencode:ses_a"]


OPERATIONS = st.lists(
    st.tuples(
        st.sampled_from(["ask", "answer", "part", "rewrite", "finish", "refresh", "title"]),
        st.integers(0, 5),
        st.sampled_from(["red", "green", "blue"]),
    ),
    max_size=16,
)


def _apply(database: Any, kit: Any, counts: dict[str, int], operation: tuple[str, int, str]) -> None:
    kind, number, words = operation
    messages = counts["messages"]
    target = f"msg_{number % messages:02}" if messages else ""
    if kind in ("ask", "answer"):
        counts["messages"] += 1
        role = "user" if kind == "ask" else "assistant"
        data = {} if kind == "ask" else {"time": {"created": kit.start_ms}}
        database.message("ses_a", f"msg_{messages:02}", role, kit.text(words), **data)
    elif kind == "part" and messages:
        counts["parts"] += 1
        database.part("ses_a", target, f"{target}q{counts['parts']:02}", kit.tool(f"c{number}", "ls", output=words))
    elif kind == "rewrite" and messages:
        database.rewrite("part", f"{target}p0", kit.text(words))
    elif kind == "finish" and messages:
        role = database.connection.execute("SELECT data FROM message WHERE id = ?", (target,)).fetchone()[0]
        if "assistant" in role:
            time = {"created": kit.start_ms, "completed": kit.start_ms + 1}
            database.rewrite("message", target, {"role": "assistant", "time": time})
    elif kind == "title":
        database.run("UPDATE session SET title = ?, time_updated = ?", words, database.tick())


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(operations=OPERATIONS)
def test_reading_again_and_again_gives_what_reading_once_gives(
    make_store: Callable[[], Any], opencode: Any, kit: Any, operations: list[tuple[str, int, str]]
) -> None:
    """Whatever was added or written in place between refreshes, the log ends up that of one reading."""
    store = make_store()
    database = store.database()
    database.session("ses_a")
    clock = [0.0]
    importer = opencode(store, now=lambda: clock[0])
    counts = {"messages": 0, "parts": 0}
    for operation in operations:
        _apply(database, kit, counts, operation)
        if operation[0] == "refresh":
            importer.refresh()
    _apply(database, kit, counts, ("ask", 0, "the end"))
    clock[0] = 4_000_000_000.0
    importer.refresh()
    whole = opencode(store).refresh().only
    assert importer.only.events == whole.events
    assert whole.current()[-1] == "the end"
    assert importer.only.seen.title == whole.seen.title
    store.close()
