"""Which of the titles a transcript offers is the session's.

The last name a person gave, else the last the model gave, else a summary of a message of this very file, else the
first prompt. Summaries at the top of a file usually describe other sessions, so they wait for their message.
"""

from __future__ import annotations

import msgspec

from starweaver_host.contract.records import TITLE_MAX, TitleSource
from starweaver_host.projection.titles import title_from_prompt
from starweaver_transcripts.emit import clean

PROMPT, SUMMARY, MODEL, PERSON = 1, 2, 3, 4
_SOURCES: dict[int, TitleSource] = {PROMPT: "rule", SUMMARY: "model", MODEL: "model", PERSON: "source"}
_MAX_WAITING = 256


class Titles(msgspec.Struct, array_like=True):
    """The best title so far, its rank, and summaries whose message has not been seen (row hash -> text)."""

    title: str | None = None
    rank: int = 0
    waiting: dict[int, str] = {}

    @property
    def source(self) -> TitleSource | None:
        """Where the title comes from."""
        return _SOURCES.get(self.rank)

    def offer(self, text: str | None, rank: int) -> None:
        """Take a title unless a better kind is known; within a kind the last wins, but the first prompt stays."""
        if text is None or rank < self.rank or (rank == PROMPT and self.rank == PROMPT):
            return
        title = title_from_prompt(text) if rank == PROMPT else clean(text).strip()[:TITLE_MAX]
        if title:
            self.title, self.rank = title, rank

    def await_message(self, leaf: int, text: str) -> None:
        """Keep a summary until its message appears."""
        if len(self.waiting) < _MAX_WAITING:
            self.waiting[leaf] = text

    def saw_row(self, row: int) -> None:
        """A row of this file; its summary, if one waits, is the session's."""
        if self.waiting and (text := self.waiting.pop(row, None)) is not None:
            self.offer(text, SUMMARY)


__all__ = ["MODEL", "PERSON", "PROMPT", "SUMMARY", "Titles"]
