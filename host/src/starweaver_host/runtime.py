"""Clock and offload: what every provider gets from the host besides its configuration."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")


class SystemClock:
    """The machine's clock."""

    def now(self) -> int:
        """UTC microseconds since the epoch."""
        return time.time_ns() // 1000

    def monotonic(self) -> float:
        """Seconds, for deadlines."""
        return time.monotonic()


async def inline_offload(function: Callable[..., T], /, *args: Any) -> T:
    """Run a blocking function here and now: for a one-shot command, which has nothing else to do meanwhile."""
    return function(*args)


async def thread_offload(function: Callable[..., T], /, *args: Any) -> T:
    """Run a blocking function on a worker thread: for a server, whose loop must go on."""
    import asyncio

    return await asyncio.to_thread(function, *args)


__all__ = ["SystemClock", "inline_offload", "thread_offload"]
