"""`sw session rename`: a title a person sets wins over the transcript's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from starweaver_cli.options import as_text, output_option

if TYPE_CHECKING:
    from starweaver_cli.opened import Opened


@click.command("rename")
@click.argument("session")
@click.argument("title")
@click.option("--expected-revision", type=int, help="Refuse if the session was edited since this revision.")
@output_option("text", "json")
def command(session: str, title: str, expected_revision: int | None, output: str) -> None:
    """Give a session a title of your own; an empty TITLE takes it away."""
    from starweaver_cli.failures import expected_errors
    from starweaver_cli.opened import run_opened

    with expected_errors(as_json=output != "text"):
        run_opened(lambda opened: _rename(opened, session, title, expected_revision, output), needs_search=False)


async def _rename(opened: Opened, text: str, title: str, revision: int | None, output: str) -> None:
    from starweaver_cli.edits import write_edited
    from starweaver_cli.sessions import resolve_session
    from starweaver_host.contract.records import SessionChange

    session_id = await resolve_session(opened, text)
    change = SessionChange(title=as_text(title).strip() or None)
    session = await opened.store.update_session(opened.access(), session_id, change, expected_revision=revision)
    write_edited(session, "renamed", output=output)


__all__ = ["command"]
