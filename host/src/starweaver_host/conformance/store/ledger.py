"""Rules of the importers' ledger: what was read of each item, guarded by version."""

from __future__ import annotations

import asyncio

import msgspec

from starweaver_host.contract.errors import StoreError
from starweaver_host.contract.store import SessionStore
from starweaver_host.contract.transcripts import ImportReceipt

from .imports import batch, entry
from .samples import SCOPE, asks, refused
from .suite import StoreSuite


class LedgerRules(StoreSuite):
    """The ledger entry is written in the transaction of its batch."""

    async def test_entry_reads_back_without_its_state(self, store: SessionStore) -> None:
        """An entry is read back whole under its item's key at version 1; its state is read on its own.

        If this fails: a field is lost, or every refresh reads the states of all items.
        """
        wanted = entry(
            "item",
            session_ids=("x:1", "x:2"),
            skipped_records=3,
            complete=False,
            note="no decompressor",
            state=bytes(range(256)),
        )

        receipt = await store.import_batch(batch(None, ledger=wanted))

        stored = msgspec.structs.replace(wanted, state=None, version=1)
        assert (receipt.session_id, receipt.ledger_version, receipt.created) == (None, 1, False)
        assert await store.ledger("local", "x") == {"item": stored}
        assert await store.ledger_state("local", "x", "item") == bytes(range(256))

    async def test_unread_item_has_no_entry_and_no_state(self, store: SessionStore) -> None:
        """A source that has read nothing has an empty ledger; an unknown item has no state.

        If this fails: absence is an error.
        """
        assert (await store.ledger("local", "x"), await store.ledger_state("local", "x", "item")) == ({}, None)

    async def test_ledgers_belong_to_source_and_namespace(self, store: SessionStore) -> None:
        """The same item key of another source, or in another namespace, is another entry.

        If this fails: the key of the ledger lacks source or namespace.
        """
        await store.import_batch(batch(None, ledger=entry(fingerprint="one")))
        await store.import_batch(batch(None, source="y", ledger=entry(fingerprint="two", state=b"y")))
        await store.import_batch(batch(None, namespace_id="other", ledger=entry(fingerprint="three")))

        ledgers = [await store.ledger(*place) for place in (("local", "x"), ("local", "y"), ("other", "x"))]

        assert [ledger["item"].fingerprint for ledger in ledgers] == ["one", "two", "three"]
        assert await store.ledger_state("local", "x", "item") is None

    async def test_entry_read_at_another_version_is_a_conflict(self, store: SessionStore) -> None:
        """When another process wrote the entry since it was read, the whole batch is refused.

        If this fails: two importers of one item append the same events twice.
        """
        await store.import_batch(batch("x:1", asks("one")))

        for version in (0, 2):
            with refused("conflict"):
                await store.import_batch(batch("x:1", asks("two"), version=version, expected_next_seq=1))

        assert (await store.get_session(SCOPE, "x:1")).next_seq == 1
        assert (await store.ledger("local", "x"))["x:1"].version == 1

    async def test_of_two_importers_at_once_one_wins(self, store: SessionStore) -> None:
        """Batches of one item that arrive together: one is stored, the others conflict.

        If this fails: the version is compared in one transaction and written in another.
        """
        answers = await asyncio.gather(
            *(store.import_batch(batch("x:1", asks(f"from {number}"))) for number in range(6)), return_exceptions=True
        )

        stored = [answer for answer in answers if isinstance(answer, ImportReceipt)]
        codes = {answer.code for answer in answers if isinstance(answer, StoreError)}
        assert (len(stored), codes) == (1, {"conflict"})
        assert (await store.get_session(SCOPE, "x:1")).next_seq == 1

    async def test_rewritten_entry_replaces_every_field(self, store: SessionStore) -> None:
        """Writing an entry anew replaces it, state included, and moves its version by one.

        If this fails: a field that became empty keeps its old value.
        """
        await store.import_batch(batch(None, ledger=entry(note="old", session_ids=("x:1",), state=b"old")))

        await store.import_batch(batch(None, ledger=entry(version=1, fingerprint="g")))

        assert await store.ledger("local", "x") == {"item": entry(version=2, fingerprint="g")}
        assert await store.ledger_state("local", "x", "item") is None


__all__ = ["LedgerRules"]
