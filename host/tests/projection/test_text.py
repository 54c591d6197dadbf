"""What an event is found by."""

from __future__ import annotations

import msgspec
import pytest

from starweaver_host.contract.events import (
    AssistantMessage,
    CompactionStart,
    Event,
    ImageBlock,
    ModelChange,
    NewEvent,
    Payload,
    PromptBlocked,
    ReasoningBlock,
    Rewind,
    StatusDetail,
    SubagentLink,
    TextBlock,
    TitleChange,
    Todo,
    TodoWrite,
    ToolCall,
    ToolCallBlock,
    ToolResult,
    TurnEnd,
    TurnStart,
    UnknownPayload,
    UserMessage,
    new_event,
)
from starweaver_host.projection.text import decode_payload, semantic_text, visible_text

BLOCKS = (
    ReasoningBlock(text="\u3000a plan\n"),
    TextBlock(text=" one\n two "),
    ImageBlock(media_type="image/png", size_bytes=3),
    ToolCallBlock(id="c", name="read_file"),
    TextBlock(text="\n"),
    TextBlock(text="three"),
)


@pytest.mark.parametrize(
    ("payload", "text"),
    [
        (UserMessage(content=BLOCKS), "a plan\none\n two\nthree"),
        (UserMessage(content=BLOCKS, source="injected"), "a plan\none\n two\nthree"),
        (AssistantMessage(content=BLOCKS), "a plan\none\n two\nthree"),
        (ToolCall(call_id="c", name="read_file", arguments='{"path":"a"}'), 'read_file\n{"path":"a"}'),
        (ToolResult(call_id="c", name="read_file", text=" 12 lines\n", size_bytes=9), "12 lines"),
        (PromptBlocked(text="do it", reason="policy"), "do it\npolicy"),
        (PromptBlocked(text="do it"), "do it"),
        (
            TodoWrite(todos=(Todo(content="a", status="pending"), Todo(content="b", status="done"))),
            "pending\na\ndone\nb",
        ),
        (StatusDetail(level="error", text="overloaded"), "overloaded"),
        (TurnEnd(turn=1, reason="failed", error_code="529", error_message="overloaded"), "failed\n529\noverloaded"),
        (TurnEnd(turn=1, reason="interrupted"), "interrupted"),
        (TurnEnd(turn=1, reason="max-tokens"), "max-tokens"),
        (TurnEnd(turn=1, reason="completed"), ""),
        (TurnEnd(turn=1, reason="unknown"), ""),
        (TurnStart(turn=1, model="m"), ""),
        (TitleChange(title="t", source="user"), ""),
        (CompactionStart(trigger="auto"), ""),
        (Rewind(to_seq=1), ""),
        (ModelChange(model="m"), ""),
        (SubagentLink(call_id="c", child_session_id="s"), ""),
    ],
)
def test_semantic_text_of_each_payload(payload: Payload, text: str, stored: object) -> None:
    """Reasoning, calls, results, blocked prompts, todos, failures and status contribute; structure does not."""
    fresh = new_event(payload, time=0)

    assert semantic_text(fresh) == text
    assert semantic_text(stored([fresh])[0]) == text  # type: ignore[operator]


def test_semantic_text_holds_a_tool_call_once(stored: object) -> None:
    """The block inside the message names the call; its text comes from the `tool/call` event alone."""
    message = new_event(AssistantMessage(content=(ToolCallBlock(id="c", name="search"),)), time=0)
    call = new_event(ToolCall(call_id="c", name="search", arguments="{}"), time=0)

    assert [semantic_text(event) for event in (message, call)] == ["", "search\n{}"]


@pytest.mark.parametrize(
    ("kind", "data"),
    [("vendor/odd", b'{"text":"hidden"}'), ("user/message", b'{"content":"hidden"}'), ("status/detail", b"[]")],
)
def test_semantic_text_of_unknown_data_is_empty(kind: str, data: bytes) -> None:
    """A type or shape this version does not know contributes nothing, and is no error."""
    event = Event(seq=0, type=kind, time=0, data=msgspec.Raw(data))

    assert semantic_text(event) == ""


def test_visible_text_is_text_blocks_as_written() -> None:
    """Text blocks joined by a newline; no reasoning, nothing trimmed; other payloads have none."""
    assert visible_text(AssistantMessage(content=BLOCKS)) == " one\n two \n\n\nthree"
    assert visible_text(StatusDetail(level="info", text="x")) == ""


def test_decode_accepts_plain_data_of_a_new_event() -> None:
    """A writer may hand in data instead of a payload; it is read as the store will store it."""
    plain = NewEvent(type="status/detail", time=0, data={"level": "info", "text": "x"})
    odd = NewEvent(type="vendor/odd", time=0, data={"a": 1})
    unknown = UnknownPayload(type="vendor/odd", data=msgspec.Raw(b"{}"))

    assert decode_payload(plain) == StatusDetail(level="info", text="x")
    assert isinstance(decode_payload(odd), UnknownPayload)
    assert decode_payload(NewEvent(type="vendor/odd", time=0, data=unknown)) is unknown
