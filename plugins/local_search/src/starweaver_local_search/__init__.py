"""Bounded read-through literal search over any SessionStore, without an index."""

__version__ = "0.1.0"

__all__ = ["__version__"]
