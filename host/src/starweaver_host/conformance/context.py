"""What the suites open providers with: a clock that only a test moves, and a context over one folder."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from starweaver_host.contract.registration import ProviderContext
from starweaver_host.contract.store import SessionStore

T = TypeVar("T")
START = 1_750_000_000_000_000
"""Where a ManualClock begins: 2025-06-15, in UTC microseconds."""


class ManualClock:
    """A Clock that stands still until it is advanced."""

    def __init__(self, start: int = START) -> None:
        self._now = start

    def now(self) -> int:
        """UTC microseconds since the epoch."""
        return self._now

    def monotonic(self) -> float:
        """Seconds since the clock's epoch."""
        return self._now / 1_000_000

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self._now += round(seconds * 1_000_000)


class QuietLogger:
    """A Logger that keeps what it is told in `entries`, as (level, event, details)."""

    def __init__(self) -> None:
        self.entries: list[tuple[str, str, dict[str, object]]] = []

    def debug(self, event: str, **details: object) -> None:
        self.entries.append(("debug", event, details))

    def info(self, event: str, **details: object) -> None:
        self.entries.append(("info", event, details))

    def warning(self, event: str, **details: object) -> None:
        self.entries.append(("warning", event, details))

    def error(self, event: str, **details: object) -> None:
        self.entries.append(("error", event, details))


async def offload(function: Callable[..., T], /, *args: Any) -> T:
    """Run a blocking function on a thread."""
    return await asyncio.to_thread(function, *args)


def provider_context(
    data_dir: Path,
    *,
    clock: ManualClock | None = None,
    store: SessionStore | None = None,
    services: Mapping[str, object] | None = None,
) -> ProviderContext:
    """A context whose data and configuration live below `data_dir`, with a standing clock and a quiet logger."""
    return ProviderContext(
        product="conformance",
        data_dir=data_dir,
        config_dir=data_dir / "config",
        clock=clock or ManualClock(),
        logger=QuietLogger(),
        offload=offload,
        store=store,
        services=services or {},
    )


__all__ = ["START", "ManualClock", "QuietLogger", "offload", "provider_context"]
