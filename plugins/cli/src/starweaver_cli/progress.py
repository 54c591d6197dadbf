"""Progress of long work: one line that is rewritten on a terminal, nothing anywhere else."""

from __future__ import annotations

import sys
import time

_EVERY = 0.1


class ProgressLine:
    """A counter on standard error. Draws at most ten times a second; erased by `close`."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._shown = False
        self._next = 0.0
        self._active = sys.stderr.isatty()

    def update(self, done: int, total: int, done_bytes: int, total_bytes: int) -> None:
        """Show how many items and bytes are behind."""
        now = time.monotonic()
        if not self._active or (now < self._next and done < total):
            return
        self._next = now + _EVERY
        share = f"{done_bytes / 1e6:.0f} of {total_bytes / 1e6:.0f} MB"
        sys.stderr.write(f"\r\x1b[2K{self._label}: {done} of {total} ({share})")
        sys.stderr.flush()
        self._shown = True

    def close(self) -> None:
        """Take the line away."""
        if self._shown:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()
            self._shown = False


__all__ = ["ProgressLine"]
