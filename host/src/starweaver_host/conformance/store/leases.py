"""Rules of ownership: heartbeat, transition, checkpoint and append need the current lease."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import msgspec
import pytest

from starweaver_host.conformance.context import ManualClock
from starweaver_host.contract.records import Checkpoint
from starweaver_host.contract.store import RunLease, SessionStore

from .samples import COMPLETED, SCOPE, admitted, created, ended, key, refused, says, scanned
from .suite import Advance, StoreSuite

Write = Callable[[SessionStore, RunLease], Awaitable[object]]
WRITES: dict[str, Write] = {
    "heartbeat": lambda store, lease: store.heartbeat(lease),
    "transition_run": lambda store, lease: store.transition_run(lease, "running"),
    "save_checkpoint": lambda store, lease: store.save_checkpoint(
        lease, Checkpoint(format="f", version=1, data=b"forged")
    ),
    "append": lambda store, lease: store.append(key(), [says("forged")], lease=lease),
    "finalise_run": lambda store, lease: store.finalise_run(lease, COMPLETED),
}
FORGERIES: dict[str, Callable[[RunLease], RunLease]] = {
    "older_generation": lambda lease: msgspec.structs.replace(lease, fencing_generation=lease.fencing_generation - 1),
    "newer_generation": lambda lease: msgspec.structs.replace(lease, fencing_generation=lease.fencing_generation + 1),
    "other_admission": lambda lease: msgspec.structs.replace(lease, admission_id="forged"),
    "other_host": lambda lease: msgspec.structs.replace(lease, host_instance_id="forged"),
}
writes = pytest.mark.parametrize("write", WRITES)


class LeaseRules(StoreSuite):
    """Every write of an owner names its lease; a stale one is `stale_fence` and changes nothing."""

    @writes
    @pytest.mark.parametrize("forgery", FORGERIES)
    async def test_forged_lease_writes_nothing(self, store: SessionStore, write: str, forgery: str) -> None:
        """A lease that differs from the current one in admission, host or generation is stale.

        If this fails: compare all of a lease's owner, in the transaction of the write.
        """
        await created(store)
        lease = (await admitted(store)).lease
        before = await store.get_session(SCOPE, "s1"), await store.get_run(SCOPE, "s1", "r1")

        with refused("stale_fence"):
            await WRITES[write](store, FORGERIES[forgery](lease))

        assert (await store.get_session(SCOPE, "s1"), await store.get_run(SCOPE, "s1", "r1")) == before
        assert await store.load_checkpoint(SCOPE, "s1", "r1") is None

    @writes
    async def test_expired_lease_writes_nothing(self, store: SessionStore, advance: Advance, write: str) -> None:
        """A lease that has expired by the store's clock is stale, whether or not somebody took over.

        If this fails: expiry is noticed only by the next admission.
        """
        await created(store)
        lease = (await admitted(store, lease_seconds=30)).lease
        before = await store.get_session(SCOPE, "s1")
        await advance(31)

        with refused("stale_fence"):
            await WRITES[write](store, lease)

        assert await store.get_session(SCOPE, "s1") == before

    @writes
    async def test_lease_that_claims_to_last_longer_is_not_believed(
        self, store: SessionStore, advance: Advance, write: str
    ) -> None:
        """Whether a lease has expired is the store's knowledge, not the caller's word.

        If this fails: `expires_at` of the argument is compared instead of the stored one.
        """
        await created(store)
        lease = (await admitted(store, lease_seconds=30)).lease
        await advance(31)

        with refused("stale_fence"):
            await WRITES[write](store, msgspec.structs.replace(lease, expires_at=lease.expires_at + 3_600_000_000))

    async def test_lease_of_an_ended_run_does_not_append(self, store: SessionStore) -> None:
        """A lease ends with its run; its late appends are stale although the session has a live run again.

        If this fails: any lease of the session is taken for the current one.
        """
        await created(store)
        old = await ended(store, "r1")
        await admitted(store, "r2")

        with refused("stale_fence"):
            await store.append(key(), [says("late")], lease=old)
        with refused("stale_fence"):
            await store.heartbeat(old)

    async def test_lease_of_another_session_does_not_append(self, store: SessionStore) -> None:
        """A lease is good for its own session.

        If this fails: the lease is checked against its own key, and the events go to another.
        """
        await created(store, "s1")
        await created(store, "s2")
        lease = (await admitted(store, "r1", "s2")).lease

        with refused("stale_fence"):
            await store.append(key("s1"), [says("elsewhere")], lease=lease)

        assert (await store.get_session(SCOPE, "s1")).next_seq == 0

    async def test_event_of_a_held_run_needs_its_lease(self, store: SessionStore) -> None:
        """Without its lease nobody writes events of a run that is held; events of no run are anybody's.

        If this fails: an owner that lost its run goes on writing it by leaving its lease out.
        """
        await created(store)
        lease = (await admitted(store)).lease
        before = await store.get_session(SCOPE, "s1")

        with refused("stale_fence"):
            await store.append(key(), [says("a note"), says("late", run_id="r1")])
        unwritten = await store.get_session(SCOPE, "s1")
        await store.append(key(), [says("a note")])
        await store.append(key(), [says("its own", run_id="r1")], lease=lease)

        assert unwritten == before
        assert [event.run_id for event in (await store.read_events(SCOPE, "s1")).events] == [None, "r1"]

    async def test_event_of_an_abandoned_run_needs_its_lease(self, store: SessionStore, advance: Advance) -> None:
        """A run whose lease has expired is still nobody else's to write until it was reconciled.

        If this fails: only live leases are looked at.
        """
        await created(store)
        await admitted(store, lease_seconds=30)
        await advance(31)

        with refused("stale_fence"):
            await store.append(key(), [says("late", run_id="r1")])

        assert (await store.get_session(SCOPE, "s1")).next_seq == 0

    async def test_lease_writes_its_own_run_only(self, store: SessionStore) -> None:
        """Under a lease, events of another run are stale, also of one that has ended.

        If this fails: the run that the events name is not compared with the lease's.
        """
        await created(store)
        await ended(store, "r1")
        lease = (await admitted(store, "r2")).lease

        for run_id in ("r1", "never"):
            with refused("stale_fence"):
                await store.append(key(), [says("mine", run_id="r2"), says("not mine", run_id=run_id)], lease=lease)

        assert (await store.get_session(SCOPE, "s1")).next_seq == 0

    async def test_heartbeat_renews_from_now(self, store: SessionStore, advance: Advance) -> None:
        """A heartbeat makes the lease end `lease_seconds` from now and keeps its generation.

        If this fails: the renewal is not stored, or is added to the old end.
        """
        await created(store)
        lease = (await admitted(store, lease_seconds=30)).lease
        await advance(20)

        renewed = (await store.heartbeat(lease, lease_seconds=30)).lease
        await advance(20)
        again = (await store.heartbeat(lease, lease_seconds=30)).lease

        gained = (renewed.expires_at - lease.expires_at, again.expires_at - renewed.expires_at)
        assert renewed == msgspec.structs.replace(lease, expires_at=renewed.expires_at)
        assert all(20_000_000 <= each < 30_000_000 for each in gained)

    async def test_heartbeat_is_no_activity(self, store: SessionStore) -> None:
        """A heartbeat moves neither the session nor the feed.

        If this fails: every index would look at every running session all the time.
        """
        await created(store)
        lease = (await admitted(store)).lease
        before = await store.get_session(SCOPE, "s1"), await store.position("local")

        reply = await store.heartbeat(lease)

        assert (await store.get_session(SCOPE, "s1"), await store.position("local")) == before
        assert (reply.fence, reply.pending_intents) == (before[0].fence, ())

    async def test_run_moves_through_active_statuses(self, store: SessionStore, clock: ManualClock) -> None:
        """The owner moves its run between active statuses; the run's start is when it first left the queue.

        If this fails: look at `started_at`, `revision` and `updated_at` of the run.
        """
        await created(store)
        got = await admitted(store)
        clock.advance(1)
        starting = await store.transition_run(got.lease, "starting")
        started = clock.now()
        clock.advance(1)

        for status in ("running", "waiting", "running"):
            run = await store.transition_run(got.lease, status)
            assert (run.status, run.started_at, run.updated_at) == (status, started, clock.now())

        assert (starting.status, starting.started_at, starting.revision) == ("starting", started, 2)
        assert await store.get_run(SCOPE, "s1", "r1") == run

    async def test_ended_run_moves_nowhere(self, store: SessionStore) -> None:
        """A terminal run is immutable: `terminal`.

        If this fails: the status is overwritten, or the missing lease is reported instead.
        """
        await created(store)
        lease = await ended(store)
        before = await store.get_run(SCOPE, "s1", "r1")

        with refused("terminal"):
            await store.transition_run(lease, "running")

        assert await store.get_run(SCOPE, "s1", "r1") == before

    async def test_transition_does_not_end_a_run(self, store: SessionStore) -> None:
        """A run ends by `finalise_run` alone; a terminal status is `invalid` in a transition.

        If this fails: a run could end without releasing its lease.
        """
        await created(store)
        lease = (await admitted(store)).lease

        with refused("invalid"):
            await store.transition_run(lease, "completed")

        assert (await store.get_run(SCOPE, "s1", "r1")).status == "queued"

    async def test_checkpoint_is_replaced_and_kept_whole(self, store: SessionStore) -> None:
        """A run has one checkpoint, read back byte for byte, and none before the first.

        If this fails: checkpoints accumulate, or pass through a text column.
        """
        await created(store)
        lease = (await admitted(store)).lease
        none = await store.load_checkpoint(SCOPE, "s1", "r1")
        await store.save_checkpoint(lease, Checkpoint(format="a", version=1, data=b"first"))
        second = Checkpoint(format="b", version=2, data=bytes(range(256)))

        await store.save_checkpoint(lease, second)

        assert (none, await store.load_checkpoint(SCOPE, "s1", "r1")) == (None, second)

    async def test_checkpoint_is_not_searched(self, store: SessionStore) -> None:
        """A checkpoint is opaque: it makes no document.

        If this fails: what only an executor may see leaks into search.
        """
        await created(store)
        lease = (await admitted(store)).lease

        await store.save_checkpoint(lease, Checkpoint(format="a", version=1, data=b"secret plan"))

        assert await scanned(store) == []


__all__ = ["LeaseRules"]
