"""The log a reader writes: events with their seqs and turns, handed over in batches.

Keeps three numbers between readings (next seq, turn, whether the turn is open) and nothing of the text. It does not
know what a turn is in a given tool: readers call `begin` and `finish`.
"""

from __future__ import annotations

from typing import NamedTuple

from starweaver_host.contract.events import NewEvent, Payload, SurfaceOp, TurnEnd, TurnStart, new_event


class TurnState(NamedTuple):
    """Where a log stands; part of a reader's resume state."""

    next_seq: int = 0
    turn: int = 0
    is_open: bool = False


_EMPTY = TurnState()


class TurnLog:
    """Collects the events of one session in log order and numbers its turns from 1."""

    def __init__(self, state: TurnState = _EMPTY) -> None:
        self.next_seq, self.turn, self.is_open = state
        self._run_id = f"turn-{self.turn}"
        self._events: list[NewEvent] = []

    @property
    def state(self) -> TurnState:
        """The three numbers to go on from."""
        return TurnState(self.next_seq, self.turn, self.is_open)

    @property
    def run_id(self) -> str | None:
        """The id of the open turn's run; None between turns. The same on every reading of the same transcript."""
        return self._run_id if self.is_open else None

    def add(
        self,
        payload: Payload,
        *,
        time: int,
        surface_op: SurfaceOp | None = None,
        sources: tuple[int, ...] = (),
        identity: str | None = None,
        in_turn: bool = True,
    ) -> int:
        """Append an event to the open turn (or to none) and return its seq. `time` is UTC milliseconds.

        `in_turn` False keeps it out of any run: text that was said before and only stands somewhere else now.
        """
        seq = self.next_seq
        self._events.append(
            new_event(
                payload,
                time=time,
                run_id=self.run_id if in_turn else None,
                surface_op=surface_op,
                source_event_seqs=sources,
                identity=identity,
            )
        )
        self.next_seq = seq + 1
        return seq

    def begin(self, time: int, *, model: str | None = None, unfinished: str = "unknown") -> None:
        """Start the next turn; one that is still open ends first with reason `unfinished`."""
        self.finish(time, reason=unfinished)
        self.turn += 1
        self._run_id = f"turn-{self.turn}"
        self.is_open = True
        self.add(TurnStart(turn=self.turn, model=model), time=time)

    def finish(
        self, time: int, *, reason: str = "completed", code: str | None = None, message: str | None = None
    ) -> None:
        """End the open turn; nothing happens between turns."""
        if self.is_open:
            self.add(TurnEnd(turn=self.turn, reason=reason, error_code=code, error_message=message), time=time)
            self.is_open = False

    def take(self) -> tuple[NewEvent, ...]:
        """Hand over the events collected since the last call."""
        events = tuple(self._events)
        self._events.clear()
        return events

    def __len__(self) -> int:
        """How many events wait to be taken."""
        return len(self._events)


__all__ = ["TurnLog", "TurnState"]
