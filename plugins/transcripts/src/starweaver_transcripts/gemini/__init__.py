"""Importer for the chats of Gemini CLI: one object a file (to 0.39), one record a line (since 0.40)."""

from .source import GeminiSource

__all__ = ["GeminiSource"]
