"""A log as people read it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from starweaver_host.contract.display import DisplayMessage
from starweaver_host.contract.events import (
    AssistantMessage,
    Event,
    NewEvent,
    ReasoningBlock,
    TextBlock,
    ToolCall,
    ToolCallBlock,
    ToolResult,
    TurnEnd,
    TurnStart,
    UserMessage,
    new_event,
)
from starweaver_host.projection.display import display_messages

Store = Callable[[Sequence[NewEvent]], list[Event]]


def user(text: str, source: str) -> NewEvent:
    return new_event(UserMessage(content=(TextBlock(text=text),), source=source), time=2, run_id="r")


@pytest.fixture
def log(stored: Store) -> list[Event]:
    """A turn with everything in it."""
    answer = (ReasoningBlock(text="secret"), TextBlock(text="a"), ToolCallBlock(id="c", name="t"), TextBlock(text="b"))
    return stored(
        [
            new_event(TurnStart(turn=1), time=1, run_id="r"),
            user("question", "user"),
            user("context", "injected"),
            new_event(AssistantMessage(content=answer), time=3, run_id="r"),
            new_event(ToolCall(call_id="c", name="t", arguments="payload"), time=4, run_id="r"),
            new_event(ToolResult(call_id="c", text="payload", size_bytes=7), time=5, run_id="r"),
            user("hurry", "steering"),
            user("the story so far", "summary"),
            new_event(AssistantMessage(content=(ReasoningBlock(text="secret"),)), time=6, run_id="r"),
            new_event(TurnEnd(turn=1, reason="failed", error_message="overloaded"), time=7, run_id="r"),
        ]
    )


def test_display_shows_assistant_texts_and_failures(log: list[Event]) -> None:
    """Visible text and how the turn ended; no reasoning, no tool payload, no prompts."""
    assert display_messages("s", log) == [
        DisplayMessage(session_id="s", run_id="r", sequence=3, kind="text", text="a\nb", time=3),
        DisplayMessage(session_id="s", run_id="r", sequence=9, kind="error", role="system", text="overloaded", time=7),
    ]


def test_display_shows_what_people_typed_when_asked(log: list[Event]) -> None:
    """Prompts and steering in their places; not what tools injected or a compaction wrote."""
    shown = display_messages("s", log, include_user=True)

    assert [(message.role, message.text) for message in shown] == [
        ("user", "question"),
        ("assistant", "a\nb"),
        ("user", "hurry"),
        ("system", "overloaded"),
    ]


@pytest.mark.parametrize(
    ("ending", "kind", "text"),
    [
        (TurnEnd(turn=1, reason="failed"), "error", "failed"),
        (TurnEnd(turn=1, reason="cancelled"), "cancelled", "cancelled"),
        (TurnEnd(turn=1, reason="cancelled", error_message="by the user"), "cancelled", "by the user"),
        (TurnEnd(turn=1, reason="interrupted"), "cancelled", "interrupted"),
        (TurnEnd(turn=1, reason="max-tokens"), "finished", "stopped at the token limit"),
        (TurnEnd(turn=1, reason="unknown", error_message="odd"), "error", "odd"),
    ],
)
def test_display_names_an_ending_that_is_not_plain(ending: TurnEnd, kind: str, text: str, stored: Store) -> None:
    """Its own message, or else what happened."""
    (message,) = display_messages("s", stored([new_event(ending, time=1)]))

    assert (message.kind, message.role, message.text) == (kind, "system", text)


@pytest.mark.parametrize("reason", ["completed", "unknown"])
def test_display_is_silent_about_a_plain_ending(reason: str, stored: Store) -> None:
    """A turn that simply ended has nothing to say."""
    assert display_messages("s", stored([new_event(TurnEnd(turn=1, reason=reason), time=1)])) == []
