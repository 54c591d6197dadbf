"""Other people's sessions, counted by another way of reading than the importer's."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pytest


class Counts(NamedTuple):
    """What a sample holds."""

    sessions: int
    runs: int
    messages: int
    tool_calls: int
    subagents: int


# Trees, counted with grep over the files: sessions are files below session/, runs those below message/ with
# '"role":"user"', messages all below message/, tool calls files below part/ with '"type":"tool"', subagents sessions
# whose parentID is no null. Databases, counted with the sqlite3 shell: rows of session and session_v2, of message by
# json_extract(data, '$.role') and of session_message by type (user, assistant, and compaction, whose summary is a
# message to the model), of part where data ->> 'type' = 'tool', '"type": "tool"' in session_message.data, and sessions
# whose parent_id is not null. No record is damaged.
COUNTS = {
    "storage_legacy": Counts(1, 1, 2, 1, 0),
    "storage_v2": Counts(2, 3, 6, 2, 0),
    "SYNTHETIC_opencode.db": Counts(2, 2, 4, 2, 1),
    "SYNTHETIC_opencode2_session_v2.db": Counts(2, 2, 4, 1, 0),
}


@pytest.mark.samples
@pytest.mark.parametrize("name", sorted(COUNTS))
def test_opencode_sample_has_its_counts(samples: Path, store: Any, opencode: Any, tmp_path: Path, name: str) -> None:
    """A sample has the counts its rows and files have, skips nothing, and reads the same again."""
    source, root = samples / "opencode" / name, tmp_path / name
    shutil.copytree(source, root) if source.is_dir() else shutil.copy(source, root)
    importer = opencode(store, root).refresh()
    sessions = importer.sessions.values()
    found = Counter(kind for session in sessions for kind in session.types())
    assert importer.skipped == []
    assert COUNTS[name] == (
        len(sessions),
        found["turn/start"],
        found["user/message"] + found["assistant/message"],
        found["tool/call"],
        sum(session.seen.header.origin == "subagent" for session in sessions),
    )
    again = opencode(store, root).refresh().sessions
    assert {key: session.events for key, session in again.items()} == {
        key: session.events for key, session in importer.sessions.items()
    }


@pytest.mark.samples
def test_every_opencode_sample_is_counted(samples: Path) -> None:
    """No sample is left out of the table."""
    assert {path.name for path in (samples / "opencode").iterdir()} == set(COUNTS)
