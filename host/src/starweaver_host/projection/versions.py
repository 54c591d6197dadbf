"""The version of the projection of documents, apart from the projection: a search compares it and projects nothing."""

PROJECTION_VERSION = 1
"""Raised when the same records would give other documents; stored documents of another version are rebuilt."""

__all__ = ["PROJECTION_VERSION"]
