"""What was spoken in a session, as a log: turns, surface, and what is not current any more."""

from __future__ import annotations

from starweaver_host.contract.events import SURFACE_TYPES, Payload, UserMessage
from starweaver_transcripts.nodes import Placed, SurfaceNodes
from starweaver_transcripts.turns import TurnLog

from .spoken import SESSION_PREFIX, Ending, Spoken, StoredSession

_PROMPT_LENGTH = 4096


class Narration:
    """Writes the messages of one session, in order. `prompt` is the first thing that was asked."""

    def __init__(self, session: StoredSession) -> None:
        self.log = TurnLog()
        self.last_ms = session.created or 0
        self.prompt: str | None = None
        self._session = session
        self._nodes = SurfaceNodes()
        self._first_node: dict[str, int] = {}
        self._ending: tuple[Ending, int] | None = None
        self._keep_from: str | None = None
        self._is_reverted = False

    def take(self, spoken: Spoken) -> None:
        """Write a message."""
        is_target = spoken.id == self._session.revert_to
        self._is_reverted = self._is_reverted or (is_target and not self._session.keeps_revert)
        time = self.last_ms if spoken.time is None else spoken.time
        self.last_ms = max(self.last_ms, time)
        if spoken.role == "prompt":
            self._finish(time)
            self.log.begin(time)
            self._note_prompt(spoken)
        elif spoken.role == "answer":
            self._ending = None
        self._keep_from = spoken.keep_from or self._keep_from
        for payload, at in spoken.payloads:
            self._write(spoken, payload, time if at is None else at)
        if spoken.ending is not None:
            self._ending = (spoken.ending, time)
            if spoken.ending.is_final:
                self._finish(time)
        self._is_reverted = self._is_reverted or is_target

    def end(self) -> None:
        """Write what is known of the end of the last turn."""
        if self._ending is not None:
            self._finish(self.last_ms)

    def _write(self, spoken: Spoken, payload: Payload, time: int) -> None:
        if payload.event_type not in SURFACE_TYPES:
            self.log.add(payload, time=time)
            return
        placed = self._place(spoken, payload)
        is_message = payload.event_type != "tool/result"
        self.log.add(
            payload,
            time=time,
            surface_op=placed.op,
            sources=placed.sources,
            identity=self._identity(spoken.id) if is_message else None,
        )

    def _place(self, spoken: Spoken, payload: Payload) -> Placed:
        seq = self.log.next_seq
        if self._is_reverted:
            return Placed("none", ())
        if spoken.role == "summary" and isinstance(payload, UserMessage):
            return self._nodes.replace(0, self._kept(), seq)
        self._first_node.setdefault(spoken.id, seq)
        return self._nodes.append(seq)

    def _kept(self) -> int:
        """The position of the first node a summary leaves in place; all are replaced where none is named."""
        keep_from, self._keep_from = self._keep_from, None
        node = self._first_node.get(keep_from) if keep_from else None
        return self._nodes.seqs.index(node) if node in self._nodes.seqs else len(self._nodes)

    def _identity(self, message_id: str) -> str:
        scope = "" if message_id.startswith("msg_") else f"{self._session.id}/"
        return f"{SESSION_PREFIX}{scope}{message_id}"

    def _note_prompt(self, spoken: Spoken) -> None:
        message = spoken.payloads[0][0]
        if self.prompt is None and isinstance(message, UserMessage):
            texts = [getattr(block, "text", "") for block in message.content]
            self.prompt = "\n".join(texts)[:_PROMPT_LENGTH].strip() or None

    def _finish(self, time: int) -> None:
        """End the open turn: by what was said of its end, at the time that was said, else without a word."""
        ending, at = self._ending or (Ending("unknown"), time)
        self._ending = None
        self.log.finish(at, reason=ending.reason, code=ending.code, message=ending.message)


__all__ = ["Narration"]
