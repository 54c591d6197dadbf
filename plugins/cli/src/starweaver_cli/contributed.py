"""Commands that plugins contribute through `starweaver_commands`.

Asked for only when a name is in no table of ours, so that the product's own commands never load plugins for it. A
command of ours cannot be replaced by one of a plugin; a plugin may place commands in our groups and in new ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import click

if TYPE_CHECKING:
    from starweaver_host.contract.registration import CommandRegistration


def contributed_command(context: click.Context, path: tuple[str, ...]) -> click.Command | None:
    """The command that a plugin of the product places at `path`, loaded; what it works with is `context.obj` then.

    A group of contributed commands when `path` only begins the place of some. None when there is neither, and when
    the product cannot be composed: `sw plugins check` says why, and the name is then simply not known.
    """
    return _at(context, path, _registrations())


def _registrations() -> list[CommandRegistration]:
    from starweaver_host.config.load import read_config
    from starweaver_host.contract.errors import StartupError
    from starweaver_host.discovery import discover
    from starweaver_host.registry import load_registry

    from .product import PRODUCT

    try:
        registry = load_registry(PRODUCT.name, read_config(PRODUCT).listings, discover())
    except StartupError:
        return []
    return [cast("CommandRegistration", offer.registration) for offer in registry.offers("command")]


def _at(context: click.Context, path: tuple[str, ...], found: Sequence[CommandRegistration]) -> click.Command | None:
    for each in found:
        if each.path == path:
            from .command_context import ComposedCommandContext

            command = _load(each)
            context.obj = ComposedCommandContext()
            return command
    below = [each for each in found if each.path[: len(path)] == path]
    return ContributedGroup(path, below) if below else None


class ContributedGroup(click.Group):
    """A group that only plugins place commands in. Its help shows their summaries and loads none of them."""

    def __init__(self, path: tuple[str, ...], found: Sequence[CommandRegistration]) -> None:
        super().__init__(
            path[-1], help="Commands of plugins.", context_settings={"help_option_names": ["-h", "--help"]}
        )
        self._path = path
        self._found = found

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Names of the commands and groups directly below, sorted."""
        return sorted({each.path[len(self._path)] for each in self._found})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load one command, or make the group below."""
        return _at(ctx, (*self._path, cmd_name), self._found)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the summaries as they were registered."""
        summaries = {each.path[-1]: each.summary for each in self._found if len(each.path) == len(self._path) + 1}
        with formatter.section("Commands"):
            formatter.write_dl([(name, summaries.get(name, "...")) for name in self.list_commands(ctx)])


def _load(registration: CommandRegistration) -> click.Command:
    command = registration.load()
    if not isinstance(command, click.Command):
        raise TypeError(f"command {' '.join(registration.path)!r} is {type(command).__name__}, wanted a click.Command")
    return command


__all__ = ["ContributedGroup", "contributed_command"]
