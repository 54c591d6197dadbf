"""The command tree of `sw`, and the one place where errors become exit statuses."""

from __future__ import annotations

from collections.abc import Callable

import click

from . import __version__, exits
from .lazy import LazyCommand, LazyGroup

_COMMANDS = "starweaver_cli.commands"
SESSION = {
    "search": LazyCommand(f"{_COMMANDS}.session_search:command", "Find sessions by what was said in them."),
    "list": LazyCommand(f"{_COMMANDS}.session_list:command", "List sessions, newest first."),
    "show": LazyCommand(f"{_COMMANDS}.session_show:command", "Show one session and its runs."),
    "replay": LazyCommand(f"{_COMMANDS}.session_replay:command", "Print what was said in a session."),
    "import": LazyCommand(f"{_COMMANDS}.session_import:command", "Read transcripts into the store."),
    "rename": LazyCommand(f"{_COMMANDS}.session_rename:command", "Give a session a title of your own."),
    "archive": LazyCommand(f"{_COMMANDS}.session_archive:command", "Archive a session, or bring it back."),
    "delete": LazyCommand(f"{_COMMANDS}.session_delete:command", "Delete a session here; it stays deleted."),
}
PLUGINS = {
    "list": LazyCommand(f"{_COMMANDS}.plugins_list:command", "List installed plugins and what this product uses."),
    "check": LazyCommand(f"{_COMMANDS}.plugins_check:command", "Compose the product and report every problem."),
}
CONFIG = {
    "show": LazyCommand(f"{_COMMANDS}.config_show:command", "Print the effective configuration."),
    "get": LazyCommand(f"{_COMMANDS}.config_get:command", "Print one value."),
    "set": LazyCommand(f"{_COMMANDS}.config_set:command", "Set one value, keeping comments."),
    "path": LazyCommand(f"{_COMMANDS}.config_path:command", "Print where the configuration file is."),
}
TOP = {
    "session": LazyCommand("starweaver_cli.app:session", "Search, read and manage sessions."),
    "sources": LazyCommand(f"{_COMMANDS}.sources:command", "Show where transcripts are looked for, and what was read."),
    "plugins": LazyCommand("starweaver_cli.app:plugins", "Inspect the plugins of this product."),
    "config": LazyCommand("starweaver_cli.app:config", "Inspect and change the configuration."),
    "doctor": LazyCommand(f"{_COMMANDS}.doctor:command", "Check store, permissions, sources and retention."),
    "completion": LazyCommand(f"{_COMMANDS}.completion:command", "Print the completion script of a shell."),
}


def _contributed(*group: str) -> Callable[[click.Context, str], click.Command | None]:
    def load(context: click.Context, name: str) -> click.Command | None:
        from .contributed import contributed_command

        return contributed_command(context, (*group, name))

    return load


session = LazyGroup(
    "session",
    SESSION,
    help="Search, read and manage sessions.",
    contributed=_contributed("session"),
)
plugins = LazyGroup("plugins", PLUGINS, help="Inspect the plugins of this product.")
config = LazyGroup("config", CONFIG, help="Inspect and change the configuration.")
root = LazyGroup(
    "sw",
    TOP,
    help="Find, read and keep the sessions of your coding agents.",
    contributed=_contributed(),
)

click.option(
    "--traceback",
    is_flag=True,
    expose_value=False,
    callback=lambda _context, _parameter, wanted: _traceback(wanted),
    help="Show where an error came from.",
)(root)
click.version_option(__version__, "-V", "--version", prog_name="sw", message="%(prog)s %(version)s")(root)


def run(arguments: list[str]) -> int:
    """Run the command tree; usage errors are click's, expected errors one line with a hint, the rest a traceback."""
    try:
        status = root.main(arguments, prog_name="sw", standalone_mode=False)
    except click.exceptions.Abort:
        return exits.INTERRUPTED
    except click.ClickException as error:
        return _usage(error, arguments)
    return status if isinstance(status, int) else exits.OK


def _traceback(wanted: bool) -> None:  # noqa: FBT001 - click's callback value
    if wanted:
        from .failures import set_traceback

        set_traceback(wanted)


def _usage(error: click.ClickException, arguments: list[str]) -> int:
    from .failures import report_failure, wants_json

    if not wants_json(arguments):
        error.show()
        return error.exit_code
    return report_failure("usage", error.format_message(), None, as_json=True)


__all__ = ["CONFIG", "PLUGINS", "SESSION", "TOP", "config", "plugins", "root", "run", "session"]
