"""Importer for OpenCode: trees of JSON files, the tables of 1.x and of 2.x."""

from .source import OpenCodeSource

__all__ = ["OpenCodeSource"]
