"""A source that reads a SQLite database which its tool has open keeps the suite, though readers write shared memory."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from starweaver_host.conformance.line_source import LineSource, write_line_sample
from starweaver_host.conformance.transcripts import TranscriptSourceConformance, WriteSample
from starweaver_host.contract.transcripts import SourceEnvironment, SourceItem, SourceRoot, TranscriptSource


class _DatabaseSource(LineSource):
    """Looks into a database beside the lines, as far as there is one."""

    def items(self, env: SourceEnvironment, root: SourceRoot) -> Iterator[SourceItem]:
        yield from super().items(env, root)
        path = root.path / "tool.db"
        if path.exists() and not path.is_symlink():
            with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
                connection.execute("SELECT count(*) FROM session").fetchall()


class TestDatabaseSource(TranscriptSourceConformance):
    """A tool that keeps lines and a database with a write-ahead log."""

    capabilities = frozenset({"tools", "lines", "resume_command"})

    @pytest.fixture
    def source(self) -> TranscriptSource:
        """The source."""
        return _DatabaseSource()

    @pytest.fixture
    def write_sample(self) -> Iterator[WriteSample]:
        """Two sessions, and a database that stays open."""
        held: list[sqlite3.Connection] = []

        def write(root: Path) -> None:
            write_line_sample(root)
            connection = sqlite3.connect(root / "tool.db", isolation_level=None)
            connection.executescript("PRAGMA journal_mode = wal; CREATE TABLE session (id)")
            held.append(connection)

        yield write
        for connection in held:
            connection.close()
