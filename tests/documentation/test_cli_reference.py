"""The command reference has every command and flag that the command line has, and no others."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator

import click
import pytest

from starweaver_cli.app import root


def commands(command: click.Command = root, path: tuple[str, ...] = ("sw",)) -> Iterator[tuple[str, click.Command]]:
    """Every command of the tree with its name in full, lazy ones loaded."""
    yield " ".join(path), command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from commands(below, (*path, name))


COMMANDS = dict(commands())


def flag(option: click.Option, context: click.Context) -> str:
    """How the reference writes a flag: its names, and its value where it takes one."""
    names = ", ".join([*option.opts, *option.secondary_opts])
    return names if option.is_flag else f"{names} {option.make_metavar(context)}"


@pytest.mark.parametrize("name", COMMANDS)
def test_cli_reference_shows_the_usage_of_a_command(page, name: str) -> None:
    """Each command has a heading, and below it the usage line that its help prints."""
    command = COMMANDS[name]
    usage = command.get_usage(click.Context(command, info_name=name)).removeprefix("Usage: ")

    assert usage in page("docs/reference/cli.md").section(f"`{name}`")


@pytest.mark.parametrize("name", COMMANDS)
def test_cli_reference_lists_exactly_the_flags_of_a_command(page, name: str) -> None:
    """Each flag has a row with its names, its values and its default; a row for no flag is an error."""
    command = COMMANDS[name]
    context = click.Context(command, info_name=name)
    options = [each for each in command.params if isinstance(each, click.Option)]
    wanted = {flag(option, context): str(option.default) if option.show_default else None for option in options}

    rows = page("docs/reference/cli.md").rows(f"`{name}`")
    found = {cell: row for cell, row in rows.items() if cell.startswith("-")}

    assert set(wanted) == set(found)
    for name_and_value, default in wanted.items():
        assert default is None or found[name_and_value][0] == f"`{default}`"


def test_cli_reference_has_no_heading_of_a_command_that_is_gone(page) -> None:
    """A heading that names a command names one that exists."""
    headings = [each.strip("`") for each in page("docs/reference/cli.md").headings if each.startswith("`sw")]

    assert sorted(COMMANDS) == sorted(headings)


@pytest.mark.parametrize("name", ["plugins", "config", "contract"])
def test_cli_reference_lists_exactly_the_flags_of_the_host(page, name: str) -> None:
    """The commands that work when nothing else does have their flags documented as their help prints them."""
    command = [sys.executable, "-m", "starweaver_host", name, "--help"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    options = re.findall(r"^  (--[^\n]*?)(?:  .*)?$", printed, re.MULTILINE)

    assert options
    assert set(options) == set(page("docs/reference/cli.md").rows(f"`{name}`"))
