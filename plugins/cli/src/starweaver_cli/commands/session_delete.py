"""`sw session delete`: fence, then tombstone. The transcript of the tool that wrote it is not touched."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from starweaver_cli.options import output_option

if TYPE_CHECKING:
    from starweaver_cli.opened import Opened


@click.command("delete")
@click.argument("session")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--expected-revision", type=int, help="Refuse if the session was edited since this revision.")
@output_option("text", "json")
def command(session: str, yes: bool, expected_revision: int | None, output: str) -> None:  # noqa: FBT001 - click calls by name
    """Delete a session here. It is never imported again; its transcript stays where it is."""
    from starweaver_cli.failures import expected_errors
    from starweaver_cli.opened import run_opened

    with expected_errors(as_json=output != "text"):
        run_opened(
            lambda opened: _delete(opened, session, sure=yes, revision=expected_revision, output=output),
            needs_search=False,
        )


async def _delete(opened: Opened, text: str, *, sure: bool, revision: int | None, output: str) -> None:
    from uuid import uuid4

    from starweaver_cli.edits import write_edited
    from starweaver_cli.sessions import resolve_session
    from starweaver_host.contract.errors import StoreError

    session_id = await resolve_session(opened, text, include_deleted=True)
    found = await opened.store.get_session(opened.access(include_deleted=True), session_id)
    if found.status == "deleted":
        write_edited(found, "deleted already", output=output)
        return
    if not sure:
        _ask(session_id, found.title)
    scope = opened.access()
    fence = found.fence.fence_id if hasattr(found.fence, "fence_id") else f"cli-delete-{uuid4()}"
    await opened.store.acquire_fence(
        scope, session_id, fence_id=fence, requested_by="sw session delete", expected_revision=revision
    )
    try:
        session = await opened.store.tombstone_session(scope, session_id, fence_id=fence)
    except StoreError:
        await opened.store.release_fence(scope, session_id, fence_id=fence)
        raise
    write_edited(session, "deleted", output=output)


def _ask(session_id: str, title: str | None) -> None:
    import sys

    from starweaver_cli.render.stream import clean_line
    from starweaver_host.contract.errors import UsageError

    if not sys.stdin.isatty():
        raise UsageError("deleting needs --yes where nobody can be asked", hint="add --yes")
    click.confirm(f"delete {clean_line(session_id)} ({clean_line(title or 'untitled')})?", abort=True, err=True)


__all__ = ["command"]
