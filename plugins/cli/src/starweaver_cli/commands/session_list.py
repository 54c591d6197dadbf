"""`sw session list`: sessions, newest first, subagents folded away."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from starweaver_cli.options import TIME, limit_option, output_option, workspace_filter

if TYPE_CHECKING:
    from starweaver_cli.opened import Opened


@click.command("list")
@click.option("--workspace", help="Id or label of a workspace, or a directory; `.` is here, a final / is all below.")
@click.option("--status", multiple=True, type=click.Choice(["active", "archived", "failed", "deleted"]))
@click.option("--profile", help="Exact profile of the session.")
@click.option("--agent", "agents", multiple=True, help="Tool that wrote the transcript (claude-code, codex, ...).")
@click.option("--since", type=TIME, help="Sessions with activity at or after: ISO 8601, 7d, yesterday.")
@click.option("--until", type=TIME, help="Sessions begun before: ISO 8601, 7d, yesterday.")
@limit_option(50, 500)
@click.option("--after", help="Token of the page before.")
@click.option("--include-subagents", is_flag=True, help="List subagent sessions as well.")
@output_option()
def command(**flags: Any) -> None:
    """List sessions, newest first."""
    from starweaver_cli.failures import expected_errors
    from starweaver_cli.opened import run_opened

    with expected_errors(as_json=flags["output"] != "text"):
        run_opened(lambda opened: _list(opened, flags), needs_search=False, bundled_examples=True)


async def _list(opened: Opened, flags: dict[str, Any]) -> None:
    import os

    from starweaver_cli.render.sessions import write_sessions
    from starweaver_cli.tokens import decode_token, encode_token
    from starweaver_host.contract.corpus import CorpusFilter, TimeRange
    from starweaver_host.contract.store import SessionListQuery

    workspace = workspace_filter(flags["workspace"], here=os.getcwd())  # noqa: PTH109 - pathlib costs a start
    below = workspace is not None and workspace.endswith("/")
    query = SessionListQuery(
        filter=CorpusFilter(
            statuses=flags["status"] or ("active", "archived", "failed"),
            profiles=(flags["profile"],) if flags["profile"] else (),
            workspaces=(workspace,) if workspace and not below else (),
            cwd_prefix=workspace if below else None,
            agents=flags["agents"],
            include_children=flags["include_subagents"],
            updated=TimeRange(start=flags["since"]),
            created=TimeRange(until=flags["until"]),
        ),
        limit=flags["limit"],
        after=decode_token(flags["after"]),
    )
    page = await opened.store.list_sessions(opened.access(include_deleted="deleted" in flags["status"]), query)
    write_sessions(page.sessions, encode_token(page.after), output=flags["output"])


__all__ = ["command"]
