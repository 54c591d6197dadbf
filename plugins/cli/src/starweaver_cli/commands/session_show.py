"""`sw session show`: one session and its runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from starweaver_cli.options import output_option

if TYPE_CHECKING:
    from starweaver_cli.opened import Opened
    from starweaver_host.contract.records import Run


@click.command("show")
@click.argument("session")
@click.option("--runs", type=click.IntRange(0, 500), default=20, show_default=True, help="Newest runs to show.")
@output_option()
def command(session: str, runs: int, output: str) -> None:
    """Show one session and its newest runs. SESSION is an id, a native id, or a unique prefix of one."""
    from starweaver_cli.failures import expected_errors
    from starweaver_cli.opened import run_opened

    with expected_errors(as_json=output != "text"):
        run_opened(lambda opened: _show(opened, session, runs, output), needs_search=False, bundled_examples=True)


async def _show(opened: Opened, text: str, runs: int, output: str) -> None:
    from starweaver_cli.render.sessions import write_session
    from starweaver_cli.sessions import resolve_session
    from starweaver_host.contract.store import RunListQuery

    scope = opened.access(include_deleted=True)
    session_id = await resolve_session(opened, text, include_deleted=True)
    session = await opened.store.get_session(scope, session_id)
    newest: tuple[Run, ...] = ()
    if runs:
        query = RunListQuery(newest_first=True, limit=runs)
        newest = (await opened.store.list_runs(scope, session_id, query)).runs
    write_session(session, newest[::-1], opened.resume_of(session), output=output)


__all__ = ["command"]
