"""Where rollouts are looked for, which file of a rollout is read, and what its title is."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from starweaver_host.contract.errors import SourceError

THREAD = "019b0000-0000-7000-8000-0000000000aa"


def _items(source: Any, env: Any) -> list[Any]:
    return [item for root in source.roots(env) if root.exists for item in source.items(env, root)]


def test_default_roots_are_sessions_and_archive(tmp_path: Path, source: Any, environment: Callable[..., Any]) -> None:
    """Without variables Codex lives in ~/.codex; roots are told whether they exist or not."""
    home = tmp_path / "home" / ".codex"
    (home / "sessions").mkdir(parents=True)

    roots = source.roots(environment())

    assert [(root.path, root.exists) for root in roots] == [
        (home / "sessions", True),
        (home / "archived_sessions", False),
    ]


@pytest.mark.parametrize("value", ["{tmp}/elsewhere", "~/elsewhere"])
def test_codex_home_moves_the_roots(value: str, tmp_path: Path, source: Any, environment: Callable[..., Any]) -> None:
    """`CODEX_HOME` replaces the default folder."""
    env = environment(environ={"CODEX_HOME": value.format(tmp=tmp_path)})
    base = tmp_path / "home" if value.startswith("~") else tmp_path

    assert {root.path for root in source.roots(env)} == {
        base / "elsewhere" / "sessions",
        base / "elsewhere" / "archived_sessions",
    }
    assert {root.reason for root in source.roots(env)} == {"CODEX_HOME"}


def test_configured_root_may_be_a_home_or_a_folder_of_rollouts(
    tmp_path: Path, source: Any, environment: Callable[..., Any], rollout: Callable[..., Path], w: Any
) -> None:
    """A person may point at a Codex home or at the folder the rollouts lie in."""
    one = rollout([w.meta()], folder="backup/sessions/2026/05/04", thread="one")
    two = rollout([w.meta()], folder="loose", thread="two")

    found = _items(source, environment(tmp_path / "backup", tmp_path / "loose"))

    assert {item.path for item in found} == {one, two}


def test_archived_rollout_is_the_same_item(
    tmp_path: Path, source: Any, environment: Callable[..., Any], rollout: Callable[..., Path], w: Any
) -> None:
    """Archiving moves a rollout into a flat folder; item and fingerprint stay."""
    path = rollout([w.meta()])
    (before,) = _items(source, environment())
    archive = tmp_path / "home" / ".codex" / "archived_sessions"
    archive.mkdir()
    path.rename(archive / path.name)

    (after,) = _items(source, environment())

    assert (before.key, before.fingerprint) == (after.key, after.fingerprint)


def test_plain_sibling_is_preferred_to_its_compressed_twin(
    source: Any, environment: Callable[..., Any], rollout: Callable[..., Path], w: Any, compress: Any
) -> None:
    """While Codex compresses a rollout both files exist; they are one item, read from the plain one."""
    path = rollout([w.meta()])
    path.with_name(path.name + ".zst").write_bytes(compress(path.read_bytes()))

    (item,) = _items(source, environment())

    assert item.path == path


def test_links_are_neither_listed_nor_followed_out_of_a_root(
    tmp_path: Path, source: Any, environment: Callable[..., Any], rollout: Callable[..., Path], w: Any
) -> None:
    """A link in the sessions folder leads nowhere an importer goes."""
    path = rollout([w.meta()])
    outside = tmp_path / "outside.jsonl"
    outside.write_bytes(path.read_bytes())
    link = path.with_name("rollout-2026-05-04T00-00-00-linked.jsonl")
    link.symlink_to(outside)
    (path.parent / "folder").symlink_to(tmp_path)

    env = environment()
    (item,) = _items(source, env)

    assert item.path == path
    with pytest.raises(SourceError, match="a link stands in the way"):
        list(source.read(env, msgspec.structs.replace(item, path=link), None))


def test_item_outside_every_root_is_refused(
    tmp_path: Path, source: Any, environment: Callable[..., Any], w: Any
) -> None:
    """A source reads below its roots only."""
    item = type("Item", (), {"path": tmp_path / "x.jsonl"})()

    with pytest.raises(SourceError, match="must lie below a root"):
        list(source.read(environment(), item, None))


def test_title_of_the_session_index_beats_the_prompt(
    tmp_path: Path, source: Any, read_item: Callable[..., Any], rollout: Callable[..., Path], w: Any
) -> None:
    """The last name the index gives a thread is its title; damaged lines are passed over."""
    path = rollout([w.meta(), w.typed("Grind")])
    lines = [{"id": THREAD, "thread_name": "Old"}, {"id": THREAD, "thread_name": "Milling"}, {"id": 5}]
    index = tmp_path / "home" / ".codex" / "session_index.jsonl"
    index.write_bytes(b"\n".join([*map(msgspec.json.encode, lines), b"{torn"]))

    seen = read_item(source, path, root=tmp_path / "home" / ".codex").only.seen

    assert (seen.title, seen.title_source) == ("Milling", "source")


@pytest.mark.parametrize("folder", ["home/.codex", "home/.codex/sqlite", "databases"])
def test_title_of_the_state_database_is_read_wherever_it_lies(
    folder: str, tmp_path: Path, source: Any, read_item: Callable[..., Any], rollout: Callable[..., Path], w: Any
) -> None:
    """The threads table may lie in the home, in its sqlite folder, or where `CODEX_SQLITE_HOME` says."""
    path = rollout([w.meta(), w.typed("Grind")])
    _threads(tmp_path / folder / "state_5.sqlite", "Millwork")
    environ = {"CODEX_SQLITE_HOME": str(tmp_path / "databases")}

    seen = read_item(source, path, root=tmp_path / "home" / ".codex", environ=environ).only.seen

    assert seen.title == "Millwork"


def test_database_of_another_shape_or_locked_gives_no_titles(
    tmp_path: Path, source: Any, read_item: Callable[..., Any], rollout: Callable[..., Path], w: Any
) -> None:
    """The database is a cache: whatever is wrong with it, the rollout is read."""
    path = rollout([w.meta(), w.typed("Grind")])
    home = tmp_path / "home" / ".codex"
    (home / "state_4.sqlite").write_bytes(b"no database")
    _threads(home / "state_5.sqlite", "Millwork")
    holder = sqlite3.connect(home / "state_5.sqlite", isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")

    seen = read_item(source, path, root=home).only.seen
    holder.close()

    assert (seen.title, seen.title_source) == ("Grind", "rule")


def test_reading_titles_writes_nothing_beside_the_database(
    tmp_path: Path, source: Any, environment: Callable[..., Any], rollout: Callable[..., Path], w: Any
) -> None:
    """The state database is opened read-only."""
    rollout([w.meta()])
    home = tmp_path / "home" / ".codex"
    _threads(home / "state_5.sqlite", "Millwork")
    before = {path.name: path.stat().st_mtime_ns for path in home.iterdir()}

    _items(source, environment())

    assert {path.name: path.stat().st_mtime_ns for path in home.iterdir()} == before


def test_renamed_thread_changes_the_fingerprint_alone(
    tmp_path: Path, source: Any, read_item: Callable[..., Any], environment: Callable[..., Any], rollout: Any, w: Any
) -> None:
    """A title kept elsewhere is refreshed by a reading that adds no event."""
    path = rollout([w.meta(), w.typed("Grind"), w.said("Done")])
    first = read_item(source, path, root=tmp_path / "home" / ".codex")
    (before,) = _items(source, environment())
    index = tmp_path / "home" / ".codex" / "session_index.jsonl"
    index.write_bytes(msgspec.json.encode({"id": THREAD, "thread_name": "Milling"}) + b"\n")

    (after,) = _items(source, environment())
    again = read_item(source, path, root=tmp_path / "home" / ".codex", state=first.done.state)

    assert before.fingerprint != after.fingerprint
    assert (again.only.seen.title, again.only.events) == ("Milling", [])


def test_unreadable_folder_below_a_root_is_passed_over(
    source: Any, environment: Callable[..., Any], rollout: Callable[..., Path], w: Any
) -> None:
    """One folder without permission does not hide the others; nothing is said of files that are no rollout."""
    path = rollout([w.meta()])
    (path.parent / "notes.txt").write_text("x", encoding="utf-8")
    closed = path.parent.parent / "05"
    closed.mkdir()
    closed.chmod(0)

    found = _items(source, environment())
    closed.chmod(0o700)

    assert [item.path for item in found] == [path]


def test_resume_command_quotes_and_goes_to_the_directory(source: Any) -> None:
    """The command a person may paste resumes the session where it worked."""
    assert source.resume_command("abc", None) == "codex resume abc"
    assert source.resume_command("abc", "/srv/old mill") == "cd '/srv/old mill' && codex resume abc"


def _threads(path: Path, title: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE threads (id TEXT PRIMARY KEY, title TEXT, rollout_path TEXT)")
    connection.execute("INSERT INTO threads VALUES (?, ?, '')", (THREAD, title))
    connection.commit()
    connection.close()
