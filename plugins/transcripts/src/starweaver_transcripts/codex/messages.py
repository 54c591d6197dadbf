"""Messages of a rollout: which record of a twin is written down, who wrote a user row, where reasoning belongs.

A user row of the API is held until the record after it tells whether a person typed it; reasoning is held until the
message or call it led to. Nothing is written while something is held, so a reading can stop before what is held.
"""

from __future__ import annotations

from typing import NamedTuple

from starweaver_host.contract.events import AssistantMessage, MessageBlock, ReasoningBlock, ToolCallBlock, UserMessage
from starweaver_host.projection.titles import title_from_prompt
from starweaver_transcripts.emit import clip

from . import values
from .log import RolloutLog
from .twins import Family, key_of
from .values import Content

INJECTED_MAX_BYTES = 2048
"""What is kept of a text nobody typed."""


class _Offered(NamedTuple):
    key: bytes
    content: Content
    turn_id: str | None


class Messages:
    """Writes the messages of one rollout into its log."""

    def __init__(self, log: RolloutLog) -> None:
        self._log = log
        self._offered: list[_Offered] = []
        self._reasoning: list[str] = []

    @property
    def holds(self) -> bool:
        """Whether something waits for the next record."""
        return bool(self._offered or self._reasoning)

    def typed(self, found: Content, family: Family, turn_id: str | None) -> None:
        """A message an event or item reports: a person typed it."""
        found = found._replace(texts=tuple(values.typed_text(text) for text in found.texts))
        key = key_of("user", found.text)
        offered, self._offered = self._offered, []
        self.settle()
        self._log.state.knows_typed = True
        for other in offered:
            if other.key == key and self._log.twins.would_be_new(key, "response"):
                self._log.twins.is_new(key, "response")
                self._write_typed(other.content, key, other.turn_id)
            else:
                self._write_offered(other)
        if self._log.twins.is_new(key, family):
            self._write_typed(found, key, self._turn(turn_id))

    def offered(self, found: Content, turn_id: str | None) -> None:
        """A user row of the API: a person's, or context the tool put in."""
        self._take_directory(found)
        found = values.without_envelopes(found)
        found = found._replace(texts=tuple(values.typed_text(text) for text in found.texts))
        if not (found.texts or found.images):
            return
        key = key_of("user", found.text)
        if not self._log.twins.would_be_new(key, "response"):
            self._log.twins.is_new(key, "response")
            return
        self._settle_reasoning()
        if not self._offered:
            self._log.keep()
        self._offered.append(_Offered(key, found, self._turn(turn_id)))

    def said(self, found: Content, family: Family, turn_id: str | None) -> None:
        """A text of the model."""
        found = values.visible(found)
        key = key_of("assistant", found.text)
        if not (found.texts or found.images) or not self._log.twins.is_new(key, family):
            return
        self._write_assistant(values.blocks(found), self._identity("assistant", key, self._turn(turn_id)))
        self._log.state.error = None

    def thought(self, texts: tuple[str, ...], family: Family) -> None:
        """Parts of a reasoning summary."""
        self._settle_offered()
        if not self._reasoning:
            self._log.keep()
        twins = self._log.twins
        self._reasoning += [text for text in texts if text.strip() and twins.is_new(key_of("reasoning", text), family)]

    def called(self, call_id: str, name: str) -> None:
        """The model's decision to call a tool."""
        turn = self._turn(None)
        identity = None if turn is None else f"codex/{turn}/call/{call_id}"
        self._write_assistant((ToolCallBlock(id=call_id, name=name),), identity)

    def relayed(self, found: Content) -> None:
        """A message of another agent."""
        self.settle()
        if found.texts:
            self._log.add_message(UserMessage(content=values.blocks(found), source="agent"))

    def settle(self) -> None:
        """Write what is held: no record that could decide otherwise is coming."""
        self._settle_offered()
        self._settle_reasoning()

    def _settle_offered(self) -> None:
        offered, self._offered = self._offered, []
        for found in offered:
            if self._log.state.knows_typed:
                self._write_offered(found)
            elif self._log.twins.is_new(found.key, "response"):
                self._write_typed(found.content, found.key, found.turn_id)

    def _settle_reasoning(self) -> None:
        if self._reasoning:
            self._write_assistant((), None)

    def _write_typed(self, found: Content, key: bytes, turn: str | None) -> None:
        state = self._log.state
        source = "steering" if self._log.begin_input() else "user"
        if state.prompt_title is None:
            state.prompt_title = title_from_prompt(found.text) or None
        message = UserMessage(content=values.blocks(found), source=source)
        self._log.mark_input(self._log.add_message(message, self._identity("user", key, turn)))

    def _write_offered(self, found: _Offered) -> None:
        text = clip(found.content.text, INJECTED_MAX_BYTES).text
        content = Content((text,) if text else (), found.content.images)
        self._log.add_message(UserMessage(content=values.blocks(content), source="injected"))

    def _write_assistant(self, blocks: tuple[MessageBlock, ...], identity: str | None) -> None:
        self._settle_offered()
        self._log.begin_output()
        reasoning, self._reasoning = self._reasoning, []
        thoughts = tuple(ReasoningBlock(text=text) for text in reasoning)
        message = AssistantMessage(content=(*thoughts, *blocks), model=self._log.state.model)
        self._log.add_message(message, identity)

    def _turn(self, turn_id: str | None) -> str | None:
        return turn_id or self._log.state.turn_id

    def _identity(self, role: str, key: bytes, turn: str | None) -> str | None:
        """A name that a copy of the message in a fork has too; a text that occurs again is told by its number."""
        return None if turn is None else f"codex/{turn}/{role}/{key.hex()}/{self._log.twins.times(key)}"

    def _take_directory(self, found: Content) -> None:
        identity = self._log.state.identity
        if identity is not None and identity.cwd is None:
            identity.cwd = next(filter(None, map(values.working_directory, found.texts)), None)


__all__ = ["INJECTED_MAX_BYTES", "Messages"]
