"""Every generation of Codex rollouts, each by a fixture that means nothing to a reader of another generation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


def test_bare_rollout_gives_header_directory_and_prompts(era: Callable[..., Any]) -> None:
    """Before September 2025 lines are API items without an envelope; the directory stands in a context row only."""
    session = era("bare").only

    assert session.seen.header.session_id == "codex:5f0c0000-1111-4222-8333-000000000001"
    assert session.seen.header.cwd == "/srv/harbour"
    assert session.said() == [
        ("user", "List the tide tables of the harbour"),
        ("assistant", ""),
        ("assistant", "There are two: spring.csv and neap.csv."),
        ("user", "Delete neap.csv"),
        ("assistant", ""),
        ("assistant", "The file is write-protected."),
    ]


def test_bare_rollout_gives_calls_with_their_outputs(era: Callable[..., Any]) -> None:
    """An output wrapped as JSON with an exit code gives its text, and an error when the code is not zero."""
    session = era("bare").only

    assert [(call.call_id, call.name) for call in session.of("tool/call")] == [
        ("call_a", "shell"),
        ("call_b", "local_shell"),
    ]
    assert [(result.text, result.is_error) for result in session.of("tool/result")] == [
        ("spring.csv\nneap.csv\n", False),
        ("permission denied", True),
    ]


def test_wrapped_rollout_shows_each_twin_once(era: Callable[..., Any]) -> None:
    """Since September 2025 a text is recorded as an event and as an API item; it is one message."""
    said = [line for line in era("wrapped").only.said() if line[1]]

    assert said == [
        ("user", "Which berth floods first?"),
        ("assistant", "The south berth, at 1.7 m."),
        ("user", "Raise its sill in the file"),
        ("assistant", "Raised to 2.0 m."),
        ("summary", "The south berth was raised to 2.0 m."),
        ("user", "Thanks, and the north one?"),
        ("assistant", "It stays at 2.1 m."),
    ]


def test_wrapped_rollout_reads_custom_tools_and_reasoning(era: Callable[..., Any]) -> None:
    """Custom tool calls keep their plain input; a reasoning summary precedes the call it led to."""
    session = era("wrapped").only

    assert [call.name for call in session.of("tool/call")] == ["shell", "apply_patch"]
    assert session.of("tool/call")[1].arguments.startswith("*** Begin Patch")
    first = session.of("assistant/message")[0]
    assert [block.__struct_config__.tag for block in first.content] == ["reasoning", "tool-call"]


def test_multi_agent_rollout_names_parent_child_and_title(era: Callable[..., Any]) -> None:
    """In 2026 a subagent's rollout names who spawned it, and the sessions it spawned itself."""
    session = era("agents").only

    assert session.seen.header.parent_session_id == "codex:019ebfff-0000-7000-8000-000000000001"
    assert session.seen.header.origin == "subagent"
    assert [link.child_session_id for link in session.of("subagent/link")] == [
        "codex:019ec000-0000-7000-8000-0000000000c1"
    ]
    assert (session.seen.title, session.seen.title_source) == ("Breakwater survey", "source")


def test_multi_agent_rollout_marks_text_typed_meanwhile_as_steering(era: Callable[..., Any]) -> None:
    """What a person types while an announced turn is at work belongs to that turn."""
    session = era("agents").only

    assert [message.source for message in session.of("user/message")] == ["user", "steering"]
    assert len(session.of("turn/start")) == 1


def test_ordinal_rollout_reads_item_tools_it_has_no_api_call_for(era: Callable[..., Any]) -> None:
    """Release 0.149 reports whole calls as completed items: commands, file changes, MCP calls and extensions."""
    session = era("ordinal").only

    assert [(result.name, result.text, result.is_error) for result in session.of("tool/result")] == [
        ("exec_command", "3.2 m", False),
        ("apply_patch", "disk full", True),
        ("buoy.read", "buoy seven: calm", False),
        ("webSearch", "Tide today\nhttps://tide.example\nhigh at noon", False),
    ]


def test_ordinal_rollout_fails_the_turn_an_error_ended(era: Callable[..., Any]) -> None:
    """A turn whose last word is an error failed, with its code and text."""
    ends = era("ordinal").only.of("turn/end")

    assert [(end.reason, end.error_code, end.error_message) for end in ends] == [
        ("completed", None, None),
        ("failed", "usage_limit_exceeded", "usage limit reached"),
    ]


@pytest.mark.parametrize("name", ["paginated", "paginated_twins"])
def test_paginated_rollout_reads_the_same_with_and_without_api_twins(name: str, era: Callable[..., Any]) -> None:
    """Since 0.146 the completed items hold the messages, alone or beside API items."""
    session = era(name).only

    assert [line for line in session.said() if line[1]] == [
        ("user", "Who dredges the channel?"),
        ("assistant", "Mole & Sons, since spring."),
    ]
    assert [result.text for result in session.of("tool/result")] == ["Mole & Sons"]
    assert len(session.of("turn/start")) == len(session.of("turn/end")) == 1
    thoughts = [block.text for m in session.of("assistant/message") for block in m.content if hasattr(block, "text")]
    assert thoughts == ["Check the contracts.", "Mole & Sons, since spring."]


@pytest.mark.parametrize("name", ["bare", "wrapped", "agents", "ordinal", "paginated", "paginated_twins"])
def test_every_era_keeps_copies_ciphertext_and_images_out(name: str, era: Callable[..., Any]) -> None:
    """Replayed history, encrypted reasoning, instructions and base64 are never stored."""
    session = era(name).only
    stored = b"".join(bytes(event.data) for event in session.stored())

    for text in (
        b"REPLAYED",
        b"Y2lwaGVy",
        b"c2VjcmV0",
        b"BASE INSTR",
        b"DEVELOPER",
        b"WORLD STATE",
        b"iVBOR",
        b"hidden",
    ):
        assert text not in stored
    assert b"environment_context" not in stored


@pytest.mark.parametrize("name", ["bare", "wrapped", "agents", "ordinal", "paginated", "paginated_twins"])
def test_every_era_skips_nothing_and_folds(name: str, era: Callable[..., Any]) -> None:
    """Nothing in a rollout of a known era is damage, and its log is a valid surface."""
    reading = era(name)

    assert reading.skipped == []
    assert reading.only.current()
