"""Run a coroutine to its end, with an event loop only where a provider needs one.

A one-shot command offloads inline, so coroutines of loop-free providers never suspend: they are driven by hand, which
spares the import of asyncio, a third of a cold start.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def run(main: Callable[[], Coroutine[Any, Any, T]], *, loop_free: bool) -> T:
    """The result of `main()`. With `loop_free` a suspension is a bug of the provider that claimed to be so."""
    _collect_from_here()
    if not loop_free:
        import asyncio

        return asyncio.run(main())
    coroutine = main()
    try:
        coroutine.send(None)
    except StopIteration as done:
        return done.value  # type: ignore[no-any-return]
    coroutine.close()
    raise RuntimeError("a provider that is declared loop-free waited for an event loop")


def _collect_from_here() -> None:
    """Let the collector work on what the command makes, if the start held it back; what is loaded stays as it is."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()


__all__ = ["run"]
