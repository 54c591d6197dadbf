"""`sw session delete`: fence, then tombstone. The transcript of the tool that wrote it is not touched."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from starweaver_cli.options import output_option

if TYPE_CHECKING:
    from starweaver_cli.opened import Opened
    from starweaver_host.contract.records import Session

OURS = "cli-delete-"
"""How the fences of this command begin: whoever finds one that was left may complete that deletion."""


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
    from starweaver_cli.edits import write_edited
    from starweaver_cli.sessions import resolve_session

    session_id = await resolve_session(opened, text, include_deleted=True)
    found = await opened.store.get_session(opened.access(include_deleted=True), session_id)
    if found.status == "deleted":
        write_edited(found, "deleted already", output=output)
        return
    if not sure:
        _ask(session_id, found.title)
    write_edited(await _tombstone(opened, found, revision), "deleted", output=output)


async def _tombstone(opened: Opened, found: Session, revision: int | None) -> Session:
    """Fence and tombstone. A fence of ours that an interrupted call left is taken up; one we made is given up again."""
    from contextlib import suppress
    from uuid import uuid4

    from starweaver_host.contract.errors import StoreError

    scope, session_id = opened.access(), found.header.session_id
    left = _fence_left(found)
    fence = left or f"{OURS}{uuid4()}"
    await opened.store.acquire_fence(
        scope, session_id, fence_id=fence, requested_by="sw session delete", expected_revision=revision
    )
    try:
        return await opened.store.tombstone_session(scope, session_id, fence_id=fence)
    except StoreError:
        if left is None:
            with suppress(StoreError):  # the first failure is the one to tell
                await opened.store.release_fence(scope, session_id, fence_id=fence)
        raise


def _fence_left(found: Session) -> str | None:
    """The fence an earlier call of this command left, None where there is none; StoreError `conflict` for another's."""
    from starweaver_host.contract.errors import StoreError
    from starweaver_host.contract.records import FenceDeleting

    if not isinstance(found.fence, FenceDeleting):
        return None
    if not found.fence.fence_id.startswith(OURS):
        raise StoreError(
            "conflict",
            f"a session that nobody deletes was wanted, found {found.header.session_id!r} being deleted by "
            f"{found.fence.requested_by!r}",
            hint="wait until it is done; what holds it can also give it up",
        )
    return found.fence.fence_id


def _ask(session_id: str, title: str | None) -> None:
    import sys

    from starweaver_cli.render.stream import clean_line
    from starweaver_host.contract.errors import UsageError

    if not sys.stdin.isatty():
        raise UsageError("deleting needs --yes where nobody can be asked", hint="add --yes")
    click.confirm(f"delete {clean_line(session_id)} ({clean_line(title or 'untitled')})?", abort=True, err=True)


__all__ = ["command"]
