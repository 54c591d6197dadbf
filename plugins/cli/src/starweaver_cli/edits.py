"""What the commands that change a session print."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .render.stream import clean_line, write_line
from .render.wire import write_json

if TYPE_CHECKING:
    from starweaver_host.contract.records import Session


def write_edited(session: Session, what: str, *, output: str) -> None:
    """Say what became of the session."""
    if output == "json":
        write_json({"session": session, "outcome": what})
    else:
        write_line(f"{clean_line(session.key.session_id)} {what}: {clean_line(session.title or 'untitled')}")


__all__ = ["write_edited"]
