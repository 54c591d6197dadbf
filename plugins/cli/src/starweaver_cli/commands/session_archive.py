"""`sw session archive`: out of the way, still found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from starweaver_cli.options import output_option

if TYPE_CHECKING:
    from starweaver_cli.opened import Opened


@click.command("archive")
@click.argument("session")
@click.option("--undo", is_flag=True, help="Make the session active again.")
@click.option("--expected-revision", type=int, help="Refuse if the session was edited since this revision.")
@output_option("text", "json")
def command(session: str, undo: bool, expected_revision: int | None, output: str) -> None:  # noqa: FBT001 - click calls by name
    """Archive a session, or bring it back with --undo."""
    from starweaver_cli.failures import expected_errors
    from starweaver_cli.opened import run_opened

    with expected_errors(as_json=output != "text"):
        run_opened(
            lambda opened: _archive(opened, session, archived=not undo, revision=expected_revision, output=output),
            needs_search=False,
        )


async def _archive(opened: Opened, text: str, *, archived: bool, revision: int | None, output: str) -> None:
    from starweaver_cli.edits import write_edited
    from starweaver_cli.sessions import resolve_session
    from starweaver_host.contract.records import SessionChange

    session_id = await resolve_session(opened, text)
    change = SessionChange(archived=archived)
    session = await opened.store.update_session(opened.access(), session_id, change, expected_revision=revision)
    write_edited(session, "archived" if archived else "active again", output=output)


__all__ = ["command"]
