"""Who owns a message that several sessions hold, and which sessions count otherwise when that changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .state import Holding, State


def owner_of(state: State, namespace_id: str, name: bytes) -> str | None:
    """Of the sessions that hold a message: the living before the deleted, then the earliest, then the smallest id."""
    holders = state.holders.get((namespace_id, name), frozenset())
    ranked = [(state.held(namespace_id, each).session.status == "deleted", at, each) for at, each in holders]
    return min(ranked)[2] if ranked else None


def owners_of(state: State, namespace_id: str, names: Iterable[bytes]) -> dict[bytes, str | None]:
    """The owner of each message, None before it is held."""
    return {name: owner_of(state, namespace_id, name) for name in names}


def touch_recounted(work: State, holding: Holding, before: Mapping[bytes, str | None]) -> None:
    """Move the feed of the other sessions that gained or lost a message since `before`: their counts changed."""
    space = holding.header.namespace_id
    after = owners_of(work, space, before)
    moved = {each for name in before if before[name] != after[name] for each in (before[name], after[name])}
    for session_id in sorted(each for each in moved if each not in (None, holding.header.session_id)):
        work.touch(work.held(space, session_id))


__all__ = ["owner_of", "owners_of", "touch_recounted"]
