"""OpenAI Codex CLI: bare, wrapped and paginated rollouts. Reads only; resuming is Codex's own business."""

from .source import CodexSource

__all__ = ["CodexSource"]
