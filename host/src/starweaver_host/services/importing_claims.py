"""Which item a session's log comes from, where several hold it.

A transcript may be there twice: moved to an archive, copied to another root, taken along by a relocation. The newest
of the files that are still there is the session's transcript, whatever the order they are met in; the others are noted
and not stored.
"""

from __future__ import annotations

from collections.abc import Mapping

from starweaver_host.contract.transcripts import LedgerEntry


class Claims:
    """The holders of one source's sessions: from the ledger, of the items that are there (`found`: key -> newest)."""

    def __init__(self, entries: Mapping[str, LedgerEntry], found: Mapping[str, int]) -> None:
        self._found = found
        self._entries = dict(entries)
        self._known_holders: dict[str, str] | None = None

    def holder(self, session_id: str) -> str | None:
        """The key of the item that holds a session, if that item is still there."""
        key = self._holders.get(session_id)
        return key if key in self._found else None

    def may_take(self, session_id: str, key: str) -> bool:
        """Tell whether an item is the session's transcript: it holds it, nobody does, or the holder is older."""
        holder = self.holder(session_id)
        return holder in (None, key) or self._rank(key) > self._rank(holder)

    def entry(self, key: str) -> LedgerEntry | None:
        """What the ledger remembers of an item, as of the last `record`."""
        return self._entries.get(key)

    def record(self, entry: LedgerEntry) -> None:
        """An entry was written."""
        holders = self._holders
        self._entries[entry.item_key] = entry
        holders.update(dict.fromkeys(entry.session_ids, entry.item_key))

    @property
    def _holders(self) -> dict[str, str]:
        """Session id -> key of the item that holds it. Made on first use: where nothing changed nobody asks."""
        if self._known_holders is None:
            holders: dict[str, str] = {}
            for key, entry in self._entries.items():
                for session_id in entry.session_ids:
                    if key in self._found or session_id not in holders:
                        holders[session_id] = key
            self._known_holders = holders
        return self._known_holders

    def _rank(self, key: str | None) -> tuple[int, str]:
        return (self._found.get(key or "", 0), key or "")


__all__ = ["Claims"]
