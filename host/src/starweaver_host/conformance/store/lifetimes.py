"""Rules of opening and closing: what lasts, what several instances share, and what is the same for ever."""

from __future__ import annotations

import asyncio

import msgspec

from starweaver_host.conformance.suite import capability
from starweaver_host.contract.errors import StoreError
from starweaver_host.contract.records import Checkpoint
from starweaver_host.contract.registration import ProviderContext
from starweaver_host.contract.store import AdmittedRun, RunListQuery, SessionStore
from starweaver_host.projection.documents import PROJECTION_VERSION
from starweaver_host.projection.folding import FOLD_VERSION

from .imports import batch, content, turn
from .samples import SCOPE, admitted, asks, created, key, refused, says, scanned_texts, text_input
from .suite import OpenStore, StoreSuite


class LifetimeRules(StoreSuite):
    """A store is what its folder holds."""

    async def test_identity_and_cursor_key_stay_while_open(self, store: SessionStore) -> None:
        """Epoch, versions and cursor key do not change while a store is open; the key is 32 bytes.

        If this fails: they are made anew with every call, or with every write.
        """
        before = await store.identity(), await store.cursor_key()

        await created(store, title="a title")

        assert (await store.identity(), await store.cursor_key()) == before
        assert (len(before[1]), bool(before[0].epoch)) == (32, True)

    async def test_two_stores_share_neither_epoch_nor_key(
        self, open_store: OpenStore, context: ProviderContext
    ) -> None:
        """Epoch and cursor key are random per store.

        If this fails: a cursor of one store would be accepted by another.
        """
        elsewhere = _moved(context, "elsewhere")

        async with open_store(context) as one, open_store(elsewhere) as two:
            assert (await one.identity()).epoch != (await two.identity()).epoch
            assert await one.cursor_key() != await two.cursor_key()

    async def test_versions_are_those_of_the_projections(self, store: SessionStore) -> None:
        """A new store says the fold and projection versions its corpus is written with.

        If this fails: an index could not tell that the meaning of its texts changed.
        """
        identity = await store.identity()

        assert (identity.fold_version, identity.projection_version) == (FOLD_VERSION, PROJECTION_VERSION)

    async def test_healthy_store_has_no_problems(self, store: SessionStore) -> None:
        """`check` counts what is there and finds nothing wrong with it.

        If this fails: the check reports its own assumptions.
        """
        await created(store)
        await store.append(key(), [says("one"), says("two")])

        health = await store.check()

        assert (health.sessions, health.events, health.problems) == (1, 2, ())

    async def test_closed_store_can_be_opened_again(self, open_store: OpenStore, context: ProviderContext) -> None:
        """Opening, closing and opening again works, with nothing in between.

        If this fails: something is left locked or half made.
        """
        for _ in range(3):
            async with open_store(context) as store:
                await store.position("local")

    @capability("durable")
    async def test_reopened_store_holds_what_was_committed(
        self, open_store: OpenStore, context: ProviderContext
    ) -> None:
        """Sessions, logs, runs, checkpoints, documents and ledger are the same after closing and opening.

        If this fails: something lives in memory only.
        """
        async with open_store(context) as store:
            await created(store, title="a title")
            lease = (await admitted(store, input=text_input("do it"))).lease
            await store.save_checkpoint(lease, Checkpoint(format="f", version=1, data=b"\0\xff"))
            await store.append(key(), [asks("one"), says("two", identity="m")], lease=lease)
            await store.import_batch(batch("x:1", says("three"), runs=(turn(1, output="three"),)))
            before = [await content(store, each) for each in ("s1", "x:1")], await scanned_texts(store)

        async with open_store(context) as store:
            after = [await content(store, each) for each in ("s1", "x:1")], await scanned_texts(store)
            checkpoint = await store.load_checkpoint(SCOPE, "s1", "r1")
            ledger = await store.ledger("local", "x")

        assert after == before
        assert (checkpoint is not None and checkpoint.data, list(ledger)) == (b"\0\xff", ["x:1"])

    @capability("durable")
    async def test_reopened_store_is_the_same_store(self, open_store: OpenStore, context: ProviderContext) -> None:
        """Identity, cursor key and feed positions survive closing and opening.

        If this fails: every cursor and every index goes stale with a restart.
        """
        async with open_store(context) as store:
            await created(store, "one")
            middle = await store.position("local")
            await created(store, "two")
            before = await store.identity(), await store.cursor_key(), await store.changes("local")

        async with open_store(context) as store:
            after = await store.identity(), await store.cursor_key(), await store.changes("local")
            later = await store.changes("local", after=middle)

        assert after == before
        assert [row.session_id for row in later.rows] == ["two"]

    @capability("durable")
    async def test_lease_and_receipt_survive_a_restart(self, open_store: OpenStore, context: ProviderContext) -> None:
        """A running run's lease is still good after a restart, its command is replayed, a second run refused.

        If this fails: leases or receipts live in memory only.
        """
        command = {"idempotency_key": "k", "command_fingerprint": "f"}
        async with open_store(context) as store:
            await created(store)
            first = await admitted(store, **command)

        async with open_store(context) as store:
            again = await admitted(store, **command)
            with refused("run_conflict"):
                await admitted(store, "r2")
            await store.heartbeat(first.lease)

        assert (again.run, again.lease, again.idempotent_replay) == (first.run, first.lease, True)

    @capability("multi_process")
    async def test_instances_see_each_others_commits(self, open_store: OpenStore, context: ProviderContext) -> None:
        """What one instance committed the other reads at once, and continues.

        If this fails: an instance answers from a cache, or from an old snapshot.
        """
        async with open_store(context) as one, open_store(context) as two:
            await created(one, title="a title")
            await two.append(key(), [says("from two")])
            result = await one.append(key(), [says("from one")])

            assert (result.first_seq, await one.position("local")) == (1, await two.position("local"))
            assert await two.get_session(SCOPE, "s1") == await one.get_session(SCOPE, "s1")
            assert await two.identity() == await one.identity()
            assert await two.cursor_key() == await one.cursor_key()

    @capability("multi_process")
    async def test_of_admissions_over_two_instances_one_wins(
        self, open_store: OpenStore, context: ProviderContext
    ) -> None:
        """Two instances never run one session at the same time.

        If this fails: the active slot is guarded by a lock of the process.
        """
        async with open_store(context) as one, open_store(context) as two:
            await created(one)
            answers = await asyncio.gather(
                *(admitted(each, f"r{n}") for n, each in enumerate((one, two, one, two))), return_exceptions=True
            )
            runs = (await one.list_runs(SCOPE, "s1", RunListQuery())).runs

        codes = {answer.code for answer in answers if isinstance(answer, StoreError)}
        assert ([type(answer) for answer in answers].count(AdmittedRun), len(runs), codes) == (1, 1, {"run_conflict"})

    @capability("multi_process")
    async def test_appends_over_two_instances_all_land(self, open_store: OpenStore, context: ProviderContext) -> None:
        """Appends of two instances interleave without a gap, a loss or an error.

        If this fails: a busy engine must be waited for, and the next seq read inside the write transaction.
        """
        async with open_store(context) as one, open_store(context) as two:
            await created(one)
            await asyncio.gather(*(each.append(key(), [says(f"{n}")]) for n in range(10) for each in (one, two)))
            window = await two.read_events(SCOPE, "s1")

        assert [event.seq for event in window.events] == list(range(20))


def _moved(context: ProviderContext, name: str) -> ProviderContext:
    return msgspec.structs.replace(context, data_dir=context.data_dir / name, config_dir=context.data_dir / name)


__all__ = ["LifetimeRules"]
