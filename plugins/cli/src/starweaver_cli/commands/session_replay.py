"""`sw session replay`: what was said, in order, streamed window by window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from starweaver_cli.options import output_option

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starweaver_cli.opened import Opened
    from starweaver_host.contract.display import DisplayMessage

_WINDOW = 500


@click.command("replay")
@click.argument("session")
@click.option("--run", help="Only this run.")
@click.option("--after", type=click.IntRange(-1), default=-1, help="Only messages with a sequence above this.")
@click.option("--limit", type=click.IntRange(1), help="Most messages.")
@output_option()
def command(**flags: Any) -> None:
    """Print what was said in a session, oldest first. SESSION is an id, a native id, or a unique prefix of one."""
    from starweaver_cli.failures import expected_errors
    from starweaver_cli.opened import run_opened

    with expected_errors(as_json=flags["output"] != "text"):
        run_opened(lambda opened: _replay(opened, flags), needs_search=False, bundled_examples=True)


async def _replay(opened: Opened, flags: dict[str, Any]) -> None:
    from starweaver_cli.sessions import resolve_session

    session_id = await resolve_session(opened, flags["session"], include_deleted=True)
    if flags["run"]:
        await opened.store.get_run(opened.access(include_deleted=True), session_id, flags["run"])
    messages = _messages(opened, session_id, flags)
    if flags["output"] == "text":
        await _write_text(messages)
    elif flags["output"] == "jsonl":
        await _write_lines(messages, session_id)
    else:
        from starweaver_cli.render.wire import write_json

        write_json({"sessionId": session_id, "messages": [message async for message in messages]})


async def _messages(opened: Opened, session_id: str, flags: dict[str, Any]) -> AsyncIterator[DisplayMessage]:
    from starweaver_host.projection.display import display_messages

    left = flags["limit"]
    at = flags["after"] + 1
    while True:
        scope = opened.access(include_deleted=True)
        window = await opened.store.read_events(scope, session_id, from_seq=at, limit=_WINDOW)
        for message in display_messages(session_id, window.events, include_user=True):
            if flags["run"] and message.run_id != flags["run"]:
                continue
            if left is not None and left == 0:
                return
            left = None if left is None else left - 1
            yield message
        if not window.events:
            return
        at = window.events[-1].seq + 1


async def _write_text(messages: AsyncIterator[DisplayMessage]) -> None:
    from starweaver_cli.render.stream import clean, style, write_line
    from starweaver_cli.times import show_time

    async for message in messages:
        head = f"{message.role} · {show_time(message.time * 1000)} · {message.sequence}"
        write_line(style(head, bold=True, fg="green" if message.role == "user" else "cyan"))
        write_line(clean(message.text))
        write_line()


async def _write_lines(messages: AsyncIterator[DisplayMessage], session_id: str) -> None:
    from starweaver_cli.render.wire import write_json

    last = None
    async for message in messages:
        write_json(message)
        last = message.sequence
    write_json({"type": "session_replay_page", "sessionId": session_id, "lastSequence": last})


__all__ = ["command"]
