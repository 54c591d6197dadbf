"""The files beside transcripts (settings, titles, markers): a pipe or a link in their place stops and leaks nothing."""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from functools import partial

import pytest

from starweaver_host.contract.transcripts import SessionSeen, SourceEnvironment
from starweaver_transcripts.claude.source import ClaudeSource
from starweaver_transcripts.codex.source import CodexSource
from starweaver_transcripts.gemini.source import GeminiSource
from starweaver_transcripts.opencode.source import OpenCodeSource

ID = "0a000000-0000-4000-8000-000000000001"
TIME = "2026-01-02T03:04:05.000Z"
CHATS = ".gemini/tmp/p/chats"
FILES = {
    f".claude/projects/-w/{ID}.jsonl": [{"type": "user", "uuid": ID, "message": {"content": "go"}}],
    f".codex/sessions/rollout-2026-01-02T03-04-05-{ID}.jsonl": [
        {"timestamp": TIME, "type": "session_meta", "payload": {"id": ID}}
    ],
    f"{CHATS}/session-2026-01-02T03-04-0a000000.jsonl": [
        {"sessionId": ID, "projectHash": "p", "startTime": TIME},
        {"id": "a", "timestamp": TIME, "type": "user", "content": "go"},
    ],
}
SIDE_FILES = [
    (ClaudeSource, ".claude/settings.json"),
    (CodexSource, ".codex/session_index.jsonl"),
    (CodexSource, ".codex/state_5.sqlite"),
    (GeminiSource, ".gemini/projects.json"),
    (GeminiSource, ".gemini/trustedFolders.json"),
    (GeminiSource, ".gemini/tmp/p/.project_root"),
    (GeminiSource, f"{CHATS}/parent/agent.jsonl"),
    (OpenCodeSource, ".local/share/opencode/opencode.db"),
]


@pytest.fixture
def seen(tmp_path):
    """Reads all that a source finds in the test's home; gives what it saw of sessions."""
    for name, rows in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows))

    def read(source):
        env = SourceEnvironment(home=tmp_path, environ={})
        items = [item for root in source.roots(env) if root.exists for item in source.items(env, root)]
        return [step for item in items for step in source.read(env, item, None) if isinstance(step, SessionSeen)]

    return read


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names are of Unix")
@pytest.mark.parametrize(("make", "name"), SIDE_FILES, ids=[name for _, name in SIDE_FILES])
def test_pipe_in_place_of_a_side_file_is_passed_over(make, name, seen, tmp_path):
    """Reading goes on without it; it never waits for somebody to write."""
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(tmp_path / name)
    reading = threading.Thread(target=seen, args=(make(),), daemon=True)

    reading.start()
    reading.join(timeout=20)

    assert not reading.is_alive()


def test_marker_that_links_out_of_the_folder_is_not_read(seen, tmp_path):
    """What a link in a project's folder leads to is not ours to read."""
    outside = tmp_path / "outside"
    outside.write_text("/secret/place")
    (tmp_path / ".gemini/tmp/p/.project_root").symlink_to(outside)
    source = partial(GeminiSource, now=lambda: 4e9)()

    assert [step.header.cwd for step in seen(source)] == [None]


@pytest.mark.parametrize("title", [5, b"\xff", "", None])
def test_title_of_the_wrong_type_in_a_database_is_none(title, seen, tmp_path):
    """SQLite keeps any value in any column."""
    connection = sqlite3.connect(tmp_path / ".codex/state_5.sqlite")
    with connection:
        connection.execute("CREATE TABLE threads (id, title)")
        connection.execute("INSERT INTO threads VALUES (?, ?)", (ID, title))
    connection.close()

    assert [step.title for step in seen(CodexSource())] == [None]
