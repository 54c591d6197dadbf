"""Run a coroutine to its end, with an event loop only where a provider needs one.

A one-shot command offloads inline, so coroutines of loop-free providers never suspend: they are driven by hand, which
spares the import of asyncio, a third of a cold start.
"""

from __future__ import annotations

import gc
import sys
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


def raise_interrupt() -> None:
    """Raise KeyboardInterrupt when Ctrl-C was pressed and an event loop keeps it.

    A loop turns the first Ctrl-C into a cancellation, told where the task next waits; work that never waits asks here.
    """
    task = _current_task()
    if task is not None and task.cancelling():
        raise KeyboardInterrupt


def is_interrupt(error: BaseException) -> bool:
    """Whether an exception is Ctrl-C, with a loop or without. Nothing but Ctrl-C cancels the task of a command."""
    if isinstance(error, KeyboardInterrupt):
        return True
    asyncio = sys.modules.get("asyncio")
    return asyncio is not None and isinstance(error, asyncio.CancelledError)


async def go_on() -> None:
    """Take an interrupt as heard, so that the task can wait again. Another Ctrl-C ends the command."""
    task = _current_task()
    if task is None or not task.cancelling():
        return
    import asyncio
    from contextlib import suppress

    with suppress(asyncio.CancelledError):
        await asyncio.sleep(0)  # a cancellation that was not told yet is told here
    task.uncancel()


def _current_task() -> Any:
    """The running task; None without a loop, or before asyncio was imported by whoever needs one."""
    asyncio = sys.modules.get("asyncio")
    try:
        return asyncio.current_task() if asyncio is not None else None
    except RuntimeError:
        return None


def _collect_from_here() -> None:
    """Let the collector work on what the command makes, if the start held it back; what is loaded stays as it is."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()


__all__ = ["go_on", "is_interrupt", "raise_interrupt", "run"]
