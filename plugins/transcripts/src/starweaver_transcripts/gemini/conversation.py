"""A conversation that is appended to, rewritten, rewound and replaced, as an append-only log with a surface.

Everything depends on the order of operations alone. A version of a message that was logged stays in the log; the later
one takes its place on the surface. Knows messages and nodes, not lines or files.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from starweaver_host.contract.events import (
    CompactionStart,
    Rewind,
    StatusDetail,
    UserMessage,
)
from starweaver_transcripts.turns import TurnLog

from .entries import Entry, digest_of, id_of, is_surface, key_of
from .nodes import ConversationState, NodeWriter
from .records import Message
from .render import Rendered, Renderer

_PROMPT_LENGTH = 4096


class Conversation:
    """Applies operations to a log. `state` is changed in place."""

    def __init__(self, log: TurnLog, state: ConversationState, renderer: Renderer) -> None:
        self._log = log
        self.state = state
        self._nodes = NodeWriter(log, state)
        self._renderer = renderer
        self._places = {entry.id: place for place, entry in enumerate(state.entries)}

    def put(self, message: Message) -> None:
        """Take a message: a new one joins the end, another version of a known one takes its place."""
        rendered = self._render(message)
        place = self._places.get(id_of(message.id))
        if place is None:
            self._append(rendered)
        elif self.state.entries[place].digest != digest_of(rendered):
            self._rewrite(place, rendered)

    def rewind(self, message_id: str) -> None:
        """Drop a message and all that follow it; all messages when it is not known."""
        place = self._places.get(id_of(message_id), 0)
        entries = self.state.entries
        before = [node.seq for entry in entries[:place] for node in entry.nodes]
        self._log.add(Rewind(to_seq=before[-1] if before else None), time=self.state.last_ms)
        self._cut(place)

    def checkpoint(self, messages: Sequence[Message]) -> None:
        """Take the whole list of messages as it is now: what stays the same stays, the rest is replaced."""
        wanted = [self._render(message) for message in {message.id: message for message in messages}.values()]
        entries = self.state.entries
        start, end = self._common(wanted)
        old, new = entries[start : len(entries) - end], wanted[start : len(wanted) - end]
        if [entry.id for entry in old] == [id_of(each.id) for each in new]:
            for place, rendered in enumerate(new, start):
                if entries[place].digest != digest_of(rendered):
                    self._rewrite(place, rendered)
        elif not end:
            self._replace_tail(start, new)
        else:
            if not new:
                end -= 1
                old, new = entries[start : len(entries) - end], wanted[start : len(wanted) - end]
            self._replace_middle(start, old, new)

    def end(self) -> None:
        """Close a turn that ended with a failure or was stopped; any other stays open for what may follow."""
        if self.state.ending is not None:
            self._finish(self.state.last_ms)

    def _render(self, message: Message) -> Rendered:
        rendered = self._renderer.render(message, frozenset(self.state.answered))
        if rendered.answered:
            self.state.answered = list(rendered.answered)
        return rendered

    def _append(self, rendered: Rendered, *, told: Rendered | None = None, in_turn: bool = True) -> None:
        """Log a message at the end, in the words of `told` where it means something else than it says."""
        time = self._nodes.time_of(rendered)
        if in_turn and rendered.kind == "user":
            self._finish(time)
            self._log.begin(time)
            self._note_prompt(rendered)
        elif rendered.kind == "model":
            self.state.ending = None
        self._places[id_of(rendered.id)] = len(self.state.entries)
        entry = Entry(id_of(rendered.id), digest_of(rendered), [], [])
        self.state.entries.append(entry)
        told = told or rendered
        for payload, at in told.payloads:
            self._nodes.put(entry, payload, told, at or time, in_turn=in_turn)
        self._note_ending(rendered)

    def _rewrite(self, place: int, rendered: Rendered) -> None:
        """Log another version of a message that was logged before. Nodes stay in the order of their messages."""
        entry = self.state.entries[place]
        entry.digest = digest_of(rendered)
        over = [node.seq for node in entry.nodes]
        surfaces = [payload for payload, _ in rendered.payloads if is_surface(payload)]
        if not self.state.abandoned and not any(later.nodes for later in self.state.entries[place + 1 :]):
            self.state.abandoned, entry.nodes = over, []
            for payload, at in rendered.payloads:
                time = at or self._nodes.time_of(rendered)
                self._nodes.put(entry, payload, rendered, time, in_turn=rendered.kind != "user")
        elif over and [key_of(payload) for payload in surfaces] == [node.key for node in entry.nodes]:
            self._nodes.replace_each(entry, rendered)
        else:
            self._nodes.replace_range(entry, over, rendered)
        if place == len(self.state.entries) - 1:
            self._note_ending(rendered)

    def _common(self, wanted: list[Rendered]) -> tuple[int, int]:
        """How many entries are the same at the beginning and at the end."""
        have = [(entry.id, entry.digest) for entry in self.state.entries]
        want = [(id_of(rendered.id), digest_of(rendered)) for rendered in wanted]
        most = min(len(have), len(want))
        start = next((place for place in range(most) if have[place] != want[place]), most)
        most -= start
        end = next((place for place in range(most) if have[-1 - place] != want[-1 - place]), most)
        return start, end

    def _replace_tail(self, start: int, new: list[Rendered]) -> None:
        """Put messages in the place of everything from an entry on; a first new prompt there is a summary."""
        known = frozenset(self._places)
        is_grown = start == len(self.state.entries)
        self._cut(start)
        for rendered in new:
            if is_grown:
                self._append(rendered)
                continue
            is_new = id_of(rendered.id) not in known
            told = self._summary(rendered) if is_new and rendered is new[0] else rendered
            self._append(rendered, told=told, in_turn=False)

    def _replace_middle(self, start: int, old: list[Entry], new: list[Rendered]) -> None:
        """Put messages in the place of entries between others, as far as there are nodes to stand for."""
        nodes = [node.seq for entry in old for node in entry.nodes]
        known = frozenset(self._places)
        made = []
        for place, rendered in enumerate(new):
            is_last = place == len(new) - 1
            over, nodes = (nodes, []) if is_last else (nodes[:1], nodes[1:])
            entry = Entry(id_of(rendered.id), digest_of(rendered), [], [])
            is_new = id_of(rendered.id) not in known
            told = self._summary(rendered) if is_new and place == 0 and over else rendered
            self._nodes.replace_range(entry, over, told)
            made.append(entry)
        self.state.entries[start : start + len(old)] = made
        self._places = {entry.id: place for place, entry in enumerate(self.state.entries)}

    def _summary(self, rendered: Rendered) -> Rendered:
        """A prompt that stands in the place of others, told as the summary it is."""
        if rendered.kind != "user":
            return rendered
        self._log.add(CompactionStart(), time=self._nodes.time_of(rendered), in_turn=False)
        return rendered._replace(
            payloads=tuple(
                (
                    msgspec.structs.replace(payload, source="summary") if isinstance(payload, UserMessage) else payload,
                    at,
                )
                for payload, at in rendered.payloads
            )
        )

    def _cut(self, place: int) -> None:
        """Leave the entries from a place on; what they put on the surface is abandoned."""
        gone = self.state.entries[place:]
        del self.state.entries[place:]
        for entry in gone:
            del self._places[entry.id]
        self.state.abandoned = [*(node.seq for entry in gone for node in entry.nodes), *self.state.abandoned]

    def _note_prompt(self, rendered: Rendered) -> None:
        if self.state.prompt is None:
            message = rendered.payloads[0][0]
            texts = (
                [getattr(block, "text", "") for block in message.content] if isinstance(message, UserMessage) else []
            )
            self.state.prompt = "\n".join(texts)[:_PROMPT_LENGTH] or None

    def _note_ending(self, rendered: Rendered) -> None:
        if not self._log.is_open or not rendered.payloads:
            return
        if rendered.is_cancellation:
            self.state.ending = ("cancelled", "")
        elif isinstance(detail := rendered.payloads[0][0], StatusDetail) and detail.level == "error":
            self.state.ending = ("failed", detail.text)

    def _finish(self, time: int) -> None:
        """End the open turn with what was noted of its end, or without a word on how it ended."""
        reason, message = self.state.ending or ("unknown", "")
        self.state.ending = None
        self._log.finish(time, reason=reason, message=message or None)


__all__ = ["Conversation"]
