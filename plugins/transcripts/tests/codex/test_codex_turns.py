"""Turns, compactions, steps back and errors of a rollout."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def _ends(session: Any) -> list[str]:
    return [end.reason for end in session.of("turn/end")]


def test_task_announced_around_its_prompt_is_one_turn(w: Any, read: Callable[..., Any]) -> None:
    """The announcement stands before the prompt in some releases and after it in others."""
    before = [w.meta(), w.event("task_started", turn_id="t"), w.typed("A"), w.said("a"), w.event("task_complete")]
    after = [w.meta(), w.typed("A"), w.event("task_started", turn_id="t"), w.said("a"), w.event("task_complete")]

    for rows in (before, after):
        session = read(rows).only
        assert len(session.of("turn/start")) == 1
        assert _ends(session) == ["completed"]
        assert {event.run_id for event in session.events} == {"turn-1"}


def test_aborted_turn_is_cancelled(w: Any, read: Callable[..., Any]) -> None:
    """A turn the person stopped ends as cancelled, and the next prompt begins another."""
    session = read(
        [w.meta(), w.typed("A"), w.event("turn_aborted", reason="interrupted"), w.typed("B"), w.said("b")]
    ).only

    assert _ends(session) == ["cancelled"]
    assert len(session.of("turn/start")) == 2


def test_error_that_was_overcome_does_not_fail_the_turn(w: Any, read: Callable[..., Any]) -> None:
    """An error is told as status; the turn failed only if the model did not answer afterwards."""
    rows = [w.meta(), w.typed("A"), w.event("error", message="overloaded"), w.said("a"), w.event("task_complete")]
    session = read(rows).only

    assert [(s.level, s.text) for s in session.of("status/detail")] == [("error", "overloaded")]
    assert _ends(session) == ["completed"]


def test_error_object_gives_kind_and_text(w: Any, read: Callable[..., Any]) -> None:
    """Older releases record an error as an object with a kind."""
    error = {"kind": "rate_limit", "message": "limit reached"}
    session = read([w.meta(), w.typed("A"), w.event("error", error=error), w.event("task_complete")]).only

    (end,) = session.of("turn/end")
    assert (end.reason, end.error_code, end.error_message) == ("failed", "rate_limit", "limit reached")


def test_last_agent_message_stands_in_for_a_turn_without_output(w: Any, read: Callable[..., Any]) -> None:
    """The end of a turn repeats its answer, which counts where nothing else recorded it."""
    session = read([w.meta(), w.typed("A"), w.event("task_complete", last_agent_message="a")]).only

    assert session.said() == [("user", "A"), ("assistant", "a")]


def test_model_is_the_turns_and_a_change_is_told(w: Any, read: Callable[..., Any]) -> None:
    """Each turn names its model; a change stands in the log once."""
    rows = [w.meta(), w.turn("1", "m1"), w.typed("A"), w.said("a"), w.turn("2", "m2"), w.typed("B"), w.said("b")]
    session = read(rows).only

    assert [start.model for start in session.of("turn/start")] == ["m1", "m2"]
    assert [m.model for m in session.of("assistant/message")] == ["m1", "m2"]
    assert [change.model for change in session.of("model/change")] == ["m2"]


def test_model_named_after_the_prompt_is_told_before_the_answer(w: Any, read: Callable[..., Any]) -> None:
    """Releases of 2025 record a turn's settings behind its prompt."""
    rows = [w.meta(), w.typed("A"), w.turn("1", "m1"), w.said("a"), w.typed("B"), w.turn("2", "m2"), w.said("b")]
    session = read(rows).only

    assert [m.model for m in session.of("assistant/message")] == ["m1", "m2"]
    assert session.types()[-2:] == ["model/change", "assistant/message"]


def test_compaction_leaves_the_summary_as_the_surface(w: Any, read: Callable[..., Any]) -> None:
    """A compaction's message replaces everything before it; its copy of the history is not read."""
    history = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "A"}]}]
    compacted = w.row("compacted", {"message": "Summary", "replacement_history": history})
    session = read([w.meta(), w.typed("A"), w.said("a"), compacted, w.typed("B"), w.said("b")]).only

    assert session.current() == ["Summary", "B", "b"]
    assert len(session.of("compaction/start")) == 1
    assert [line[1] for line in session.said()] == ["A", "a", "Summary", "B", "b"]


def test_rolled_back_turns_are_replaced_by_the_next_message(w: Any, read: Callable[..., Any]) -> None:
    """A step back over two turns keeps them in the log and takes them off the surface."""
    turns = [row for name in "ABC" for row in (w.typed(name), w.said(name.lower()), w.event("task_complete"))]
    rows = [w.meta(), *turns, w.event("thread_rolled_back", num_turns=2), w.typed("D"), w.said("d")]
    session = read(rows).only

    assert session.current() == ["A", "a", "D", "d"]
    (rewind,) = session.of("session/rewind")
    assert session.events[rewind.to_seq].data.content[0].text == "a"
    assert "b" in [line[1] for line in session.said()]


def test_rolling_back_more_turns_than_there_are_empties_the_surface(w: Any, read: Callable[..., Any]) -> None:
    """A step back beyond the beginning abandons everything."""
    rows = [w.meta(), w.typed("A"), w.said("a"), w.event("thread_rolled_back", num_turns=9), w.typed("B")]
    session = read(rows).only

    assert session.current() == ["B"]
    assert session.of("session/rewind")[0].to_seq is None


def test_two_steps_back_before_a_message_abandon_both(w: Any, read: Callable[..., Any]) -> None:
    """Steps back add up until a message is sent."""
    turns = [row for name in "ABC" for row in (w.typed(name), w.said(name.lower()))]
    back = w.event("thread_rolled_back", num_turns=1)
    session = read([w.meta(), *turns, back, back, w.typed("D")]).only

    assert session.current() == ["A", "a", "D"]


def test_parallel_calls_keep_their_own_outputs(w: Any, read: Callable[..., Any]) -> None:
    """Outputs are matched by call id, not by order."""
    rows = [w.meta(), w.typed("A")]
    rows += [w.item("function_call", name=name, arguments="{}", call_id=name) for name in ("one", "two")]
    rows += [w.item("function_call_output", call_id=name, output=f"{name}!") for name in ("two", "one")]
    session = read(rows).only

    assert [(r.call_id, r.name, r.text) for r in session.of("tool/result")] == [
        ("two", "two", "two!"),
        ("one", "one", "one!"),
    ]
