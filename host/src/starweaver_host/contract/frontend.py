"""What a front end is: the way in of a product. It composes the product, runs it, and answers with an exit status.

A front end is offered by a `FrontEndRegistration`; the host never calls it, `python -m` or a console script does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable


@runtime_checkable
class FrontEnd(Protocol):
    """Runs a product once. Expected errors become a message and a status here; they do not leave it."""

    def __call__(self, arguments: Sequence[str], /) -> int:
        """Run with `arguments` (no program name) and return the exit status, 0 for success."""
        ...


__all__ = ["FrontEnd"]
