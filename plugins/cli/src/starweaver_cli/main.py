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

    Output that cannot be written (a full disk) is one: an error line and status 1.
    The collector is off until a command's work begins (`driving.run`) and finds little at the exit: what a start
    imports stays to the end, and looking through it for cycles again and again is a seventh of a cold search.
    """
    gc.disable()
    if sys.stdout is None or sys.stderr is None or sys.stdin is None:
        _fill_closed_streams()
    stdout = sys.stdout
    try:
        status = main()
        stdout.flush()
    except KeyboardInterrupt:  # before a command could take care of it, while something loads
        status = 130
    except BrokenPipeError:
        status = _without_reader()
    except OSError as error:
        if error.filename is not None:  # a file's, not the stream's
            raise
        status = _unwritable(error)
    except SystemExit:
        if sys.stdout is stdout:  # click puts another stream there, and exits, when a pipe broke
            raise
        status = _without_reader()
    gc.freeze()
    sys.exit(status)


def _fill_closed_streams() -> None:
    """Put the null device where the caller closed a standard stream (`>&-`).

    Python has no stream there, and the next file that is opened, the store for one, would take the number.
    """
    import os

    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            opened = os.open(os.devnull, os.O_RDWR)
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)
            setattr(sys, name, os.fdopen(number, "w" if number else "r", encoding="utf-8"))


def _without_reader() -> int:
    """Keep the interpreter from complaining about the closed pipe when it exits."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return 0


def _unwritable(error: OSError) -> int:
    """Tell why standard output takes no more, and keep the interpreter from trying again when it exits."""
    from .failures import report_failure, wants_json

    _without_reader()
    message = f"output cannot be written: {(error.strerror or type(error).__name__).lower()}"
    return report_failure("output_failed", message, None, as_json=wants_json(sys.argv[1:]))


__all__ = ["console", "main"]
