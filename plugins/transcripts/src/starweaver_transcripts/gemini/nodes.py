"""Logging the payloads of messages: at the end of the surface, in the place of one node, or of a range of them.

Which message is new, rewritten or gone is `conversation`'s; this knows nodes.
"""

from __future__ import annotations

import msgspec

from starweaver_host.contract.events import Payload, Replace, SurfaceOp
from starweaver_transcripts.turns import TurnLog, TurnState

from .entries import Entry, Node, content_of, is_surface, key_of
from .render import Rendered


class ConversationState(msgspec.Struct, array_like=True):
    """What goes on from one reading to the next."""

    turns: TurnState = TurnState()
    entries: list[Entry] = []
    abandoned: list[int] = []
    """Nodes a step back left on the surface; the next node replaces them."""
    ending: tuple[str, str] | None = None
    """How the open turn ends if no answer follows: reason and message."""
    answered: list[str] = []
    last_ms: int = 0
    prompt: str | None = None
    """The first prompt, as far as a title needs it."""


class NodeWriter:
    """Writes to a log, and notes in entries and `state` what stands where."""

    def __init__(self, log: TurnLog, state: ConversationState) -> None:
        self._log = log
        self._state = state

    def time_of(self, rendered: Rendered) -> int:
        """A message's own time, else the newest time so far."""
        time = next((at for _, at in rendered.payloads if at is not None), self._state.last_ms)
        self._state.last_ms = max(self._state.last_ms, time)
        return time

    def put(self, entry: Entry, payload: Payload, rendered: Rendered, time: int, *, in_turn: bool = True) -> None:
        """Log a payload at the end of the surface, over what a step back abandoned. Nothing is told twice."""
        if not is_surface(payload):
            if content_of(payload) not in entry.others:
                entry.others.append(content_of(payload))
                self._log.add(payload, time=time, in_turn=in_turn)
            return
        over, self._state.abandoned = self._state.abandoned, []
        entry.nodes.append(self._place(payload, rendered, time, over, in_turn=in_turn))

    def replace_each(self, entry: Entry, rendered: Rendered) -> None:
        """Replace one by one the nodes that changed; the common case is a tool result that was masked."""
        time = self.time_of(rendered)
        place = 0
        for payload, at in rendered.payloads:
            if not is_surface(payload):
                self.put(entry, payload, rendered, at or time, in_turn=False)
                continue
            node = entry.nodes[place]
            if node.content != content_of(payload):
                entry.nodes[place] = self._place(payload, rendered, at or time, [node.seq], in_turn=False)
            place += 1

    def replace_range(self, entry: Entry, over: list[int], rendered: Rendered) -> None:
        """Put a message in the place of `over`. Its results find no place behind it and are kept off the surface.

        One that says nothing takes nothing away: what stood there stays, in its name.
        """
        time = self.time_of(rendered)
        entry.nodes = []
        for payload, at in rendered.payloads:
            if not is_surface(payload):
                self.put(entry, payload, rendered, at or time, in_turn=False)
            elif over:
                entry.nodes.append(self._place(payload, rendered, at or time, over, in_turn=False))
                over = []
            else:
                self._log_node(payload, rendered, at or time, "none", [], in_turn=False)
        entry.nodes += [Node(seq, b"", b"") for seq in over]

    def _place(self, payload: Payload, rendered: Rendered, time: int, over: list[int], *, in_turn: bool) -> Node:
        operation: SurfaceOp = Replace(start=over[0], end=over[-1]) if over else "append"
        return self._log_node(payload, rendered, time, operation, over, in_turn=in_turn)

    def _log_node(
        self, payload: Payload, rendered: Rendered, time: int, op: SurfaceOp, over: list[int], *, in_turn: bool
    ) -> Node:
        seq = self._log.add(
            payload,
            time=time,
            surface_op=op,
            sources=tuple(sorted(over)),
            identity=rendered.identity if rendered.payloads[0][0] is payload else None,
            in_turn=in_turn,
        )
        return Node(seq, key_of(payload), content_of(payload))


__all__ = ["ConversationState", "NodeWriter"]
