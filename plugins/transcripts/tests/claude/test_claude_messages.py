"""Messages, tools and turns of single rows."""

from __future__ import annotations

import json

import pytest

from starweaver_transcripts.claude.human import typed_text


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("plain", "plain"),
        ("  indented", "  indented"),
        ("<ide_selection>lines 1 to 2</ide_selection>\nwhy?", "why?"),
        ("<system-reminder>a</system-reminder><ide_opened_file>b</ide_opened_file>go", "go"),
        ("<command-name>/exit</command-name>", ""),
        ("\n<local-command-stdout>bye</local-command-stdout>", ""),
        ("<bash-input>ls</bash-input>", ""),
        ("what does <command-name> mean?", "what does <command-name> mean?"),
        ("<ide_selection>unclosed", "<ide_selection>unclosed"),
    ],
)
def test_typed_text_is_what_a_person_typed(text, typed):
    """Wrappers alone are nothing typed; wrappers glued before a prompt are taken off; mentioned ones stay."""
    assert typed_text(text) == typed


def test_tool_result_is_clipped_with_its_size(transcript, read_item, idle):
    """A result above the bound is cut at a character and its original size recorded."""
    transcript.user("go")
    transcript.call("m1", "c1")
    transcript.result("c1", "é" * 100)

    (result,) = read_item(idle, transcript.save(), tool_result_max_bytes=51).only.of("tool/result")

    assert (result.text, result.size_bytes) == ("é" * 25, 200)


def test_tool_result_copy_is_not_stored(transcript, read_item, idle):
    """The structured copy of a result is passed over, whatever its shape."""
    transcript.user("go")
    for number, copy in enumerate(("text", {"stdout": "needle"}, [1], None, {"agentId": 7})):
        transcript.call(f"m{number}", f"c{number}")
        transcript.result(f"c{number}", "answer", toolUseResult=copy)

    session = read_item(idle, transcript.save()).only

    assert [result.text for result in session.of("tool/result")] == ["answer"] * 5
    assert "needle" not in str(session.events)


def test_failed_tool_is_marked(transcript, read_item, idle):
    """`is_error` is kept, null counts as no error."""
    transcript.user("go")
    transcript.call("m1", "c1")
    transcript.user(
        [
            {"type": "tool_result", "tool_use_id": "c1", "content": "no", "is_error": True},
            {"type": "tool_result", "tool_use_id": "c2", "content": None, "is_error": None},
        ]
    )

    results = read_item(idle, transcript.save()).only.of("tool/result")

    assert [(result.is_error, result.text) for result in results] == [(True, "no"), (False, "")]


def test_arguments_are_the_writers_json(transcript, read_item, idle):
    """A call keeps its arguments as the transcript has them."""
    transcript.user("go")
    transcript.assistant("m1", {"type": "tool_use", "id": "c", "name": "Write", "input": {"path": "a", "n": [1]}})

    (call,) = read_item(idle, transcript.save()).only.of("tool/call")

    assert (call.name, call.arguments) == ("Write", '{"path": "a", "n": [1]}')


def test_unknown_types_and_blocks_are_passed_over(transcript, read_item, idle):
    """Types and blocks of a newer version are no errors and no records that were skipped."""
    transcript.user([{"type": "text", "text": "go"}, {"type": "hologram", "payload": {"text": 3}}])
    transcript._row("teleport", {"message": 5, "timestamp": 1})

    reading = read_item(idle, transcript.save())

    assert (reading.only.said(), reading.skipped) == ([("user", "go")], [])


def test_file_without_messages_is_no_session(transcript, read_item, idle):
    """Bookkeeping alone makes no session."""
    transcript._row("summary", {"summary": "of another", "leafUuid": "x"})
    transcript._row("mode", {"mode": "normal"})

    assert read_item(idle, transcript.save()).sessions == {}


def test_header_takes_the_first_facts(transcript, read_item, idle):
    """Folder, version and beginning come from the first rows that have them; the end is the newest time."""
    transcript.user("go", cwd="/home/dev/a", version="2.0.1", timestamp="2026-01-01T00:00:01Z")
    transcript.assistant("m1", "gone", cwd="/home/dev/b", version="2.0.2", timestamp="2026-01-01T00:00:02.500Z")

    seen = read_item(idle, transcript.save()).only.seen

    assert (seen.header.cwd, seen.header.external.agent_version) == ("/home/dev/a", "2.0.1")
    assert (seen.header.created_at, seen.updated_at) == (1_767_225_601_000_000, 1_767_225_602_500_000)
    assert (seen.header.workspace.label, seen.header.origin) == ("/home/dev/a", "user")


def test_transcript_without_times_begins_when_its_file_did(transcript, read_item, idle):
    """A file without any timestamp has the time of the file."""
    transcript.user("go", timestamp=None)
    path = transcript.save()

    seen = read_item(idle, path).only.seen

    assert seen.header.created_at == path.stat().st_mtime_ns // 1_000_000 * 1000


def test_slash_command_begins_a_turn_of_its_own(transcript, read_item, idle):
    """Work that a command starts is not part of the turn before it."""
    transcript.user("go")
    transcript.assistant("m1", "gone")
    transcript.user("<command-message>review</command-message>\n<command-name>/review</command-name>")
    transcript.assistant("m2", "reviewed")

    session = read_item(idle, transcript.save()).only

    assert [event.run_id for event in session.events if event.type == "assistant/message"] == ["turn-1", "turn-2"]


def test_prompt_cuts_an_unfinished_turn_short(transcript, read_item, idle):
    """A turn whose last word is a tool's was interrupted by the next prompt."""
    transcript.user("go")
    transcript.call("m1", "c1")
    transcript.result("c1")
    transcript.user("stop, do this")

    (end,) = read_item(idle, transcript.save()).only.of("turn/end")

    assert end.reason == "interrupted"


def test_very_long_line_is_read(transcript, read_item, idle):
    """A line has no limit; a screenshot of megabytes costs nothing but its size."""
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "A" * 4_000_000}}
    transcript.user([image, {"type": "text", "text": "what is this?"}])

    session = read_item(idle, transcript.save()).only
    (message,) = session.of("user/message")

    assert session.said() == [("user", "what is this?")]
    assert message.content[0].size_bytes == 3_000_000


def test_queued_prompt_with_a_row_of_its_own_is_no_steering(transcript, read_item, idle):
    """Queued text that became a prompt is the prompt, even if nothing says that it left the queue."""
    transcript._row("queue-operation", {"operation": "enqueue", "content": "go on"})
    transcript.user("go on")

    assert read_item(idle, transcript.save()).only.said() == [("user", "go on")]


def test_call_about_progress_is_no_progress_row(transcript, read_item, idle):
    """What a tool is called with may look like a row of a type that is passed over."""
    transcript.user("go")
    arguments = {"type": "progress", "data": {"done": 1}}
    transcript.assistant("m1", {"type": "tool_use", "id": "c1", "name": "Report", "input": arguments})
    transcript.path.write_bytes(
        b"".join(json.dumps(row, separators=(",", ":")).encode() + b"\n" for row in transcript.rows)
    )

    (call,) = read_item(idle, transcript.path).only.of("tool/call")

    assert call.arguments == '{"type":"progress","data":{"done":1}}'


def test_inline_rows_of_two_agents_are_two_sessions(transcript, read_item, idle):
    """Interleaved rows of subagents are told apart by their agent id."""
    transcript.user("go")
    for agent in ("a1", "b2", "a1", "b2"):
        transcript.user(f"errand of {agent}", isSidechain=True, agentId=agent, parentUuid=None)

    reading = read_item(idle, transcript.save())

    assert {key: len(session.said()) for key, session in reading.sessions.items()} == {
        f"claude-code:{transcript.path.stem}": 1,
        "claude-code:agent-a1": 2,
        "claude-code:agent-b2": 2,
    }
