"""Steps of a reader gathered into what one transaction takes. Synchronous, so that it runs where the reading runs.

A transaction is cut where the reader says that everything before is whole. A reader that says so too rarely is cut all
the same, to bound memory; what was stored of it then counts only once the rest is there.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from starweaver_host.contract.events import AssistantMessage, NewEvent, ReasoningBlock, TextBlock, UserMessage
from starweaver_host.contract.transcripts import (
    EventsRead,
    ItemDone,
    ReadPoint,
    ReadStep,
    RecordSkipped,
    SessionSeen,
)

_EVENT_OVERHEAD = 200
_WITH_TEXT = (TextBlock, ReasoningBlock)

SKIPS_NAMED = 3
"""How many of an item's records that could not be understood are named; all are counted."""


class Chunk:
    """Events of one session between two cuts."""

    def __init__(self, seen: SessionSeen) -> None:
        self.seen = seen
        self.replace = seen.mode == "replace"
        self.events: list[NewEvent] = []


class Cut:
    """What was read up to a cut. `state` None in the middle of something; `done` is the reader's last step.

    `skipped` counts records that could not be understood, `skips` names the first few of them.
    """

    def __init__(self) -> None:
        self.chunks: list[Chunk] = []
        self.skipped = 0
        self.skips: list[str] = []
        self.size_bytes = 0
        self.state: bytes | None = None
        self.done: ItemDone | None = None


class Cutter:
    """Pulls a reader's steps and cuts them. Not thread-safe; one call at a time, on any thread."""

    def __init__(self, steps: Iterator[ReadStep], *, batch_bytes: int) -> None:
        self._steps = steps
        self._batch_bytes = batch_bytes
        self._seen: SessionSeen | None = None

    def next_cut(self) -> Cut:
        """Read on to the next cut. Raises what the reader raises."""
        cut = Cut()
        for step in self._steps:
            self._take(cut, step)
            if cut.done is not None:
                return cut
            if isinstance(step, ReadPoint) and cut.size_bytes >= self._batch_bytes:
                cut.state = step.state
                return cut
            if cut.size_bytes >= 2 * self._batch_bytes:
                return cut
        cut.done = ItemDone(complete=False, note="the reader ended without saying so")
        return cut

    def _take(self, cut: Cut, step: ReadStep) -> None:
        match step:
            case SessionSeen():
                self._see(cut, step)
            case EventsRead(events=events):
                chunk = self._chunk(cut)
                chunk.events.extend(events)
                cut.size_bytes += sum(map(event_weight, events))
            case RecordSkipped(where=where, reason=reason):
                cut.skipped += 1
                if len(cut.skips) < SKIPS_NAMED:
                    cut.skips.append(f"{where}: {reason}")
            case ItemDone():
                cut.done, cut.state = step, step.state

    def _see(self, cut: Cut, step: SessionSeen) -> None:
        self._seen = step
        chunk = _chunk_of(cut, step)
        if chunk is None or step.mode == "replace":
            cut.chunks.append(Chunk(step))
        elif step.title is None:
            chunk.seen = msgspec.structs.replace(step, title=chunk.seen.title, title_source=chunk.seen.title_source)
        else:
            chunk.seen = step

    def _chunk(self, cut: Cut) -> Chunk:
        """The chunk of the session seen last; after a cut it goes on as an append."""
        if self._seen is None:
            raise ValueError("a reader must name a session before its events")
        chunk = _chunk_of(cut, self._seen)
        if chunk is None:
            chunk = Chunk(self._seen)
            chunk.replace = False
            cut.chunks.append(chunk)
        return chunk


def _chunk_of(cut: Cut, seen: SessionSeen) -> Chunk | None:
    for chunk in reversed(cut.chunks):
        if chunk.seen.header.session_id == seen.header.session_id:
            return chunk
    return None


def event_weight(event: NewEvent) -> int:
    """About how many bytes an event stores, without encoding it."""
    data = event.data
    if isinstance(data, UserMessage | AssistantMessage):
        return _EVENT_OVERHEAD + sum([len(block.text) for block in data.content if isinstance(block, _WITH_TEXT)])
    text = getattr(data, "text", None) or getattr(data, "arguments", None)
    return _EVENT_OVERHEAD + (len(text) if isinstance(text, str) else 0)


__all__ = ["Chunk", "Cut", "Cutter", "event_weight"]
