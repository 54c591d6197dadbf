"""Rules of shared history: a message counts in one session, and whoever reads the feed learns when that changes."""

from __future__ import annotations

import itertools

import pytest
from msgspec.structs import replace

from starweaver_host.conformance.context import START
from starweaver_host.contract.records import AccessScope
from starweaver_host.contract.store import SessionStore
from starweaver_host.contract.transcripts import ImportBatch

from .imports import batch
from .samples import DAY, asks, created, deleted, key, says
from .suite import StoreSuite

LINE = ("first", "second", "third")
"""Sessions in the order of their creation. All carry m1, all but the first m2, and each a message of its own."""
LEFT = {
    None: {"first": 2, "second": 2, "third": 1},
    "first": {"first": 1, "second": 3, "third": 1},
    "second": {"first": 2, "second": 1, "third": 2},
    "third": {"first": 2, "second": 2, "third": 1},
}
"""What counts where once one of them is deleted."""


def _member(session_id: str, space: str = "local") -> ImportBatch:
    place = LINE.index(session_id)
    shared = [asks("shared", identity="m1"), *([says("as well", identity="m2")] if place else [])]
    made = batch(session_id, *shared, says("own", identity=session_id))
    assert made.session is not None
    session = replace(made.session, namespace_id=space, created_at=START + place * DAY)
    return replace(made, namespace_id=space, session=session)


async def _counts(store: SessionStore, space: str = "local") -> dict[str, int]:
    scope = AccessScope(namespace_id=space, include_deleted=True)
    return {each.header.session_id: each.counts.messages for each in await store.get_sessions(scope, LINE)}


class SharingRules(StoreSuite):
    """A message counts in the earliest of the sessions that hold it and are not deleted."""

    @pytest.mark.parametrize("gone", LINE)
    async def test_deleted_session_leaves_what_it_shared_to_the_next(self, store: SessionStore, gone: str) -> None:
        """What a deleted session shared counts in the earliest of those that are left; its own messages stay its own.

        If this fails: recount in the transaction of the tombstone.
        """
        for session_id in LINE:
            await store.import_batch(_member(session_id))
        before = await _counts(store)

        await deleted(store, gone)

        assert before == LEFT[None]
        assert await _counts(store) == LEFT[gone]

    async def test_counts_depend_on_no_order(self, store: SessionStore) -> None:
        """In whatever order sessions came, and whichever was deleted before the others were there: the same counts.

        If this fails: counts are corrected by what happens, not by who holds a message.
        """
        wrong = []
        for order in itertools.permutations(LINE):
            for gone in LINE:
                space = f"{'-'.join(order)} without {gone}"
                for session_id in order:
                    await store.import_batch(_member(session_id, space))
                    if session_id == gone:
                        await deleted(store, gone, AccessScope(namespace_id=space))
                if await _counts(store, space) != LEFT[gone]:
                    wrong.append(space)

        assert wrong == []

    async def test_count_that_changes_elsewhere_moves_the_feed(self, store: SessionStore) -> None:
        """A session whose count changes because another came, went or was replaced has a row of its own, and no other.

        If this fails: an index shows counts that are no more, and nothing tells it.
        """
        moved = []
        after = await store.position("local")

        async def note() -> None:
            nonlocal after
            rows = (await store.changes("local", after=after)).rows
            moved.append(sorted(row.session_id for row in rows if not row.tombstone))
            after = await store.position("local")

        await store.import_batch(_member("third"))
        await note()
        await store.import_batch(_member("second"))
        await note()
        await store.import_batch(_member("first"))
        await note()
        await created(store, "earlier", created_at=START - DAY)
        await store.append(key("earlier"), [says("as well", identity="m2")])
        await note()
        await deleted(store, "first")
        await note()
        replaced = replace(_member("second"), events=(says("anew", identity="second"),), replace=True)
        await store.import_batch(replace(replaced, ledger=replace(replaced.ledger, version=1)))
        await note()

        assert moved == [
            ["third"],
            ["second", "third"],
            ["first", "second"],
            ["earlier", "second"],
            ["second"],
            ["second", "third"],
        ]


__all__ = ["SharingRules"]
