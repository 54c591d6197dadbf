"""OpenCodeSource: roots, items and readings of OpenCode's sessions. An item is one session, whatever it is kept in.

What lists and reads stores is imported where there are some: most people have none.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

from starweaver_host.contract.transcripts import ReadStep, SourceEnvironment, SourceItem, SourceRoot
from starweaver_transcripts.resuming import resume_line

from .places import SOURCE, find_roots

IDLE_SECONDS = 60
"""An answer nobody wrote to for so long was left unfinished by a tool that is gone."""


class OpenCodeSource:
    """Sessions of OpenCode. `now` gives seconds since the epoch, for judging whether one is still written."""

    name = SOURCE
    reader_version = 1

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._now = now

    def roots(self, env: SourceEnvironment) -> Sequence[SourceRoot]:
        """The configured places and the data folder, which `XDG_DATA_HOME` may move."""
        return find_roots(env)

    def items(self, _env: SourceEnvironment, root: SourceRoot) -> Iterator[SourceItem]:
        """Sessions at a root: one query per generation in a database, stats in a tree."""
        from .copies import find_items

        return find_items(root)

    def read(self, env: SourceEnvironment, item: SourceItem, state: bytes | None) -> Iterator[ReadStep]:
        """Read a session from its start; hand over what follows what was handed over. Memory: one message."""
        from .readings import read_item

        is_idle = self._now() - item.newest / 1_000_000 > IDLE_SECONDS
        return read_item(item, state, is_idle=is_idle, tool_result_max_bytes=env.tool_result_max_bytes)

    def resume_command(self, native_id: str, cwd: str | None) -> str | None:
        """`opencode --session`, in the session's folder."""
        return resume_line("opencode --session", native_id, cwd)


__all__ = ["IDLE_SECONDS", "OpenCodeSource"]
