"""A session and its messages as every generation of OpenCode's storage is reduced to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from starweaver_host.contract.events import Payload

from .places import SOURCE

SESSION_PREFIX = f"{SOURCE}:"

Role = Literal["prompt", "injected", "answer", "summary", "other"]


class Ending(NamedTuple):
    """How a turn ended. `is_final`: nothing of the turn can follow."""

    reason: str
    code: str | None = None
    message: str | None = None
    is_final: bool = False


class Spoken(NamedTuple):
    """A message's payloads, each with its time in ms (None where it has none of its own).

    `is_whole` False: the tool may still write to it. `keep_from` is the id of the first message a summary leaves in
    place. `error` names a record that could not be understood.
    """

    id: str
    role: Role
    time: int | None
    payloads: tuple[tuple[Payload, int | None], ...] = ()
    is_whole: bool = True
    ending: Ending | None = None
    keep_from: str | None = None
    error: str | None = None


class StoredSession(NamedTuple):
    """A session's description. Times are milliseconds.

    `revert_to` is the message the person went back to: it and what follows is not current, or with `keeps_revert`
    what follows only.
    """

    id: str
    parent_id: str | None = None
    fork_of: str | None = None
    directory: str | None = None
    title: str | None = None
    version: str | None = None
    created: int | None = None
    updated: int | None = None
    revert_to: str | None = None
    keeps_revert: bool = False


class Candidate(NamedTuple):
    """One copy of a session: where it lies, how new it is, and what changes when it does.

    Of several copies the one that holds messages wins, then the newest, then the later generation. `newest` is
    milliseconds; `dated` gives the session's own newest time where finding it costs a read.
    """

    session_id: str
    generation: int
    has_messages: bool
    newest: int
    fingerprint: str
    size_bytes: int
    dated: Callable[[], int] | None = None


__all__ = ["SESSION_PREFIX", "Candidate", "Ending", "Role", "Spoken", "StoredSession"]
