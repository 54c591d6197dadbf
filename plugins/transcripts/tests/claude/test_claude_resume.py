"""Reading a file in pieces: what is held back, what is resumed, and what is read again."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from starweaver_transcripts.claude import ClaudeSource

FIXTURES = Path(__file__).parent / "fixtures"
PROJECT = FIXTURES / "projects" / "-home-dev-orbit"
NAMES = [f"0a000000-0000-4000-8000-{number:012d}.jsonl" for number in range(1, 10)]


def _content(reading):
    return {key: session.stored() for key, session in reading.sessions.items()}


@pytest.mark.parametrize("name", NAMES)
@given(cut=st.floats(0, 1))
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@example(cut=0.0)
def test_reading_in_two_pieces_gives_what_reading_at_once_gives(name, cut, read_item, tmp_path):
    """Wherever a growing file is cut, resuming gives the log that one reading gives."""
    data = (PROJECT / name).read_bytes()
    path = tmp_path / "projects" / "p" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    busy, idle = ClaudeSource(now=lambda: 0.0), ClaudeSource(now=lambda: 4e9)
    path.write_bytes(data[: int(len(data) * cut)])
    first = read_item(busy, path, root=tmp_path)
    with path.open("ab") as handle:
        handle.write(data[int(len(data) * cut) :])

    second = read_item(idle, path, root=tmp_path, state=first.done.state, before=first)

    path.unlink()
    path.write_bytes(data)
    assert _content(second) == _content(read_item(idle, path, root=tmp_path))
    assert len(first.skipped) + len(second.skipped) == len(read_item(idle, path, root=tmp_path).skipped)


def test_last_message_is_held_back_while_it_may_grow(transcript, read_item, busy, idle):
    """A message without a reason to have stopped is held back while the file is written, and read when it is idle."""
    transcript.user("go")
    transcript.assistant("m1", "thinking aloud")
    path = transcript.save()

    held = read_item(busy, path)
    whole = read_item(idle, path, state=held.done.state, before=held)

    assert (held.only.said(), held.done.complete) == ([("user", "go")], False)
    assert (whole.only.said(), whole.done.complete) == ([("user", "go"), ("assistant", "thinking aloud")], True)


def test_message_that_stopped_is_not_held_back(transcript, read_item, busy):
    """A message whose stop reason is written is whole, whoever writes the file."""
    transcript.user("go")
    transcript.assistant("m1", "done", message={"stop_reason": "end_turn"})

    reading = read_item(busy, transcript.save())

    assert (len(reading.only.said()), reading.done.complete) == (2, True)


def test_held_message_grows_into_one_message(transcript, read_item, busy, idle):
    """Lines that arrive later join the message that was held back."""
    transcript.user("go")
    transcript.assistant("m1", "first")
    held = read_item(busy, transcript.save())
    transcript.call("m1", "c1")
    transcript.result("c1")

    reading = read_item(idle, transcript.save(), state=held.done.state, before=held)

    (message,) = reading.only.of("assistant/message")
    assert len(message.content) == 2
    assert reading.only.modes == ["append"]


def test_unchanged_file_resumed_gives_nothing(transcript, read_item, idle):
    """Resuming at the end of a file gives no event, no session, and the same state."""
    transcript.user("go")
    transcript.assistant("m1", "done")
    path = transcript.save()
    first = read_item(idle, path)

    again = read_item(idle, path, state=first.done.state)

    assert (again.sessions, again.done.state) == ({}, first.done.state)


def test_rewritten_file_is_replaced(transcript, read_item, idle):
    """A file whose beginning changed is read from its start and replaces the log."""
    transcript.user("go")
    transcript.assistant("m1", "done")
    first = read_item(idle, transcript.save())
    transcript.rows[0]["message"]["content"] = "no"
    transcript.user("more")

    reading = read_item(idle, transcript.save(), state=first.done.state)

    assert reading.only.modes == ["replace"]
    assert [text for _, text in reading.only.said()] == ["no", "done", "more"]


def test_replaced_inode_with_the_same_beginning_is_read_again(transcript, read_item, idle):
    """A file that another took the place of is not trusted to be its extension."""
    transcript.user("go")
    path = transcript.save()
    first = read_item(idle, path)
    other = path.with_suffix(".new")
    other.write_bytes(path.read_bytes())
    other.replace(path)

    reading = read_item(idle, path, state=first.done.state)

    assert reading.only.modes == ["replace"]


@pytest.mark.parametrize("state", [b"", b"garbage", b"x\x9c\x03\x00\x00\x00\x00\x01"])
def test_unreadable_state_means_from_the_start(state, transcript, read_item, idle):
    """A state this version did not write is no reason to fail."""
    transcript.user("go")

    reading = read_item(idle, transcript.save(), state=state)

    assert reading.only.said() == [("user", "go")]


def test_torn_last_line_waits_for_its_end(transcript, read_item, idle):
    """A last line that is not whole is neither read nor skipped; it is read once it is whole."""
    transcript.user("go")
    transcript.user("on and on")
    data = transcript.data()
    transcript.path.write_bytes(data[:-20])
    torn = read_item(idle, transcript.path)
    with transcript.path.open("ab") as handle:
        handle.write(data[-20:])

    whole = read_item(idle, transcript.path, state=torn.done.state, before=torn)

    assert (torn.only.said(), torn.skipped) == ([("user", "go")], [])
    assert whole.only.said() == [("user", "go"), ("user", "on and on")]


def test_last_line_without_newline_is_read_when_it_parses(transcript, read_item, idle):
    """A whole last line needs no newline, and the newline that comes later is no record."""
    transcript.user("go")
    transcript.path.write_bytes(transcript.data()[:-1])
    first = read_item(idle, transcript.path)
    with transcript.path.open("ab") as handle:
        handle.write(b"\n")

    again = read_item(idle, transcript.path, state=first.done.state)

    assert first.only.said() == [("user", "go")]
    assert (again.sessions, again.skipped) == ({}, [])


def test_read_points_resume_inside_a_large_file(transcript, read_item, idle):
    """Every read point of a large file can be resumed from, and gives the rest of the same log."""
    for number in range(12):
        transcript.user(f"prompt {number} " + "x" * 300_000)
        transcript.assistant(f"m{number}", f"answer {number}", message={"stop_reason": "end_turn"})
    path = transcript.save()
    whole = read_item(idle, path)

    rest = [read_item(idle, path, state=point) for point in whole.points]

    assert len(rest) >= 2
    for reading in rest:
        count = len(reading.only.events)
        assert whole.only.events[-count:] == reading.only.events
    assert len(whole.done.state) < 2000
