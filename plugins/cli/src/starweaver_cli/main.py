"""Entry point of `sw`. Answers `--version` before anything else is imported."""

from __future__ import annotations

import gc
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
    """The console script. A reader who goes away before the end (`sw session list | head`) is no failure.

    The collector is off until a command's work begins (`driving.run`) and finds little at the exit: what a start
    imports stays to the end, and looking through it for cycles again and again is a seventh of a cold search.
    """
    gc.disable()
    stdout = sys.stdout
    try:
        status = main()
        stdout.flush()
    except BrokenPipeError:
        status = _without_reader()
    except SystemExit:
        if sys.stdout is stdout:  # click puts another stream there, and exits, when a pipe broke
            raise
        status = _without_reader()
    gc.freeze()
    sys.exit(status)


def _without_reader() -> int:
    """Keep the interpreter from complaining about the closed pipe when it exits."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return 0


__all__ = ["console", "main"]
