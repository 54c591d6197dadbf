"""The three versions of Pi session files, and what each row becomes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

V1 = [
    ("user", "Which trees need pruning?"),
    ("assistant", "Let me look."),
    ("assistant", "Row three."),
    ("user", "And the sheds?"),
    ("assistant", ""),
    ("summary", "Row three is wild."),
    ("user", "Paint shed-a"),
    ("assistant", "Painted."),
]
TREE = [
    ("user", "Graft the pear"),
    ("assistant", "Onto quince?"),
    ("user", "Yes, quince"),
    ("assistant", "Grafted onto quince."),
    ("summary", "The quince graft was tried."),
    ("injected", "An extension's note"),
    ("user", "No, hawthorn"),
    ("assistant", "Grafted onto hawthorn."),
    ("injected", "Weather: frost"),
    ("summary", "A pear was grafted onto hawthorn."),
    ("user", "Water it"),
    ("assistant", "Watered."),
]


def test_version_1_is_linear_and_counts_entries(version: Callable[..., Any]) -> None:
    """Without ids rows follow each other, and a compaction keeps what stands from an index on."""
    session = version("linear_v1").only

    assert session.said() == V1
    assert session.current() == ["Row three is wild.", "And the sheds?", "", "Paint shed-a", "Painted."]


def test_version_1_header_names_what_it_was_branched_from(version: Callable[..., Any]) -> None:
    """A branch of the first version names its source file."""
    header = version("linear_v1").only.seen.header

    assert header.session_id == "pi:0a0a0a0a-1111-4222-8333-000000000001"
    assert header.parent_session_id == "pi:0a0a0a0a-1111-4222-8333-000000000000"
    assert (header.origin, header.cwd) == ("fork", "/srv/orchard")


@pytest.mark.parametrize("name", ["tree_v2", "tree_v3"])
def test_tree_versions_fold_the_current_branch(name: str, version: Callable[..., Any]) -> None:
    """What a step back abandoned is in the log and not on the surface; a compaction keeps from an entry on."""
    session = version(name).only

    assert session.said() == TREE
    assert session.current() == [
        "A pear was grafted onto hawthorn.",
        "No, hawthorn",
        "Grafted onto hawthorn.",
        "Weather: frost",
        "Water it",
        "Watered.",
    ]


@pytest.mark.parametrize("name", ["tree_v2", "tree_v3"])
def test_tree_versions_take_title_and_parent_of_either_path_style(name: str, version: Callable[..., Any]) -> None:
    """The last name is the title; a parent's path may be written in another system's way."""
    seen = version(name).only.seen

    assert (seen.title, seen.title_source) == ("Pear grafting", "source")
    assert seen.header.parent_session_id == "pi:0b0b0b0b-1111-4222-8333-000000000000"


def test_turns_end_as_the_model_stopped(version: Callable[..., Any]) -> None:
    """Stop, error and length are told apart; an error keeps its text."""
    ends = version("linear_v1").only.of("turn/end") + version("tree_v3").only.of("turn/end")

    assert [end.reason for end in ends] == [
        *("completed", "failed", "completed"),
        *("completed", "completed", "completed", "max-tokens"),
    ]
    assert ends[1].error_message == "overloaded"


def test_aborted_answer_is_cancelled_and_marked(e: Any, read_rows: Callable[..., Any]) -> None:
    """What the model had said when it was stopped stays, marked as interrupted."""
    session = read_rows([e.header(), e.user("A"), e.assistant("a…", stop="aborted")]).only

    assert session.of("assistant/message")[0].interrupted
    assert [end.reason for end in session.of("turn/end")] == ["cancelled"]


def test_shell_command_of_the_person_is_a_call_with_its_result(version: Callable[..., Any]) -> None:
    """A command typed at the prompt is no message of the model."""
    session = version("linear_v1").only

    assert [(call.name, call.arguments) for call in session.of("tool/call")] == [
        ("bash", '{"command":"cat rows"}'),
        ("bash", "ls sheds"),
    ]
    assert [(result.name, result.text) for result in session.of("tool/result")] == [
        ("bash", "row 3: wild"),
        ("bash", "shed-a\n"),
    ]


def test_answer_keeps_reasoning_calls_model_and_tokens(version: Callable[..., Any]) -> None:
    """All blocks of an answer are one message; what came from the cache counts as input."""
    answer = version("linear_v1").only.of("assistant/message")[0]

    assert [type(block).__name__ for block in answer.content] == ["ReasoningBlock", "TextBlock", "ToolCallBlock"]
    assert (answer.model, answer.input_tokens, answer.output_tokens) == ("claude-opus", 100, 4)


def test_image_bytes_details_and_extension_state_are_not_stored(version: Callable[..., Any]) -> None:
    """An image keeps its type and size, a result's copy in `details` and state of extensions nothing."""
    stored = b"".join(bytes(event.data) for name in ("linear_v1", "tree_v3") for event in version(name).only.stored())
    (image,) = [b for m in version("linear_v1").only.of("user/message") for b in m.content if hasattr(b, "size_bytes")]

    assert (image.media_type, image.size_bytes) == ("image/png", 8)
    for text in (b"iVBOR", b"DETAILS", b"EXTENSION STATE"):
        assert text not in stored


def test_tool_result_counts_images_and_is_clipped(e: Any, read_rows: Callable[..., Any]) -> None:
    """A tool's answer is kept within the bound, its size and images told."""
    call = {"type": "toolCall", "id": "t", "name": "read", "arguments": {"path": "x"}}
    rows = [
        e.header(),
        e.user("A"),
        e.message("assistant", content=[call], stopReason="toolUse"),
        e.result("t", {"type": "text", "text": "x" * 99}, {"type": "image", "data": "AAAA", "mimeType": "image/png"}),
    ]
    (result,) = read_rows(rows, tool_result_max_bytes=10).only.of("tool/result")

    assert (result.text, result.size_bytes, result.images) == ("x" * 10, 99, 1)


def test_message_after_a_tool_result_steers_the_turn(e: Any, read_rows: Callable[..., Any]) -> None:
    """What is typed while the model works is delivered after a tool's answer and belongs to the turn."""
    call = {"type": "toolCall", "id": "t", "name": "read", "arguments": {}}
    rows = [e.header(), e.user("A"), e.message("assistant", content=[call], stopReason="toolUse"), e.result("t")]
    session = read_rows([*rows, e.user("B"), e.assistant("b")]).only

    assert [message.source for message in session.of("user/message")] == ["user", "steering"]
    assert len(session.of("turn/start")) == 1


def test_copied_message_keeps_its_identity_across_files_and_versions(
    e: Any, read_rows: Callable[..., Any], read_item: Callable[..., Any], pi: Any, session_file: Any
) -> None:
    """A fork copies rows, a migration gives them new ids: times, role and content tell a message."""
    rows = [e.user("A"), e.assistant("a")]
    old = [{key: value for key, value in row.items() if key not in ("id", "parentId")} for row in rows]
    tree = read_rows([e.header(), *rows]).only
    linear = read_item(pi, session_file([{**e.header("other"), "version": 1}, *old], native="0d0d0d0d-other")).only

    names = [event.identity for event in tree.events if event.identity]
    assert len(set(names)) == 2
    assert names == [event.identity for event in linear.events if event.identity]


def test_bad_rows_are_skipped_named_and_do_not_shift_version_1_indexes(
    read_rows: Callable[..., Any], session_file: Any, read_item: Callable[..., Any], pi: Any
) -> None:
    """What is no record is skipped; an unknown type is none of ours and no damage."""
    path = session_file([{"type": "session", "id": "x", "timestamp": "2026-02-01T07:00:00Z", "cwd": "/srv/x"}])
    lines = [
        b'{"type":"message","message":{"role":"user","content":"A"}}',
        b"not json",
        b'{"type":"of-the-future"}',
        b'{"type":"message","message":{"role":"user","content":"B\\ud800"}}',
        b'{"type":"compaction","summary":"S","firstKeptEntryIndex":3}',
    ]
    path.write_bytes(path.read_bytes() + b"\n".join(lines) + b"\n")

    reading = read_item(pi, path)

    assert [skip.where.split(" at ")[0] for skip in reading.skipped] == ["line 3"]
    assert reading.only.current() == ["S", "B\ufffd"]


def test_name_that_was_cleared_gives_the_title_back_to_the_prompt(e: Any, read_rows: Callable[..., Any]) -> None:
    """The last name counts, also an empty one."""
    rows = [e.header(), e.user("Plant oaks"), e.entry("session_info", name="Oaks"), e.entry("session_info", name="")]
    seen = read_rows(rows).only.seen

    assert (seen.title, seen.title_source) == ("Plant oaks", "rule")
