"""What a store refuses to open, and what it leaves behind on disk."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import stat
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from starweaver_host.contract.errors import StoreError
from starweaver_host.contract.records import SessionDraft
from starweaver_host.contract.registration import SessionStoreRegistration
from starweaver_host.contract.store import SessionStore
from starweaver_sqlite_store import migrations, plugin
from starweaver_sqlite_store.migrations import APPLICATION_ID, load_migrations, statements


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def _refusal(bench: Any, **config: Any) -> StoreError:
    with pytest.raises(StoreError) as caught:
        bench.open(**config)
    return caught.value


def test_plugin_offers_one_store_named_sqlite() -> None:
    """The plugin yields one registration, of a store built for the contract's version."""
    (registration,) = plugin.starweaver_session_stores()

    assert isinstance(registration, SessionStoreRegistration)
    assert (registration.name, registration.contract) == ("sqlite", "1.0")


def test_store_satisfies_the_contract_protocol(store: Any) -> None:
    """The store has every method of the contract."""
    assert isinstance(store, SessionStore)


def test_new_store_makes_private_files_and_folders(bench: Any, make: Any) -> None:
    """Files are 0600 and folders that were missing 0700, the write-ahead log and its index included."""
    store = bench.open(path="a/b/mine.sqlite3")
    bench.run(store.create_session(SessionDraft(header=make.header())))
    folder = bench.folder / "a" / "b"

    modes = {file.name: _mode(file) for file in folder.iterdir()}

    assert modes == {"mine.sqlite3": 0o600, "mine.sqlite3-wal": 0o600, "mine.sqlite3-shm": 0o600}
    assert {0o700} == {_mode(folder), _mode(folder.parent)}


def test_open_takes_foreign_permissions_from_existing_store(bench: Any) -> None:
    """A database that others could read is closed to them when it is opened."""
    bench.open()
    bench.close_stores()
    file = bench.folder / "starweaver.sqlite3"
    file.chmod(0o644)

    bench.open()

    assert _mode(file) == 0o600


def test_reopened_store_keeps_epoch_cursor_key_and_sessions(bench: Any, make: Any) -> None:
    """Epoch and cursor key live with the file, and differ between files."""
    first = bench.open()
    bench.run(first.create_session(SessionDraft(header=make.header())))
    before = (bench.run(first.identity()), bench.run(first.cursor_key()))
    other = bench.open(path="other.sqlite3")
    elsewhere = (bench.run(other.identity()), bench.run(other.cursor_key()))
    bench.close_stores()

    again = bench.open()

    assert before == (bench.run(again.identity()), bench.run(again.cursor_key()))
    assert before[0].epoch != elsewhere[0].epoch
    assert before[1] != elsewhere[1]
    assert len(before[1]) == 32


@pytest.mark.parametrize("application_id", [0, 0x1234])
def test_open_refuses_another_programs_database_unchanged(bench: Any, application_id: int) -> None:
    """A database that is not ours is `unsupported_schema` and keeps every byte."""
    file = bench.folder / "starweaver.sqlite3"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(f"PRAGMA application_id = {application_id}")
        connection.execute("CREATE TABLE notes (text)")
        connection.commit()
    file.chmod(0o640)
    before = file.read_bytes()

    refusal = _refusal(bench)

    assert refusal.code == "unsupported_schema"
    assert before == file.read_bytes()
    assert [file] == list(bench.folder.iterdir())
    assert _mode(file) == 0o640


def test_open_refuses_file_that_is_no_database_unchanged(bench: Any) -> None:
    """Any other file is `corrupt` and keeps every byte."""
    file = bench.folder / "starweaver.sqlite3"
    file.write_bytes(b"plain text, and a good deal of it " * 100)
    before = file.read_bytes()

    refusal = _refusal(bench)

    assert refusal.code == "corrupt"
    assert before == file.read_bytes()


def test_open_refuses_newer_schema_unchanged(bench: Any) -> None:
    """A schema with more migrations than this version knows is refused before anything is written."""
    bench.open()
    bench.close_stores()
    file = bench.folder / "starweaver.sqlite3"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("INSERT INTO schema_migrations VALUES (99, '0099_future', 'x', 0)")
        connection.commit()
    before = file.read_bytes()

    refusal = _refusal(bench)

    assert refusal.code == "unsupported_schema"
    assert before == file.read_bytes()


def test_open_refuses_migration_with_another_checksum(bench: Any) -> None:
    """A migration that was changed after it was applied is refused and named."""
    bench.open()
    bench.close_stores()
    file = bench.folder / "starweaver.sqlite3"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("UPDATE schema_migrations SET sha256 = 'other' WHERE number = 2")
        connection.commit()

    refusal = _refusal(bench)

    assert refusal.code == "unsupported_schema"
    assert "0002_sessions" in refusal.message


def test_open_applies_migrations_an_older_version_lacked(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of an older version is brought up to date; what it held stays."""
    shipped = load_migrations()
    monkeypatch.setattr("starweaver_sqlite_store.opening.load_migrations", lambda: shipped[:-1])
    old = bench.open()
    epoch = bench.run(old.identity()).epoch
    bench.close_stores()
    monkeypatch.undo()

    new = bench.open()

    assert (epoch, len(shipped)) == (bench.run(new.identity()).epoch, bench.run(new.identity()).schema_version)
    assert bench.run(new.check()).problems == ()


def test_failed_migration_leaves_database_as_it_was(
    bench: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Migrations are applied all or none."""
    shipped = load_migrations()
    monkeypatch.setattr("starweaver_sqlite_store.opening.load_migrations", lambda: shipped[:-1])
    bench.open()
    bench.close_stores()
    file = tmp_path / "broken.sql"
    file.write_text("CREATE TABLE half (a);\nCREATE TABLE half (a);\n")
    broken = shipped[-1]._replace(file=file)
    monkeypatch.setattr("starweaver_sqlite_store.opening.load_migrations", lambda: (*shipped[:-1], broken))

    refusal = _refusal(bench)

    monkeypatch.setattr("starweaver_sqlite_store.opening.load_migrations", lambda: shipped[:-1])
    assert refusal.code == "failed"
    assert bench.run(bench.open().identity()).schema_version == len(shipped) - 1


def test_migrations_are_numbered_without_gaps() -> None:
    """Numbers count from 1, so that the ledger's length is the schema's version."""
    assert list(range(1, len(load_migrations()) + 1)) == [migration.number for migration in load_migrations()]


def test_migrations_are_the_files_shipped_with_their_checksums() -> None:
    """What is written down beside the files, so that none is read at every start, is what they hold."""
    files = sorted(Path(migrations.__file__).parent.glob("*.sql"))

    assert [migration.file for migration in load_migrations()] == files
    for migration in load_migrations():
        assert migration.name == f"{migration.number:04}_{migration.name[5:]}"
        assert migration.sha256 == hashlib.sha256(migration.sql.encode()).hexdigest()


def test_statements_split_script_at_its_semicolons_only() -> None:
    """A semicolon inside a literal or a comment ends nothing."""
    script = "CREATE TABLE a (b TEXT DEFAULT ';');\n-- one; two\nCREATE TABLE c (d);\n"

    found = [statement.strip() for statement in statements(script)]

    assert found == ["CREATE TABLE a (b TEXT DEFAULT ';');", "-- one; two\nCREATE TABLE c (d);"]


def test_store_file_is_wal_with_large_pages_and_our_mark(bench: Any) -> None:
    """Readers never wait for a writer (WAL); pages are 8 KiB; the header names the application."""
    bench.open()

    with closing(sqlite3.connect(bench.folder / "starweaver.sqlite3")) as connection:
        pragmas = ("journal_mode", "page_size", "application_id")
        found = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in pragmas]

    assert found == ["wal", 8192, APPLICATION_ID]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names are of Unix")
def test_open_of_a_pipe_is_an_error_and_never_waits(bench: Any) -> None:
    """Something that is no file where the database should be is told at once."""
    os.mkfifo(bench.folder / "s.sqlite3")

    with pytest.raises(StoreError, match="a database file was wanted"):
        bench.open(path=bench.folder / "s.sqlite3")


@pytest.mark.parametrize("obstacle", ["file in place of the folder", "folder in place of the file"])
def test_open_where_no_file_can_be_is_an_error_of_the_store(bench: Any, obstacle: str) -> None:
    """What the file system refuses is told like what the engine refuses: the place, the reason and what to do."""
    if obstacle.startswith("file"):
        (bench.folder / "data").write_text("")
    else:
        (bench.folder / "data" / "s.sqlite3").mkdir(parents=True)

    with pytest.raises(StoreError) as caught:
        bench.open(path=(bench.folder / "data" / "s.sqlite3"))

    assert caught.value.code == "failed"
    assert str(bench.folder / "data") in caught.value.message
    assert "must be there to be written" in str(caught.value.hint)
