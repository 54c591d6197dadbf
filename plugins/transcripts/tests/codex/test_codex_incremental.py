"""Reading in pieces: wherever a reading stops, going on gives what one reading gives."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

FIXTURES = Path(__file__).parent / "fixtures"
ERAS = ["bare", "wrapped", "agents", "ordinal", "paginated", "paginated_twins"]


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(era=st.sampled_from(ERAS), places=st.lists(st.floats(0, 1), min_size=1, max_size=4))
def test_reading_in_pieces_gives_the_same_log(
    era: str, places: list[float], tmp_path: Path, read_item: Callable[..., Any], source: Any
) -> None:
    """A rollout that grows by any bytes, torn lines included, gives the log of the whole, with the same state."""
    data = (FIXTURES / f"{era}.jsonl").read_bytes()
    path = tmp_path / "growing.jsonl"
    path.write_bytes(data)
    whole = read_item(source, path)

    reading = None
    for place in [*sorted(places), 1.0]:
        path.write_bytes(data[: int(len(data) * place)])
        state = None if reading is None else reading.done.state
        reading = read_item(source, path, state=state, before=reading)

    assert reading is not None
    assert reading.only.events == whole.only.events
    assert reading.only.seen.title == whole.only.seen.title
    assert reading.done.state == whole.done.state


def test_unchanged_rollout_gives_no_events(rollout: Any, read_item: Callable[..., Any], source: Any, w: Any) -> None:
    """Going on where nothing was added adds nothing."""
    path = rollout([w.meta(), w.typed("Grind"), w.said("Done")])
    first = read_item(source, path)

    again = read_item(source, path, state=first.done.state)

    assert again.only.events == []
    assert again.done == first.done


@pytest.mark.parametrize("change", ["shorter", "other", "other-start"])
def test_rewritten_rollout_is_read_anew(
    change: str, rollout: Any, read_item: Callable[..., Any], source: Any, w: Any
) -> None:
    """A file that does not begin with the bytes that were read is another transcript of the session."""
    rows = [w.meta(), w.typed("Grind"), w.said("Done"), w.typed("More")]
    path = rollout(rows)
    first = read_item(source, path)
    data = path.read_bytes()
    path.write_bytes(
        {
            "shorter": data[: data.index(b"\n", 300) + 1],
            "other": data.replace(b"Grind", b"Crush"),
            "other-start": data.replace(b"0.140.0", b"0.141.0") + data[-50:],
        }[change]
    )

    again = read_item(source, path, state=first.done.state)

    assert again.only.modes[0] == "replace"
    assert again.only.events[0].type == "turn/start"


def test_prompt_at_the_end_waits_until_it_is_known_who_wrote_it(
    rollout: Any, read_item: Callable[..., Any], source: Any, w: Any
) -> None:
    """A user row is held back while the record that decides is missing, then told once."""
    rows = [w.meta(), w.typed("A"), w.said("a"), w.offered("B")]
    path = rollout(rows)
    first = read_item(source, path)
    rollout([*rows, w.typed("B")])

    second = read_item(source, path, state=first.done.state, before=first)

    assert [line[1] for line in first.only.said()] == ["A", "a"]
    assert second.only.said() == [("user", "A"), ("assistant", "a"), ("user", "B")]


def test_reading_stops_at_points_that_can_be_gone_on_from(
    rollout: Any, read_item: Callable[..., Any], source: Any, w: Any
) -> None:
    """A long rollout has resting points; going on from each gives the rest."""
    rows = [w.meta(), *(row for n in range(400) for row in (w.typed(f"q{n}"), w.said(f"a{n}")))]
    path = rollout(rows)
    whole = read_item(source, path)

    rests = [read_item(source, path, state=point).only.events for point in whole.points]

    assert len(whole.points) >= 3
    for rest in rests:
        assert rest == whole.only.events[len(whole.only.events) - len(rest) :]
    assert len({len(rest) for rest in rests}) == len(rests)


def test_state_stays_small(rollout: Any, read_item: Callable[..., Any], source: Any, w: Any) -> None:
    """What is remembered of a long session is about a byte per message beside some hundred bytes."""
    rows = [w.meta(), *(w.said(f"answer number {n}") for n in range(3000))]

    state = read_item(source, rollout(rows)).done.state

    assert len(state) < 3000 + 2000


def test_rollout_that_grows_while_it_is_read_is_read_to_a_whole_record(
    rollout: Any, environment: Any, read_item: Callable[..., Any], source: Any, w: Any
) -> None:
    """The writer does not wait: what it adds meanwhile is read now or next time, once."""
    path = rollout([w.meta(), w.typed("A")])
    env = environment()
    (item,) = source.items(env, source.roots(env)[0])
    steps = source.read(env, item, None)
    first = next(steps)
    with path.open("ab") as handle:
        handle.write(b'{"timestamp":"2026-05-04T03:59:00Z","type":"event_msg","payload":{"type":"agent_mess')
    rest = list(steps)

    again = read_item(source, path, root=path.parent, state=rest[-1].state)

    assert first.mode == "replace"
    assert again.skipped == []
    assert again.only.events == []
