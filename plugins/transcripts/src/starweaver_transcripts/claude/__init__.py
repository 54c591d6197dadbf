"""Claude Code: `projects/<folder>/<session>.jsonl`, its subagents, and what they mean."""

from .source import ClaudeSource

__all__ = ["ClaudeSource"]
