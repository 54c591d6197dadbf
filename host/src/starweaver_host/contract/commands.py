"""What a command that a plugin adds to the CLI product may use.

A command is a click command; its `click.Context.obj` is a `CommandContext`. It opens what it needs and no more, so a
command that only reads the store never starts a search provider.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Protocol, TypeVar, runtime_checkable

from .registration import Clock, Logger
from .search import SessionSearchProvider
from .store import SessionStore
from .transcripts import TranscriptSource

T = TypeVar("T")


@runtime_checkable
class OpenServices(Protocol):
    """The open providers of a product. A slot that was not opened raises LookupError, an empty optional one is None."""

    @property
    def store(self) -> SessionStore:
        """The session store."""
        ...

    @property
    def search(self) -> SessionSearchProvider | None:
        """The search provider, None in a product without one."""
        ...

    @property
    def sources(self) -> Mapping[str, TranscriptSource]:
        """Importers by provider name, in the order their plugins are listed."""
        ...


@runtime_checkable
class CommandContext(Protocol):
    """What the CLI product hands to a command."""

    product: str
    data_dir: Path
    config_dir: Path
    clock: Clock
    logger: Logger

    def run(self, main: Callable[[OpenServices], Awaitable[T]], /, *slots: str) -> T:
        """Open `slots` (every slot when none is named) and what they need, run `main`, close; return its result.

        Raises what `main` raises, and StartupError when a provider does not open.
        """
        ...


__all__ = ["CommandContext", "OpenServices"]
