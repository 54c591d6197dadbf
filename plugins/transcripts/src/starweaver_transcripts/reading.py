"""The loop that turns the lines of a one-session file into read steps: batches, resting points, bad records, the end.

Used by readers whose file is one session's log in time order. What a line means is the session's business.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, Protocol

import msgspec

from starweaver_host.contract.events import NewEvent
from starweaver_host.contract.transcripts import EventsRead, ItemDone, ReadPoint, ReadStep, RecordSkipped, SessionSeen
from starweaver_transcripts.lines import Line

BATCH_EVENTS = 256
BATCH_BYTES = 2 * 1024 * 1024
_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])
Mode = Literal["append", "replace"]


class LineSession(Protocol):
    """A session being read line by line."""

    @property
    def holds(self) -> bool:
        """Whether a record waits for the next one; nothing may be written meanwhile."""
        ...

    def read(self, line: Line) -> None:
        """Read a line that is not blank. Raises ValueError for a record that cannot be understood."""
        ...

    def pass_line(self, line: Line) -> None:
        """The line is done with, whatever became of it."""
        ...

    def waiting(self) -> int:
        """How many events wait to be taken."""
        ...

    def take(self) -> tuple[NewEvent, ...]:
        """Hand over the waiting events."""
        ...

    def seen(self, mode: Mode) -> SessionSeen | None:
        """The session as known so far; None when the file has not said that it is one."""
        ...

    def seal(self) -> bytes:
        """The state to go on from, before what is held."""
        ...

    def note(self) -> str | None:
        """What was seen but could not be read, once the lines are at their end."""
        ...


def read_session(lines: Iterator[Line], session: LineSession, mode: Mode) -> Iterator[ReadStep]:
    """Read every whole line. A torn last line is left for the next reading, and so is what is held at the end."""
    taken = 0
    for line in lines:
        if not line.terminated and not is_whole(line.data):
            break
        yield from _take(session, line)
        taken += len(line.data)
        if session.holds or (session.waiting() < BATCH_EVENTS and taken < BATCH_BYTES):
            continue
        taken = 0
        if (seen := session.seen(mode)) is not None:
            mode = "append"
            yield from _batch(session, seen)
            yield ReadPoint(state=session.seal())
    if (seen := session.seen(mode)) is not None:
        yield from _batch(session, seen)
    yield ItemDone(state=session.seal(), note=session.note())


def _take(session: LineSession, line: Line) -> Iterator[ReadStep]:
    if line.data.strip():
        try:
            session.read(line)
        except ValueError as error:
            yield RecordSkipped(where=line.where(), reason=str(error))
    session.pass_line(line)


def _batch(session: LineSession, seen: SessionSeen) -> Iterator[ReadStep]:
    yield seen
    if events := session.take():
        yield EventsRead(events=events)


def is_whole(data: bytes) -> bool:
    """Whether a line without its newline is a record all the same. A torn one is normal: it is still being written."""
    try:
        _OBJECT.decode(data)
    except ValueError:
        return False
    return True


__all__ = ["BATCH_BYTES", "BATCH_EVENTS", "LineSession", "Mode", "is_whole", "read_session"]
