"""A database file and the generations found in it."""

from __future__ import annotations

from pathlib import Path

from starweaver_host.contract.errors import SourceError

from .ancestors import AncestorTables
from .database import reading
from .spoken import Candidate
from .tables import FirstTables, Generation, SecondTables

GENERATIONS: tuple[Generation, ...] = (FirstTables(), SecondTables(), AncestorTables())


class Database:
    """One database file and the generations found in it."""

    def __init__(self, path: Path, generations: tuple[Generation, ...] = GENERATIONS) -> None:
        self.path = path
        self._generations = generations

    def candidates(self) -> list[Candidate]:
        """All sessions. Raises SourceError when it cannot be read or holds no known tables."""
        with reading(self.path) as connection:
            found = [generation for generation in self._generations if generation.is_in(connection)]
            if not found:
                raise SourceError(
                    f"database {str(self.path)!r} must hold sessions of a known schema, none was found",
                    hint="it may be of a newer release than this importer knows",
                )
            listed = [candidate for generation in found for candidate in generation.candidates(connection)]
        return _sized(listed, self.path.stat().st_size)


def generation_of(number: int) -> Generation:
    """The generation of a number."""
    return next(generation for generation in GENERATIONS if generation.number == number)


def _sized(candidates: list[Candidate], total_bytes: int) -> list[Candidate]:
    """Candidates with their share of the file by rows: what a session really takes would cost a scan."""
    rows = sum(candidate.size_bytes for candidate in candidates) or 1
    return [each._replace(size_bytes=total_bytes * each.size_bytes // rows) for each in candidates]


__all__ = ["GENERATIONS", "Database", "generation_of"]
