"""Text typed while the agent works.

It is queued, and then either leaves the queue as a user row of its own, is taken back by the person, or is slipped into
the running turn; only in the last case does no user row ever carry it, and the queue's record is all there is.
"""

from __future__ import annotations

import msgspec

from .branches import row_hash

_MAX_REMEMBERED = 64


class Steering(msgspec.Struct, array_like=True):
    """The queue as far as it was read, and hashes of the texts already told, newest last."""

    queued: list[str] = []
    told: list[int] = []

    def operate(self, operation: str, text: str | None) -> str | None:
        """Follow an operation on the queue; returns the text it slipped into the turn, if it did."""
        if operation == "enqueue" and text:
            self.queued.append(text)
        elif operation == "dequeue":
            self._pop(text)
        elif operation == "popAll":
            self.queued.clear()
        elif operation == "remove":
            return self.tell(self._pop(text))
        return None

    def tell(self, text: str | None) -> str | None:
        """The text, unless it was told a moment ago under another record."""
        if not text or (mark := row_hash(text)) in self.told:
            return None
        self.told = [*self.told[1 - _MAX_REMEMBERED :], mark]
        return text

    def typed(self, text: str) -> None:
        """A user row carries this text: it does not wait any longer."""
        if text in self.queued:
            self.queued.remove(text)

    def leftover(self) -> list[str]:
        """What was queued and never left the queue, when no more is to come."""
        left = [text for text in map(self.tell, self.queued) if text]
        self.queued.clear()
        return left

    def _pop(self, text: str | None) -> str | None:
        if text is not None:
            self.typed(text)
            return text
        return self.queued.pop(0) if self.queued else None


__all__ = ["Steering"]
