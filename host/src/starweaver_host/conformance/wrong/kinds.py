"""What is said of a wrong provider: the test that must find it, and where else it may be noticed."""

from __future__ import annotations

from typing import Any, NamedTuple


class Wrong(NamedTuple):
    """A wrong provider. `test` must fail; other tests may fail in `groups` (names of rule classes) only.

    `declares` are capabilities it claims.
    """

    provider: Any
    test: str
    groups: frozenset[str]
    declares: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """The provider's name."""
        name: str = self.provider.__name__
        return name


CORPUS = ("CorpusRules", "SnapshotRules")
"""The groups that scan documents."""


def wrong(provider: Any, test: str, *groups: str, declares: frozenset[str] = frozenset()) -> Wrong:
    """Describe a wrong provider."""
    return Wrong(provider, test, frozenset(groups), declares)


__all__ = ["CORPUS", "Wrong", "wrong"]
