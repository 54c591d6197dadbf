"""Runs out of imported logs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starweaver_host.contract.events import (
    AssistantMessage,
    Event,
    ImageBlock,
    NewEvent,
    Payload,
    ReasoningBlock,
    StatusDetail,
    TextBlock,
    ToolCall,
    ToolCallBlock,
    ToolResult,
    TurnEnd,
    TurnStart,
    UserMessage,
    new_event,
)
from starweaver_host.contract.records import OUTPUT_PREVIEW_MAX, BinaryPart, Run, TerminalError, TextPart
from starweaver_host.projection.runs import ENDED, OPEN, RunFold

START = TurnStart(turn=1)
CALL = ToolCall(call_id="c", name="read", arguments="{}")
RESULT = ToolResult(call_id="c", text="x", size_bytes=1)


def user(text: str, source: str = "user") -> UserMessage:
    return UserMessage(content=(TextBlock(text=text),), source=source)


def model(text: str, *, calls: bool = False, interrupted: bool = False) -> AssistantMessage:
    call = (ToolCallBlock(id="c", name="read"),) if calls else ()
    return AssistantMessage(content=(TextBlock(text=text), *call), interrupted=interrupted)


def end(reason: str, **fields: str) -> TurnEnd:
    return TurnEnd(turn=1, reason=reason, **fields)


def turn(*payloads: Payload, run_id: str = "r1", time: int = 100) -> list[NewEvent]:
    """Events of one turn, a millisecond apart."""
    return [new_event(payload, time=time + place, run_id=run_id) for place, payload in enumerate(payloads)]


def runs_of(events: Sequence[NewEvent | Event]) -> tuple[Run, ...]:
    fold = RunFold("local", "s")
    for event in events:
        fold.apply(event)
    return fold.take()


def test_run_is_a_turn_from_start_to_end() -> None:
    """Its input is what was typed, its output the last visible text, its times those of the turn in microseconds."""
    events = turn(START, user("do it"), model("on it", calls=True), CALL, RESULT, model("done"), end("completed"))

    assert runs_of(events) == (
        Run(
            namespace_id="local",
            session_id="s",
            run_id="r1",
            sequence_no=1,
            status="completed",
            trigger="import",
            input=(TextPart(text="do it"),),
            output_preview="done",
            revision=ENDED,
            created_at=100_000,
            started_at=100_000,
            ended_at=106_000,
            updated_at=106_000,
        ),
    )


@pytest.mark.parametrize(
    ("ending", "status", "error"),
    [
        (end("completed"), "completed", None),
        (end("max-tokens"), "completed", None),
        (end("cancelled"), "cancelled", None),
        (end("interrupted"), "cancelled", None),
        (end("unknown"), "completed", None),
        (end("failed"), "failed", TerminalError(code="failed", message="failed")),
        (end("failed", error_code="529"), "failed", TerminalError(code="529", message="529")),
        (end("failed", error_code="529", error_message="busy"), "failed", TerminalError(code="529", message="busy")),
    ],
)
def test_run_ends_as_its_turn_did(ending: TurnEnd, status: str, error: TerminalError | None) -> None:
    """A failed run has an error, the others have none."""
    (run,) = runs_of(turn(START, user("q"), model("a"), ending))

    assert (run.status, run.terminal_error, run.revision) == (status, error, ENDED)


@pytest.mark.parametrize(
    ("payloads", "status"),
    [
        ((), "cancelled"),
        ((user("q"),), "cancelled"),
        ((user("q"), model("a")), "completed"),
        ((user("q"), model("a"), StatusDetail(level="info", text="x")), "completed"),
        ((user("q"), model(" ")), "cancelled"),
        ((user("q"), AssistantMessage(content=(ReasoningBlock(text="hm"),))), "cancelled"),
        ((user("q"), model("a", calls=True)), "cancelled"),
        ((user("q"), model("a"), CALL), "cancelled"),
        ((user("q"), model("a", calls=True), CALL, RESULT), "cancelled"),
        ((user("q"), model("a", interrupted=True)), "cancelled"),
        ((user("q"), model("a"), user("wait", "steering")), "cancelled"),
        ((user("q"), CALL, RESULT, model("a")), "completed"),
        ((user("q"), model("a"), user("context", "injected")), "completed"),
    ],
)
@pytest.mark.parametrize("followed", [False, True])
def test_run_without_an_end_is_completed_when_the_model_had_the_last_word(
    payloads: tuple[Payload, ...], status: str, *, followed: bool
) -> None:
    """Nobody owns an imported run, so it is never active; what comes after the turn makes no difference."""
    more = turn(TurnStart(turn=2), run_id="r2", time=200) if followed else []

    run = runs_of(turn(START, *payloads) + more)[0]

    assert (run.status, run.revision, run.terminal_error) == (status, OPEN, None)


def test_run_input_is_what_a_person_said() -> None:
    """Typed and steering messages, a part per text block and image; nothing a tool or another run put there."""
    picture = UserMessage(content=(TextBlock(text="see"), ImageBlock(media_type="image/png", size_bytes=9)))
    events = turn(START, picture, user("context", "injected"), user("also", "steering"), user("x", "agent"), user(" "))

    (run,) = runs_of(events)

    assert run.input == (
        TextPart(text="see"),
        BinaryPart(media_type="image/png", size_bytes=9),
        TextPart(text="also"),
    )


def test_run_output_preview_is_bounded_and_visible() -> None:
    """The last text, cut to the bound in code points; a message without text leaves the earlier one."""
    (run,) = runs_of(turn(START, model("first"), model("🎉" * 5000), AssistantMessage(content=())))

    assert run.output_preview == "🎉" * OUTPUT_PREVIEW_MAX


def test_runs_are_numbered_without_gaps() -> None:
    """In the order their turns start, whatever the turn numbers in the log say."""
    events = [*turn(TurnStart(turn=4)), *turn(TurnStart(turn=9), run_id="r2"), *turn(TurnStart(turn=1), run_id="r3")]

    assert [(run.run_id, run.sequence_no) for run in runs_of(events)] == [("r1", 1), ("r2", 2), ("r3", 3)]


def test_run_is_not_changed_by_what_is_not_its_own() -> None:
    """Events without a run, of an earlier run, after the end, or a second start change nothing."""
    whole = turn(START, user("q"), model("a"), end("failed"))
    strays = [
        *turn(user("late"), model("late"), end("completed"), CALL),
        *(msgspec.structs.replace(event, run_id=None) for event in turn(START, model("x"))),
    ]
    second = turn(START, user("next"), run_id="r2", time=200)

    assert runs_of(whole + strays + second + strays + second[:1]) == runs_of(whole + second)


def test_run_times_do_not_go_back() -> None:
    """Clocks of writers do; a run still ends at the latest time it saw."""
    events = [
        new_event(START, time=100, run_id="r"),
        new_event(model("a"), time=300, run_id="r"),
        new_event(end("completed"), time=200, run_id="r"),
    ]

    (run,) = runs_of(events)

    assert (run.started_at, run.ended_at, run.updated_at) == (100_000, 300_000, 300_000)


def test_runs_of_stored_events_equal_runs_of_new_ones(stored: Callable[[Sequence[NewEvent]], list[Event]]) -> None:
    """A log read back gives the rows it gave when it was imported."""
    events = turn(START, user("q"), model("a", calls=True), CALL, RESULT, model("b"), end("completed"))

    assert runs_of(stored(events)) == runs_of(events)


def test_take_returns_each_changed_run_once() -> None:
    """A batch holds the rows its events touched, whole."""
    fold = RunFold("local", "s")
    events = turn(START, user("q"), model("a"))

    fold.apply(events[0])
    fold.apply(events[1])
    first = fold.take()
    nothing = fold.take()
    fold.apply(events[2])
    second = fold.take()

    assert [run.output_preview for run in first] == [None]
    assert nothing == ()
    assert second == (fold.last,) == runs_of(events)


payloads = st.sampled_from(
    [
        user("q"),
        user("s", "steering"),
        user("i", "injected"),
        model("a"),
        model("b", calls=True),
        model("c", interrupted=True),
        model(""),
        CALL,
        RESULT,
        StatusDetail(level="error", text="x"),
        end("completed"),
        end("failed", error_message="boom"),
        end("unknown"),
        START,
    ]
)
events = st.builds(
    lambda payload, time, run_id: new_event(payload, time=time, run_id=run_id),
    payloads | st.just(START),
    st.integers(-5, 50),
    st.sampled_from(["r1", "r1", "r2", "r3", None]),
)


@given(st.lists(events, max_size=20), st.sets(st.integers(0, 20)))
@settings(deadline=None, max_examples=200)
def test_runs_folded_in_pieces_equal_runs_folded_at_once(log: list[NewEvent], cuts: set[int]) -> None:
    """An import may stop anywhere and go on in another process from the newest row alone."""
    rows: dict[str, Run] = {}
    last: Run | None = None
    for place, event in enumerate(log):
        if place == 0 or place in cuts:
            fold = RunFold("local", "s", last=last)
        fold.apply(event)
        rows |= {run.run_id: run for run in fold.take()}
        last = fold.last

    assert tuple(rows.values()) == runs_of(log)
