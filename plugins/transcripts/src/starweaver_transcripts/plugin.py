"""The plugin: one registration per transcript source.

Imports the contract only; a source's module is imported when the source is built. Nothing here looks at a disk.
"""

from __future__ import annotations

from collections.abc import Iterator

from starweaver_host.contract.registration import TranscriptSourceRegistration
from starweaver_host.contract.transcripts import TranscriptSource
from starweaver_host.contract.version import CONTRACT_VERSION
from starweaver_host.hooks import hookimpl


def _claude_code(_config: object) -> TranscriptSource:
    from .claude import ClaudeSource

    return ClaudeSource()


def _codex(_config: object) -> TranscriptSource:
    from .codex import CodexSource

    return CodexSource()


def _gemini_cli(_config: object) -> TranscriptSource:
    from .gemini import GeminiSource

    return GeminiSource()


def _opencode(_config: object) -> TranscriptSource:
    from .opencode import OpenCodeSource

    return OpenCodeSource()


def _pi(_config: object) -> TranscriptSource:
    from .pi import PiSource

    return PiSource()


_SOURCES = (
    ("claude-code", "transcripts of Claude Code", _claude_code),
    ("codex", "rollouts of OpenAI Codex CLI", _codex),
    ("gemini-cli", "chats of Gemini CLI", _gemini_cli),
    ("opencode", "sessions of OpenCode", _opencode),
    ("pi", "sessions of Pi", _pi),
)


@hookimpl
def starweaver_transcript_sources() -> Iterator[TranscriptSourceRegistration]:
    """Describe the five importers."""
    for name, summary, factory in _SOURCES:
        yield TranscriptSourceRegistration(name=name, summary=summary, contract=CONTRACT_VERSION, factory=factory)
