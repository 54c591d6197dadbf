"""Reading in pieces: wherever a reading stops, going on gives what one reading gives."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

FIXTURES = Path(__file__).parent / "fixtures"


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    name=st.sampled_from(["linear_v1", "tree_v2", "tree_v3"]),
    places=st.lists(st.floats(0, 1), min_size=1, max_size=4),
)
def test_reading_in_pieces_gives_the_same_log(
    name: str, places: list[float], tmp_path: Path, read_item: Callable[..., Any], pi: Any
) -> None:
    """A session that grows by any bytes, torn lines included, gives the log of the whole, with the same state."""
    data = (FIXTURES / f"{name}.jsonl").read_bytes()
    path = tmp_path / "growing.jsonl"
    path.write_bytes(data)
    whole = read_item(pi, path)

    reading = None
    for place in [*sorted(places), 1.0]:
        path.write_bytes(data[: int(len(data) * place)])
        state = None if reading is None else reading.done.state
        reading = read_item(pi, path, state=state, before=reading)

    assert reading is not None
    assert reading.only.events == whole.only.events
    assert reading.only.seen.title == whole.only.seen.title
    assert reading.done.state == whole.done.state


def test_append_reads_the_appended_bytes_alone(
    read_item: Callable[..., Any], session_file: Any, pi: Any, e: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Going on along the branch does not look at what was read before, beyond a few samples."""
    rows = [e.header(), *(e.user("x" * 1000) for _ in range(200))]
    path = session_file(rows)
    first = read_item(pi, path)
    session_file([*rows, e.user("More")])
    rebuilt: list[int] = []
    monkeypatch.setattr("starweaver_transcripts.pi.reader._Reading._rebuild", lambda self, end: rebuilt.append(end))

    again = read_item(pi, path, state=first.done.state)

    assert [line[1] for line in again.only.said()] == ["More"]
    assert rebuilt == []


def test_state_is_of_constant_size(read_item: Callable[..., Any], session_file: Any, pi: Any, e: Any) -> None:
    """What is remembered does not grow with the session."""
    few = read_item(pi, session_file([e.header(), e.user("A")])).done.state
    rows = [e.header(), e.user("A"), *(e.assistant("a") for _ in range(2000))]
    many = read_item(pi, session_file(rows)).done.state

    assert len(many) < len(few) + 32


@pytest.mark.parametrize("change", [(b"Plant", b"Fell!"), (b'"version":3', b'"version":2')])
def test_rewritten_session_is_read_anew(
    change: tuple[bytes, bytes], read_item: Callable[..., Any], session_file: Any, pi: Any, e: Any
) -> None:
    """Pi rewrites a file when it migrates it; other bytes at the beginning mean reading from the start."""
    path = session_file([e.header(), e.user("Plant"), e.assistant("a")])
    first = read_item(pi, path)
    path.write_bytes(path.read_bytes().replace(*change))

    again = read_item(pi, path, state=first.done.state)

    assert again.only.modes == ["replace"]
    assert len(again.only.events) == len(first.only.events)


def test_torn_last_line_waits(read_item: Callable[..., Any], session_file: Any, pi: Any, e: Any) -> None:
    """A line that is being written is neither read nor damage; a whole one without its newline is read."""
    path = session_file([e.header(), e.user("A")])
    whole = path.read_bytes()
    path.write_bytes(whole[:-30])
    torn = read_item(pi, path)
    path.write_bytes(whole[:-1])
    unterminated = read_item(pi, path, state=torn.done.state, before=torn)
    path.write_bytes(whole)
    last = read_item(pi, path, state=unterminated.done.state, before=unterminated)

    assert (torn.skipped, torn.only.events) == ([], [])
    assert unterminated.only.said() == [("user", "A")]
    assert last.only.events == unterminated.only.events


def test_points_of_a_long_session_can_be_gone_on_from(
    read_item: Callable[..., Any], session_file: Any, pi: Any, e: Any
) -> None:
    """A long session has resting points, also where a step back follows that the state knows nothing of."""
    rows = [e.header(), *(row for n in range(300) for row in (e.user(f"q{n}"), e.assistant(f"a{n}")))]
    rows += [e.user("edited", after="00000003"), e.assistant("ok")]
    path = session_file(rows)
    whole = read_item(pi, path)

    rests = [read_item(pi, path, state=point).only.events for point in whole.points]

    assert len(whole.points) >= 2
    for rest in rests:
        assert rest == whole.only.events[len(whole.only.events) - len(rest) :]
    assert whole.only.current() == ["q0", "a0", "q1", "edited", "ok"]
