"""Values of the wrong kind in any field: at worst the record they are in is left out, never the whole transcript."""

from __future__ import annotations

import copy
import json
import sqlite3
from functools import partial

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from starweaver_host.contract.transcripts import EventsRead, ItemDone, SourceEnvironment
from starweaver_transcripts.claude.source import ClaudeSource
from starweaver_transcripts.codex.source import CodexSource
from starweaver_transcripts.gemini.source import GeminiSource
from starweaver_transcripts.opencode.source import OpenCodeSource
from starweaver_transcripts.pi.source import PiSource

ID = "0a000000-0000-4000-8000-000000000001"
TIME = "2026-01-02T03:04:05.000Z"
MS = 1_780_000_000_000
WRONG = st.sampled_from(
    [None, True, 5, -1, 1e300, 2**63, -(2**63) - 1, 10**30, [], {}, [[]], [{}], {"a": {"b": 1}}]  # noqa: RUF005
    + ["", "\ud800", "\0", "x" * 300, "99999-01-01T00:00:00Z", "0001-01-01T00:00:00+23:59", "../..", "/"]
)

CLAUDE = [
    {"type": "user", "uuid": ID, "sessionId": ID, "timestamp": TIME, "message": {"role": "user", "content": "go"}},
    {
        "type": "assistant",
        "uuid": ID[:-1] + "2",
        "parentUuid": ID,
        "sessionId": ID,
        "timestamp": TIME,
        "message": {
            "id": "m",
            "content": [
                {"type": "text", "text": "going"},
                {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "ls"}},
            ],
            "stop_reason": "end_turn",
            "usage": {"input_tokens": 1, "output_tokens": 1},
        },
    },
    {
        "type": "user",
        "uuid": ID[:-1] + "3",
        "parentUuid": ID[:-1] + "2",
        "timestamp": TIME,
        "message": {"content": [{"type": "tool_result", "tool_use_id": "t", "content": "done", "is_error": False}]},
    },
]
CODEX = [
    {"timestamp": TIME, "type": "session_meta", "payload": {"id": ID, "timestamp": TIME, "cwd": "/w", "source": {}}},
    {"timestamp": TIME, "type": "turn_context", "payload": {"turn_id": "1", "model": "m"}},
    *(
        {"timestamp": TIME, "type": "response_item", "payload": payload}
        for payload in (
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "going"}]},
            {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c"},
            {"type": "function_call_output", "call_id": "c", "output": {"content": "done", "success": True}},
        )
    ),
]
PI = [
    {"type": "session", "version": 3, "id": ID, "timestamp": TIME, "cwd": "/w"},
    {"type": "message", "id": "a", "parentId": None, "timestamp": MS, "message": {"role": "user", "content": "go"}},
    {
        "type": "message",
        "id": "b",
        "parentId": "a",
        "timestamp": TIME,
        "message": {
            "role": "assistant",
            "content": [{"type": "text", "text": "going"}],
            "timestamp": MS,
            "usage": {"input": 1, "output": 1, "cacheRead": 1},
        },
    },
    {"type": "compaction", "id": "c", "parentId": "b", "timestamp": TIME, "summary": "s", "tokensBefore": 9},
]
GEMINI = [
    {"sessionId": ID, "projectHash": "p", "startTime": TIME, "lastUpdated": TIME},
    {"id": "a", "timestamp": TIME, "type": "user", "content": "go"},
    {
        "id": "b",
        "timestamp": TIME,
        "type": "gemini",
        "content": "going",
        "tokens": {"input": 1, "output": 1},
        "toolCalls": [{"id": "t", "name": "ls", "args": {}, "result": [{"functionResponse": {"response": {}}}]}],
    },
]
LINES = {
    "claude": (partial(ClaudeSource, now=lambda: 4e9), CLAUDE, f".claude/projects/-w/{ID}.jsonl"),
    "codex": (CodexSource, CODEX, f".codex/sessions/2026/01/02/rollout-2026-01-02T03-04-05-{ID}.jsonl"),
    "pi": (PiSource, PI, f".pi/agent/sessions/--w--/2026-01-02T03-04-05-000Z_{ID}.jsonl"),
    "gemini": (
        partial(GeminiSource, now=lambda: 4e9),
        GEMINI,
        ".gemini/tmp/p/chats/session-2026-01-02T03-04-0a000000.jsonl",
    ),
}


def places(value, path=()):
    """Every place in a JSON value."""
    below = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, held in below:
        yield (*path, key)
        yield from places(held, (*path, key))


def spoilt(rows, changes):
    """The rows with some places given other values; a place that an earlier change took away is passed over."""
    rows = copy.deepcopy(rows)
    for path, wrong in changes:
        held = rows
        try:
            for part in path[:-1]:
                held = held[part]
            held[path[-1]] = copy.deepcopy(wrong)
        except (KeyError, IndexError, TypeError):
            continue
    return rows


def read_all(source, home):
    """Read everything a source finds and encode every event, as a store would; returns how many items ended."""
    env, done = SourceEnvironment(home=home, environ={}), 0
    for root in source.roots(env):
        for item in source.items(env, root) if root.exists else ():
            for step in source.read(env, item, None):
                if isinstance(step, EventsRead):
                    for event in step.events:
                        msgspec.json.encode(event)
                done += isinstance(step, ItemDone)
    return done


@pytest.mark.parametrize("name", LINES)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_wrong_values_in_any_field_cost_at_most_their_record(name, data, tmp_path):
    """Whatever stands in a field, the transcript is read to its end and its events can be stored."""
    make, rows, place = LINES[name]
    changes = st.lists(st.tuples(st.sampled_from(list(places(rows))), WRONG), min_size=1, max_size=3)
    path = tmp_path / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in spoilt(rows, data.draw(changes))))

    assert read_all(make(), tmp_path) == 1


@pytest.mark.parametrize("message_id", ["a\0b", "../../..", "/", "..", ""])
def test_message_id_is_no_path(message_id, tmp_path):
    """An id that would lead out of OpenCode's tree, or nowhere, has no folder of parts; its session is read."""
    storage = tmp_path / ".local/share/opencode/storage"
    (tmp_path / "outside.json").write_text("{}")
    for name, value in {
        "session/p/ses_1.json": {"id": "ses_1", "title": "t", "time": {"created": MS, "updated": MS}},
        "message/ses_1/msg_1.json": {"id": message_id, "role": "user", "sessionID": "ses_1", "time": {"created": MS}},
    }.items():
        (storage / name).parent.mkdir(parents=True)
        (storage / name).write_text(json.dumps(value))

    assert read_all(OpenCodeSource(), tmp_path) == 1


def test_times_of_the_wrong_type_in_a_database_cost_no_session(tmp_path):
    """SQLite keeps any value in any column; a time that is none counts as unknown."""
    path = tmp_path / ".local/share/opencode/opencode.db"
    path.parent.mkdir(parents=True)
    columns = "id, project_id, parent_id, slug, directory, title, version, revert, time_created, time_updated"
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(f"CREATE TABLE session ({columns}, time_archived)")
    connection.execute("CREATE TABLE message (id, session_id, time_created, time_updated, data)")
    connection.execute("CREATE TABLE part (id, message_id, session_id, time_created, time_updated, data)")
    for number, time in enumerate(["soon", 1e300, None, b"x", MS]):
        row = (f"ses_{number}", "p", None, "s", "/w", "t", "1", None, time, time, None)
        connection.execute(f"INSERT INTO session VALUES ({','.join('?' * 11)})", row)
        message = (
            f"msg_{number}",
            f"ses_{number}",
            time,
            time,
            json.dumps({"role": "user", "time": {"created": 1e300}}),
        )
        connection.execute("INSERT INTO message VALUES (?, ?, ?, ?, ?)", message)
    connection.close()

    assert read_all(OpenCodeSource(), tmp_path) == 5


def test_transcripts_of_these_tests_are_read_as_they_stand(tmp_path):
    """The transcripts above are understood before they are spoilt."""
    for name, (make, rows, place) in LINES.items():
        path = tmp_path / name / place
        path.parent.mkdir(parents=True)
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        env = SourceEnvironment(home=tmp_path / name, environ={})
        source = make()
        found = [item for root in source.roots(env) if root.exists for item in source.items(env, root)]
        steps = [step for item in found for step in source.read(env, item, None)]
        events = [event for step in steps if isinstance(step, EventsRead) for event in step.events]

        assert {"user/message", "assistant/message"} <= {event.type for event in events}, name
