"""GeminiSource: roots, items and readings of Gemini CLI's chats. An item is a session, whatever files it lies in."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from starweaver_host.contract.transcripts import ReadStep, SourceEnvironment, SourceItem, SourceRoot
from starweaver_transcripts.lines import WalkedRoots
from starweaver_transcripts.resuming import resume_line

from .places import SOURCE, find_items, find_roots

if TYPE_CHECKING:
    from .readings import ChatReadings

IDLE_SECONDS = 60
"""A chat nobody wrote to for so long holds no half message: nothing in it says that an answer has ended."""


class GeminiSource:
    """Chats of Gemini CLI. `now` gives seconds since the epoch, for judging whether a chat is still written."""

    name = SOURCE
    reader_version = 1

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self._walked = WalkedRoots()
        self._readings: ChatReadings | None = None

    def roots(self, env: SourceEnvironment) -> Sequence[SourceRoot]:
        """The configured folders and the default one, which `GEMINI_CLI_HOME` may move."""
        return find_roots(env)

    def items(self, _env: SourceEnvironment, root: SourceRoot) -> Iterator[SourceItem]:
        """Sessions below a root, any order. What is known of project folders is looked up anew afterwards."""
        if self._readings is not None:
            self._readings.forget_projects()
        self._walked.add(root.path)
        return find_items(root)

    def read(self, env: SourceEnvironment, item: SourceItem, state: bytes | None) -> Iterator[ReadStep]:
        """Read a session, from `state` if its files were only extended since. Memory: a message, and its events."""
        if self._readings is None:
            from .readings import ChatReadings  # a refresh that finds nothing new never reads

            self._readings = ChatReadings()
        is_idle = self._now() - item.newest / 1_000_000 > IDLE_SECONDS
        root = self._walked.root_of(item.path, lambda: find_roots(env))
        return self._readings.steps(env, item, state, root=root, is_idle=is_idle)

    def resume_command(self, native_id: str, cwd: str | None) -> str | None:
        """`gemini --resume`, from the project's folder."""
        return resume_line("gemini --resume", native_id, cwd)


__all__ = ["IDLE_SECONDS", "GeminiSource"]
