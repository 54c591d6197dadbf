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
        head = self._state.positions.get(namespace_id, 0)
        start = 0 if after is None else reached_position(after, head)
        changed = [held for held in self._state.in_namespace(namespace_id) if held.position > start]
        changed.sort(key=lambda holding: holding.position)
        page = changed[:limit]
        last = page[-1].position if len(changed) > limit else head
        rows = tuple(_row(holding) for holding in page)
        return FeedPage(rows=rows, position=encode_position(last), epoch=(await self.identity()).epoch)

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


def reached_position(text: str, head: int) -> int:
    """A position that was handed out and that the feed has reached; one past `head` is `invalid`."""
    position = decode_position(text)
    if position > head:
        raise StoreError("invalid", f"a position up to {encode_position(head)} was wanted, found {text[:40]!r}")
    return position


def _row(holding: Holding) -> FeedRow:
    session = holding.session
    return FeedRow(
        session_id=session.header.session_id,
        position=encode_position(holding.position),
        source_revision=holding.position,
        revision=session.revision,
        activity_revision=session.activity_revision,
        incarnation=session.incarnation,
        last_seq=session.next_seq - 1,
        tombstone=session.status == "deleted",
    )


__all__ = ["MemoryFeed", "decode_position", "encode_position", "reached_position"]
