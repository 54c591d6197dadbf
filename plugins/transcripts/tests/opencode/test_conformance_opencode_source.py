"""OpenCode's importer keeps the transcript source suite of the conformance kit, for every form of its storage."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import pytest

from starweaver_host.conformance.transcripts import TranscriptSourceConformance, WriteSample
from starweaver_transcripts.opencode import OpenCodeSource

OUTPUT = "found 三 " * 30


class OpenCodeConformance(TranscriptSourceConformance):
    """What the forms share: a session goes on by rows or files of its own, so there are no lines."""

    capabilities = frozenset({"tools", "resumable", "resume_command"})

    @pytest.fixture
    def source(self) -> OpenCodeSource:
        """As it is installed."""
        return OpenCodeSource()


class TestOpenCodeTree(OpenCodeConformance):
    """The tree of 1.0: a file a session, a message and a part."""

    @pytest.fixture
    def write_sample(self, store: Any, kit: Any) -> WriteSample:
        """A turn with a tool call."""

        def write(root: Path) -> None:
            store.data = root
            store.tree_session("ses_a", "ask", "answer")
            store.file("storage/part/msg_ses_a_001/prt_2.json", kit.tool("c1", "grep", output=OUTPUT))

        return write

    @pytest.fixture
    def extend_sample(self, store: Any) -> WriteSample:
        """Another turn."""

        def extend(root: Path) -> None:
            for number, text in ((2, "ask again"), (3, "answer again")):
                store.tree_message("ses_a", number, text)

        return extend


class OpenCodeTables(OpenCodeConformance):
    """What the databases share: rows are committed one by one, with a write-ahead log or without."""

    wal: ClassVar[bool]

    @pytest.fixture
    def opened(self, store: Any) -> Any:
        """Opens the database of a root as the tool does, at a later time when it is there already."""

        def open_database(root: Path, *schemas: str) -> Any:
            database = store.database_at(root / "opencode.db", *(schemas or [""]), wal=self.wal)
            database.clock += 0 if schemas else 60_000
            return database

        return open_database


class TestOpenCodeFirstTables(OpenCodeTables):
    """The tables of 1.x, with a subagent, while the tool has them open."""

    wal = False

    @pytest.fixture
    def write_sample(self, opened: Any, kit: Any) -> WriteSample:
        """A turn with a tool call."""

        def write(root: Path) -> None:
            database = opened(root, kit.first)
            database.session("ses_a", "Find it")
            database.message("ses_a", "msg_1", "user", kit.text("ask"))
            call = kit.tool("c1", "grep", output=OUTPUT)
            database.message("ses_a", "msg_2", "assistant", call, kit.text("answer"))
            database.session("ses_b", "Look there", parent="ses_a")
            database.message("ses_b", "msg_3", "user", kit.text("look there"))
            database.message("ses_b", "msg_4", "assistant", kit.text("nothing there"))

        return write

    @pytest.fixture
    def extend_sample(self, opened: Any, kit: Any) -> WriteSample:
        """Another turn."""

        def extend(root: Path) -> None:
            database = opened(root)
            database.message("ses_a", "msg_5", "user", kit.text("ask again"))
            database.message("ses_a", "msg_6", "assistant", kit.text("answer again"))

        return extend


class TestOpenCodeFirstTablesWithLog(TestOpenCodeFirstTables):
    """The tables of 1.x with a write-ahead log, while the tool has them open."""

    wal = True


class TestOpenCodeSecondTables(OpenCodeTables):
    """The tables of 2.x with a write-ahead log, after the tool ended."""

    wal = True

    @pytest.fixture
    def write_sample(self, store: Any, opened: Any, kit: Any) -> WriteSample:
        """A turn with a tool call."""
        state = {"status": "completed", "input": {"path": "a"}, "content": [{"type": "text", "text": OUTPUT}]}
        called = {"type": "tool", "id": "c1", "name": "read", "state": state}

        def write(root: Path) -> None:
            database = opened(root, kit.second)
            database.session2("ses_a", "Find it")
            database.row("ses_a", "msg_1", "user", 1, text="ask", files=[])
            database.row("ses_a", "msg_2", "assistant", 2, content=[called, {"type": "text", "text": "answer"}])
            database.row("ses_a", "msg_3", "idle", 3, outcome="succeeded")
            store.close()

        return write

    @pytest.fixture
    def extend_sample(self, store: Any, opened: Any) -> WriteSample:
        """Another turn."""

        def extend(root: Path) -> None:
            database = opened(root)
            database.row("ses_a", "msg_4", "user", 4, text="ask again", files=[])
            database.row("ses_a", "msg_5", "assistant", 5, content=[{"type": "text", "text": "answer again"}])
            store.close()

        return extend
