"""Entry point of `sw`. Answers `--version` before anything else is imported."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from . import __version__


def main(argv: Sequence[str] | None = None) -> int:
    """Run `sw`; returns the exit status. `argv` is without the program name."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments in (["--version"], ["-V"]):
        sys.stdout.write(f"sw {__version__}\n")
        return 0
    from .app import run

    return run(arguments)


def console() -> None:
    """The console script."""
    sys.exit(main())


__all__ = ["console", "main"]
