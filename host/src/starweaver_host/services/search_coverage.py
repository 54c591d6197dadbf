"""Coverage of one search: what was searched, what was not, and the fixed warnings that say why.

Warnings hold no path, id or content; what could not be decoded is one warning with a count. A source stopped halfway is
listed as searched *and* as unavailable: in part.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from starweaver_host.contract.corpus import SEARCH_SOURCES, SearchSource
from starweaver_host.contract.search import (
    MAX_WARNINGS,
    CoverageState,
    CoverageWarning,
    SearchCoverage,
    WarningKind,
)

_MALFORMED = "stored records could not be decoded and were not searched"


class CoverageLog:
    """Gathers what happened while a page was made. Any warning makes a complete page partial, a fallback degraded."""

    def __init__(self, searched: Iterable[SearchSource], *, generation: str) -> None:
        self._searched = set(searched)
        self._unavailable: set[SearchSource] = set()
        self._warnings: dict[tuple[WarningKind, str], None] = {}
        self._malformed: set[Hashable] = set()
        self._is_degraded = False
        self._generation = generation

    def warn(self, kind: WarningKind, message: str) -> None:
        """Add a warning once; the same again changes nothing."""
        self._warnings[kind, message] = None

    def malformed(self, *records: Hashable) -> None:
        """Count records that could not be decoded; what names one is compared and never shown."""
        self._malformed.update(records)

    def degraded(self, message: str) -> None:
        """Say that the whole page was made in a way that may miss matches."""
        self._is_degraded = True
        self.warn("fallback", message)

    def unavailable(self, source: SearchSource) -> None:
        """Say that `source` was not, or not wholly, searched."""
        self._unavailable.add(source)

    def build(self, *, state: CoverageState | None = None, indexed_through: str | None = None) -> SearchCoverage:
        """The coverage so far: `state` if given, else `degraded` or `partial` if it was said, or `complete`."""
        if self._malformed:
            self.warn("malformed_source", f"{len(self._malformed)} {_MALFORMED}")
        found: CoverageState = "partial" if self._warnings or self._unavailable else "complete"
        found = "degraded" if self._is_degraded else found
        warnings = [CoverageWarning(kind=kind, message=message) for kind, message in self._warnings]
        return SearchCoverage(
            state=state or found,
            searched_sources=_in_order(self._searched),
            unavailable_sources=_in_order(self._unavailable),
            indexed_through=indexed_through,
            generation=self._generation,
            warnings=tuple(warnings[:MAX_WARNINGS]),
        )


def _in_order(sources: set[SearchSource]) -> tuple[SearchSource, ...]:
    return tuple(source for source in SEARCH_SOURCES if source in sources)


__all__ = ["CoverageLog"]
