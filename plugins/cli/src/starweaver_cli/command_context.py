"""The `CommandContext` of commands that plugins contribute: the same product, opened when the command asks."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from starweaver_host.build import compose
from starweaver_host.runtime import inline_offload

from .driving import run
from .product import PRODUCT

if TYPE_CHECKING:
    from starweaver_host.contract.commands import OpenServices

T = TypeVar("T")


class ComposedCommandContext:
    """`contract.commands.CommandContext` over a composed `sw`. Raises StartupError when it cannot be composed."""

    def __init__(self) -> None:
        application = compose(PRODUCT, offload=inline_offload)
        self._application = application
        self.product = application.product
        self.data_dir = application.data_dir
        self.config_dir = application.config_dir
        self.clock = application.clock
        self.logger = application.logger

    def run(self, main: Callable[[OpenServices], Awaitable[T]], /, *slots: str) -> T:
        """Open the slots, run `main` over them, close; returns its result."""

        async def opened() -> T:
            async with self._application.open_only(*slots) as services:
                return await main(services)

        # A contributed command is foreign code: it may wait for anything, so it gets an event loop.
        return run(opened, loop_free=False)


__all__ = ["ComposedCommandContext"]
