"""What every suite of the kit stands on: declared capabilities, tests as coroutines, and the guard test.

A suite is a class whose name does not start with `Test`, so that importing it collects nothing. Its tests may be
coroutines; each runs in an event loop of its own, and a fixture that returns an `Opening` is entered in that loop.
Not for tests of one provider alone: those need no base class.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import Callable, Coroutine, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from typing import Any, ClassVar, Generic, TypeVar

import pytest

from .guard import weakenings

T = TypeVar("T")
_T_co = TypeVar("_T_co", covariant=True)


class Opening(Generic[_T_co]):
    """A provider that a coroutine test receives open: its runner enters `manager` before and leaves it after."""

    def __init__(self, manager: AbstractAsyncContextManager[_T_co]) -> None:
        self.manager = manager


class ConformanceSuite:
    """Base of the suites. A subclass says what its provider can do and supplies the suite's fixtures, nothing else."""

    CAPABILITIES: ClassVar[Mapping[str, str]] = {}
    """Everything a provider of this kind may declare: name -> what it then promises."""

    capabilities: ClassVar[frozenset[str]] = frozenset()
    """What this provider supports. Tests of a capability that is not named here are skipped, and reported as such."""

    not_yet: ClassVar[Mapping[str, str]] = {}
    """Capabilities still being built: name -> reason. Their tests run, must fail, and turn red when they pass."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for name, member in list(vars(cls).items()):
            if name.startswith("test_") and inspect.iscoroutinefunction(member):
                setattr(cls, name, in_loop(member))

    def test_suite_is_not_weakened(self) -> None:
        """No standard test is removed or replaced, and only known capabilities are declared.

        If this fails: give the test back, or mark your override `pytest.mark.xfail(strict=True, reason=...)` and say
        what is missing. A capability that you lack is left out of `capabilities`.
        """
        found = weakenings(type(self))

        assert not found, "; ".join(found)


def capability(name: str) -> pytest.MarkDecorator:
    """Mark a test or a suite as the business of providers that declare capability `name`."""
    return pytest.mark.starweaver_capability(name)


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end in a new event loop, and fail if it leaves tasks behind."""
    return asyncio.run(_without_leftovers(main))


def in_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., Any]:
    """Turn a coroutine test into one that pytest can call; inside a running loop it stays a coroutine (for `super`)."""

    @functools.wraps(test)
    def runner(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        return test(*args, **kwargs) if _in_loop() else run(_with_open_arguments(test, args, kwargs))

    return runner


def _in_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


async def _with_open_arguments(
    test: Callable[..., Coroutine[Any, Any, None]], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> None:
    async with AsyncExitStack() as stack:

        async def opened(value: Any) -> Any:
            return await stack.enter_async_context(value.manager) if isinstance(value, Opening) else value

        await test(*[await opened(value) for value in args], **{k: await opened(v) for k, v in kwargs.items()})


async def _without_leftovers(main: Coroutine[Any, Any, T]) -> T:
    result = await main
    left = [task.get_name() for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    if left:
        raise AssertionError(f"every task must have ended when the provider is closed, found {left}")
    return result


__all__ = ["ConformanceSuite", "Opening", "capability", "in_loop", "run"]
