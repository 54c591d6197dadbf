"""ClaudeSource: roots, items and readings of Claude Code's transcripts. An item is one file."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

from starweaver_host.contract.transcripts import ReadStep, SourceEnvironment, SourceItem, SourceRoot
from starweaver_transcripts.lines import WalkedRoots, open_regular, tell_hidden, walk_files
from starweaver_transcripts.resuming import resume_line

from .roots import find_roots, identify, is_transcript

IDLE_SECONDS = 60
"""A file nobody wrote to for so long holds no half message: older versions never note why a message ended."""


class ClaudeSource:
    """Transcripts of Claude Code. `now` gives seconds since the epoch, for judging whether a file is still written."""

    name = "claude-code"
    reader_version = 1

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self._walked = WalkedRoots()

    def roots(self, env: SourceEnvironment) -> Sequence[SourceRoot]:
        """The configured folders, `CLAUDE_CONFIG_DIR`'s, the defaults, and Claude Desktop's."""
        return find_roots(env)

    def items(self, _env: SourceEnvironment, root: SourceRoot) -> Iterator[SourceItem]:
        """Session and subagent files below a root, any order."""
        self._walked.add(root.path)
        hidden: list[str] = []
        for found in walk_files(root.path, is_transcript, hidden):
            yield SourceItem(
                key=str(found.path),
                path=found.path,
                fingerprint=found.fingerprint,
                newest=found.newest,
                size_bytes=found.size_bytes,
            )
        tell_hidden(hidden)

    def read(self, env: SourceEnvironment, item: SourceItem, state: bytes | None) -> Iterator[ReadStep]:
        """Read a file, from `state` if it was only extended since. Memory: one message and a megabyte of events."""
        from .reader import FileReader  # a refresh that finds nothing new never reads

        root = self._walked.root_of(item.path, lambda: find_roots(env))
        with open_regular(item.path, root) as handle:
            reader = FileReader(
                handle,
                identify(item.path),
                fallback_ms=item.newest // 1000,
                is_idle=self._now() - item.newest / 1_000_000 > IDLE_SECONDS,
                tool_result_max_bytes=env.tool_result_max_bytes,
            )
            yield from reader.steps(state)

    def resume_command(self, native_id: str, cwd: str | None) -> str | None:
        """`claude --resume`, in the session's folder; subagents cannot be resumed on their own."""
        if "agent-" in native_id or "/" in native_id:
            return None
        return resume_line("claude --resume", native_id, cwd)


__all__ = ["IDLE_SECONDS", "ClaudeSource"]
