"""Handing over a log that may have been handed over before, so that reading in pieces gives what reading at once gives.

A reader makes a session's events anew, from its start or from a point inside; what an earlier reading handed over is
known by count and digest alone and is left out. If the events before that count became others, the log was rewritten.
Knows nothing of where events come from.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import NamedTuple

import msgspec

from starweaver_host.contract.events import NewEvent

_DIGEST_BYTES = 12


class LogMark(NamedTuple):
    """The first `length` events of a log, and the digest chained over them."""

    length: int = 0
    digest: bytes = b""


class LogRewrittenError(Exception):
    """The events an earlier reading handed over are not the beginning of this log any more."""


EMPTY_LOG = LogMark()


class Delivery:
    """Passes on the events of one session, in log order, beyond `delivered`. `begin` is where the reading starts.

    Nothing is passed on before every event up to `delivered` was found unchanged. Cost: one encoding per event.
    """

    def __init__(self, begin: LogMark = EMPTY_LOG, delivered: LogMark = EMPTY_LOG) -> None:
        self.mark = begin
        self._delivered = delivered
        self._encoder = msgspec.json.Encoder()
        self._check()

    @property
    def is_caught_up(self) -> bool:
        """Everything an earlier reading handed over was seen again."""
        return self.mark.length >= self._delivered.length

    def pass_on(self, events: Iterable[NewEvent]) -> tuple[NewEvent, ...]:
        """The events that are new. Raises LogRewrittenError at the first sign that older ones changed."""
        fresh = []
        for event in events:
            if self.is_caught_up:
                fresh.append(event)
            self._advance(event)
            self._check()
        return tuple(fresh)

    def finish(self) -> None:
        """The log ends here. Raises LogRewrittenError when it is shorter than what was handed over."""
        if not self.is_caught_up:
            raise LogRewrittenError

    def _advance(self, event: NewEvent) -> None:
        chained = blake2b(self.mark.digest, digest_size=_DIGEST_BYTES)
        chained.update(self._encoder.encode(event))
        self.mark = LogMark(self.mark.length + 1, chained.digest())

    def _check(self) -> None:
        if self.mark.length == self._delivered.length and self.mark.digest != self._delivered.digest:
            raise LogRewrittenError


__all__ = ["EMPTY_LOG", "Delivery", "LogMark", "LogRewrittenError"]
