"""The change feed: every session has the position of its latest change."""

from __future__ import annotations

from starweaver_host.contract.corpus import FeedPage, FeedRow
from starweaver_host.contract.errors import StoreError

from .base import MemoryBase, check_limit
from .state import Holding

_UNBOUNDED = 1 << 31


class MemoryFeed(MemoryBase):
    """The feed half of SearchCorpus."""

    async def changes(self, namespace_id: str, *, after: str | None = None, limit: int = 1000) -> FeedPage:
        """Rows of sessions that changed beyond `after`, ascending."""
        check_limit(limit, _UNBOUNDED)
        start = 0 if after is None else decode_position(after)
        changed = [held for held in self._state.in_namespace(namespace_id) if held.position > start]
        changed.sort(key=lambda holding: holding.position)
        page = changed[:limit]
        newest = max(start, self._state.positions.get(namespace_id, 0))
        last = page[-1].position if len(changed) > limit else newest
        return FeedPage(rows=tuple(_row(holding) for holding in page), position=encode_position(last))

    async def position(self, namespace_id: str) -> str:
        """The position of the newest commit."""
        return encode_position(self._state.positions.get(namespace_id, 0))


def encode_position(position: int) -> str:
    """A position as it is handed out."""
    return f"p{position}"


def decode_position(text: str) -> int:
    """A position that was handed out; anything else is `invalid`."""
    if not (text[:1] == "p" and text[1:].isdecimal()):
        raise StoreError("invalid", f"a position of this store's feed was wanted, found {text[:40]!r}")
    return int(text[1:])


def _row(holding: Holding) -> FeedRow:
    session = holding.session
    return FeedRow(
        session_id=session.header.session_id,
        position=encode_position(holding.position),
        revision=session.revision,
        activity_revision=session.activity_revision,
        incarnation=session.incarnation,
        last_seq=session.next_seq - 1,
        tombstone=session.status == "deleted",
    )


__all__ = ["MemoryFeed", "decode_position", "encode_position"]
