"""A click group whose commands are import paths until one of them runs.

The table holds name, import path and one-line summary, so that `sw --help` prints every command and imports none.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import NamedTuple

import click


class LazyCommand(NamedTuple):
    """Where a command lives (`package.module:attribute`) and what it does."""

    target: str
    summary: str


def load_command(target: str) -> click.Command:
    """Import `package.module:attribute`; it must be a click.Command."""
    module, _, attribute = target.partition(":")
    command = getattr(importlib.import_module(module), attribute)
    if not isinstance(command, click.Command):
        raise TypeError(f"{target} is not a click.Command")
    return command


class LazyGroup(click.Group):
    """A group over a table of lazy commands.

    `contributed` is asked only for names the table does not have; what it returns is ready to run.
    """

    def __init__(
        self,
        name: str,
        table: Mapping[str, LazyCommand],
        *,
        help: str,  # noqa: A002 - click's own word
        contributed: Callable[[click.Context, str], click.Command | None] | None = None,
    ) -> None:
        super().__init__(name, help=help, context_settings={"help_option_names": ["-h", "--help"]})
        self._table = table
        self._contributed = contributed

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Names in the order of the table."""
        return list(self._table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return one command, of the table or contributed."""
        if entry := self._table.get(cmd_name):
            return load_command(entry.target)
        return self._contributed(ctx, cmd_name) if self._contributed else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the table without importing anything."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in self._table.items()])


__all__ = ["LazyCommand", "LazyGroup", "load_command"]
