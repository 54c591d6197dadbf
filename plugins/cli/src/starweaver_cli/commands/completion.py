"""`sw completion`: the script a shell evaluates. Loads neither plugins nor the container."""

from __future__ import annotations

import click

_INSTALL = {
    "bash": 'eval "$(sw completion bash)"',
    "zsh": 'eval "$(sw completion zsh)"',
    "fish": "sw completion fish | source",
}


@click.command("completion")
@click.argument("shell", type=click.Choice(sorted(_INSTALL)))
def command(shell: str) -> None:
    """Print the completion script of SHELL.

    Put this in the shell's start-up file:  eval "$(sw completion bash)"
    """
    from click.shell_completion import get_completion_class

    from starweaver_cli.app import root

    found = get_completion_class(shell)
    if found is None:
        raise click.UsageError(f"no completion for {shell}")
    click.echo(found(root, {}, "sw", "_SW_COMPLETE").source())


__all__ = ["command"]
