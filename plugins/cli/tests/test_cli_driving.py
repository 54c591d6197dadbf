"""Coroutines without an event loop, and with one where it is needed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from starweaver_cli.driving import run


async def _numbers() -> AsyncIterator[int]:
    for number in range(3):
        yield number


async def _sum() -> int:
    return sum([number async for number in _numbers()])


async def _sleep() -> str:
    await asyncio.sleep(0)
    return "slept"


def test_loop_free_work_runs_to_its_end() -> None:
    """Coroutines and async generators that never suspend need no loop."""
    assert run(_sum, loop_free=True) == 3


def test_work_that_waits_runs_under_a_loop() -> None:
    """A product with a provider that needs a loop gets one."""
    assert run(_sleep, loop_free=False) == "slept"


def test_false_claim_of_loop_freedom_is_named() -> None:
    """A provider that suspends although it is declared loop-free is a bug that says so."""
    with pytest.raises(RuntimeError, match="loop-free"):
        run(_sleep, loop_free=True)


def test_error_of_the_work_comes_through() -> None:
    """An exception keeps its type."""

    async def fail() -> None:
        raise KeyError("x")

    with pytest.raises(KeyError):
        run(fail, loop_free=True)
