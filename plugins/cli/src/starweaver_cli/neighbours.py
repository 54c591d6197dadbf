"""Messages around a hit, for `--context N`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from starweaver_host.projection.display import display_messages

from .render.stream import clean

if TYPE_CHECKING:
    from starweaver_host.contract.display import DisplayMessage
    from starweaver_host.contract.search import SessionSearchHit

    from .opened import Opened

_SPAN = 400
"""Events read on either side of a hit; messages are sparse among tool events."""
_LINE = 160


class Neighbours(NamedTuple):
    """Messages before and after a hit, one line each, in the order of the session."""

    before: list[str]
    after: list[str]


async def neighbours(opened: Opened, hit: SessionSearchHit, count: int) -> Neighbours:
    """Up to `count` messages on either side of the hit; none for a title hit."""
    seq = await _anchor(opened, hit)
    if seq is None:
        return Neighbours([], [])
    session_id = hit.location.session_id
    window = await opened.store.read_events(
        opened.access(include_deleted=True), session_id, from_seq=max(0, seq - _SPAN), limit=2 * _SPAN + 1
    )
    messages = display_messages(session_id, window.events, include_user=True)
    before = [message for message in messages if message.sequence < seq][-count:]
    after = [message for message in messages if message.sequence > seq][:count]
    return Neighbours(_lines(before), _lines(after))


def _lines(messages: list[DisplayMessage]) -> list[str]:
    return [f"{message.role}: {_one_line(message.text)}" for message in messages]


async def _anchor(opened: Opened, hit: SessionSearchHit) -> int | None:
    """The seq a hit stands at: its own for a message, the turn's first or last message for a run's texts."""
    if hit.location.display_sequence is not None:
        return hit.location.display_sequence
    if hit.run_id is None:
        return None
    seqs = await _run_seqs(opened, hit.location.session_id, hit.run_id)
    if not seqs:
        return None
    return seqs[0] if hit.source == "run_input" else seqs[-1]


async def _run_seqs(opened: Opened, session_id: str, run_id: str) -> list[int]:
    """Seqs of the run's messages, read window by window."""
    found: list[int] = []
    scope = opened.access(include_deleted=True)
    at = 0
    while True:
        window = await opened.store.read_events(scope, session_id, from_seq=at, limit=1000)
        found += [
            event.seq
            for event in window.events
            if event.run_id == run_id and event.type in {"user/message", "assistant/message"}
        ]
        if not window.events or (found and window.events[-1].run_id != run_id):
            return found
        at = window.events[-1].seq + 1


def _one_line(text: str) -> str:
    line = " ".join(clean(text).split())
    return line if len(line) <= _LINE else line[: _LINE - 1] + "…"


__all__ = ["Neighbours", "neighbours"]
