"""The log of one rollout: turns, surface and identities, kept in the reader's state.

Decides where a turn begins and what a message replaces; what a record means is decided by the readers of records.
"""

from __future__ import annotations

from msgspec import structs

from starweaver_host.contract.events import (
    AssistantMessage,
    CompactionStart,
    ModelChange,
    NewEvent,
    Payload,
    Rewind,
    TextBlock,
    ToolResult,
    UserMessage,
)
from starweaver_transcripts.nodes import Placed, SurfaceNodes
from starweaver_transcripts.turns import TurnLog, TurnState

from .state import RolloutState, decode_state, encode_state
from .twins import Twins


class RolloutLog:
    """Writes events into a TurnLog and keeps the surface beside it. Not thread-safe; one per reading."""

    def __init__(self, state: RolloutState) -> None:
        self.state = state
        self.twins = Twins(state.twins)
        self._turns = TurnLog(TurnState(state.next_seq, state.turn, state.is_open))
        self._nodes = SurfaceNodes.decode(state.nodes)
        self._kept = b""
        state.nodes = b""

    def __len__(self) -> int:
        """How many events wait to be taken."""
        return len(self._turns)

    @property
    def next_seq(self) -> int:
        """The seq of the next event."""
        return self._turns.next_seq

    def take(self) -> tuple[NewEvent, ...]:
        """The events since the last call."""
        return self._turns.take()

    def keep(self) -> None:
        """Remember the state as it is: something is about to be held, and nothing is written until that is settled."""
        self._sync()
        self._kept = encode_state(self.state)

    def save(self, *, kept: bool = False) -> RolloutState:
        """The state to go on from: after everything written, or (`kept`) before what is held. Its digest is not set.

        Costs about a byte per surface node.
        """
        self._sync()
        state = (decode_state(self._kept) if kept else None) or self.state
        return structs.replace(state, nodes=self._nodes.encode())

    def _sync(self) -> None:
        self.state.next_seq, self.state.turn, self.state.is_open = self._turns.state
        self.state.twins = self.twins.counted()

    def add(self, payload: Payload) -> None:
        """Append an event that is not on the surface."""
        self._turns.add(payload, time=self.state.time)

    def add_result(self, result: ToolResult) -> None:
        """Append a tool's answer; it never stands for another event."""
        self._put(result, self._nodes.append(self._turns.next_seq), None)

    def add_message(self, message: UserMessage | AssistantMessage, identity: str | None = None) -> int:
        """Append a message; the first one after a step back stands for what was abandoned. Returns its seq."""
        return self._put(message, self._place(), identity)

    def _place(self) -> Placed:
        kept, seq = self.state.rewound_to, self._turns.next_seq
        self.state.rewound_to = None
        if kept is None:
            return self._nodes.append(seq)
        return self._nodes.replace(kept, len(self._nodes), seq)

    def _put(self, payload: Payload, placed: Placed, identity: str | None) -> int:
        return self._turns.add(
            payload, time=self.state.time, surface_op=placed.op, sources=placed.sources, identity=identity
        )

    def begin_input(self) -> bool:
        """Make ready for a person's message; tell whether it steers a turn that is already at work."""
        state = self.state
        if state.task == "running" and self._turns.is_open:
            steers = state.has_input
        else:
            self._begin()
            steers = False
        state.has_input = True
        return steers

    def begin_output(self) -> None:
        """Make ready for something the model says or does; it may open a turn nobody typed the input of."""
        if self.state.task == "announced" or not self._turns.is_open:
            self._begin()
        self._note_model()
        self.state.has_output = True

    def mark_input(self, seq: int) -> None:
        """Remember a person's message, for steps back are counted in them."""
        self.state.user_seqs.append(seq)

    def announce_task(self) -> None:
        """The writer says that a turn begins; a prompt it recorded just before belongs to it."""
        state = self.state
        prompted = self._turns.is_open and state.task == "none" and not state.has_output
        state.task = "running" if prompted else "announced"

    def finish(self, reason: str = "completed") -> None:
        """End the open turn, as failed when an error was the last word in it."""
        error, self.state.error = self.state.error, None
        if error is not None and reason in ("completed", "unknown"):
            self._turns.finish(self.state.time, reason="failed", code=error[0], message=error[1])
        else:
            self._turns.finish(self.state.time, reason=reason)
        self.state.task = "none"

    def _begin(self) -> None:
        state = self.state
        announced = state.task == "announced"
        self.finish("unknown")
        self._turns.begin(state.time, model=state.model)
        state.task = "running" if announced else "none"
        state.has_input = state.has_output = False
        self._note_model()

    def _note_model(self) -> None:
        """Tell a change of the model; some releases name a turn's model after its prompt."""
        state = self.state
        if state.model is not None and state.model != state.logged_model:
            if state.logged_model is not None:
                self.add(ModelChange(model=state.model))
            state.logged_model = state.model

    @property
    def is_empty(self) -> bool:
        """Whether the session has no event yet, on this reading or an earlier one."""
        return self._turns.next_seq == 0

    @property
    def is_open(self) -> bool:
        """Whether a turn is open."""
        return self._turns.is_open

    def compact(self, summary: str) -> None:
        """The surface becomes one message: the summary."""
        self.add(CompactionStart())
        blocks = (TextBlock(text=summary),) if summary.strip() else ()
        placed = self._nodes.replace(0, len(self._nodes), self._turns.next_seq)
        self._put(UserMessage(content=blocks, source="summary"), placed, None)
        self.state.rewound_to = None
        self.state.user_seqs = []

    def rewind(self, turns: int) -> None:
        """The person went back over the last `turns` of their messages."""
        users = self.state.user_seqs
        if turns <= 0:
            return
        self.finish("unknown")
        cut = self._nodes.seqs.index(users[-turns]) if 0 < turns <= len(users) else 0
        del users[max(len(users) - turns, 0) :]
        kept = self.state.rewound_to
        self.state.rewound_to = cut if kept is None else min(cut, kept)
        self.add(Rewind(to_seq=self._nodes.seqs[cut - 1] if cut else None))


__all__ = ["RolloutLog"]
