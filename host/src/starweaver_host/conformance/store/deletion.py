"""Rules of deletion: fence, quiesce, tombstone; or release."""

from __future__ import annotations

import pytest

from starweaver_host.conformance.context import ManualClock
from starweaver_host.contract.records import STABLE, FenceDeleted, FenceDeleting, SessionChange
from starweaver_host.contract.store import RunListQuery, SessionStore

from .samples import COMPLETED, EVERYTHING, FENCE, SCOPE, admitted, created, deleted, ended, fenced, key, refused, says
from .suite import Advance, StoreSuite


class DeletionRules(StoreSuite):
    """A deletion is two steps, and each can be repeated."""

    async def test_fence_says_who_when_and_from_which_revision(self, store: SessionStore, clock: ManualClock) -> None:
        """Acquiring a fence records its id, its requester, the time and the revision it was acquired at.

        If this fails: look at `FenceDeleting`. The fence is an edit: it moves `revision`.
        """
        await created(store)
        clock.advance(1)

        session = await fenced(store)

        assert session.fence == FenceDeleting(
            fence_id=FENCE, expected_revision=1, requested_by="a person", started_at=clock.now()
        )
        assert (session.status, session.revision) == ("active", 2)

    async def test_same_fence_again_is_the_same_fence(self, store: SessionStore, clock: ManualClock) -> None:
        """Acquiring a fence again under its id answers the same and changes nothing, whatever revision is expected.

        If this fails: the retry of a deletion conflicts with itself, or restarts it.
        """
        await created(store)
        first = await fenced(store)
        clock.advance(1)

        again = await store.acquire_fence(SCOPE, "s1", fence_id=FENCE, requested_by="a person", expected_revision=1)

        assert again == first

    async def test_second_fence_is_a_conflict(self, store: SessionStore) -> None:
        """One deletion at a time.

        If this fails: a fence is replaced by another.
        """
        await created(store)
        first = await fenced(store)

        with refused("conflict") as refusal:
            await store.acquire_fence(SCOPE, "s1", fence_id="other", requested_by="x", expected_revision=None)

        assert refusal.error.current_revision == 2
        assert await store.get_session(SCOPE, "s1") == first

    async def test_fence_at_a_stale_revision_is_a_conflict(self, store: SessionStore) -> None:
        """A deletion is decided on what the session was; when it changed since, it is refused.

        If this fails: `expected_revision` is not compared.
        """
        await created(store)
        await store.update_session(SCOPE, "s1", SessionChange(title="new"))

        with refused("conflict") as refusal:
            await store.acquire_fence(SCOPE, "s1", fence_id=FENCE, requested_by="x", expected_revision=1)

        assert refusal.error.current_revision == 2
        assert (await store.get_session(SCOPE, "s1")).fence == STABLE

    async def test_running_session_can_be_fenced(self, store: SessionStore) -> None:
        """The fence comes first, even while a run is active; its owner hears of it with the next heartbeat.

        If this fails: fencing waits for, or refuses, what it is there to stop.
        """
        await created(store)
        lease = (await admitted(store)).lease

        session = await fenced(store)

        assert session.active_run_id == "r1"
        assert (await store.heartbeat(lease)).fence == session.fence

    async def test_fenced_session_admits_no_run_and_no_stranger(self, store: SessionStore) -> None:
        """While deleting, new runs and appends without the owner's lease are a conflict.

        If this fails: the fence is not looked at in the transaction of admission or append.
        """
        await created(store)
        await fenced(store)

        with refused("conflict"):
            await admitted(store)
        with refused("conflict"):
            await store.append(key(), [says("late")])
        with refused("conflict"):
            await store.update_session(SCOPE, "s1", SessionChange(title="late"))

        assert (await store.read_events(SCOPE, "s1")).events == ()

    async def test_owner_may_finish_under_the_fence(self, store: SessionStore) -> None:
        """The owner of the active run still appends and finalises while the session is being deleted.

        If this fails: the owner's last words are lost; its lease admits them.
        """
        await created(store)
        lease = (await admitted(store)).lease
        await fenced(store)

        await store.append(key(), [says("last words")], lease=lease)
        run = await store.finalise_run(lease, COMPLETED)

        assert (run.status, (await store.get_session(SCOPE, "s1")).next_seq) == ("completed", 1)

    async def test_released_session_is_stable_and_can_be_fenced_again(self, store: SessionStore) -> None:
        """Releasing a fence makes the session stable; a later deletion starts anew.

        If this fails: something of the old fence is left.
        """
        await created(store)
        await fenced(store)

        released = await store.release_fence(SCOPE, "s1", fence_id=FENCE)
        again = await store.acquire_fence(SCOPE, "s1", fence_id="other", requested_by="x", expected_revision=3)

        assert (released.fence, released.revision) == (STABLE, 3)
        assert isinstance(again.fence, FenceDeleting)

    async def test_only_its_own_fence_is_released(self, store: SessionStore) -> None:
        """Another's fence is not released.

        If this fails: the fence id is not compared.
        """
        await created(store)
        session = await fenced(store)

        with refused("conflict"):
            await store.release_fence(SCOPE, "s1", fence_id="other")

        assert await store.get_session(SCOPE, "s1") == session

    @pytest.mark.parametrize("fence_first", [False, True])
    async def test_tombstone_needs_its_fence(self, store: SessionStore, *, fence_first: bool) -> None:
        """A session is tombstoned under the fence that holds it, never without one or under another.

        If this fails: a deletion that was never announced goes through.
        """
        await created(store)
        if fence_first:
            await fenced(store)

        with refused("conflict"):
            await store.tombstone_session(SCOPE, "s1", fence_id="other")

        assert (await store.get_session(SCOPE, "s1")).status == "active"

    async def test_tombstone_waits_for_the_live_lease(self, store: SessionStore, advance: Advance) -> None:
        """While a live lease holds a run, the tombstone is a `run_conflict`; when it has expired it is not.

        If this fails: the session is buried under a running owner, or a dead owner keeps it for ever.
        """
        await created(store)
        await admitted(store, lease_seconds=30)
        await fenced(store)

        with refused("run_conflict"):
            await store.tombstone_session(SCOPE, "s1", fence_id=FENCE)
        await advance(31)
        session = await store.tombstone_session(SCOPE, "s1", fence_id=FENCE)

        assert session.status == "deleted"

    async def test_tombstone_ends_the_run_of_an_owner_that_went_away(
        self, store: SessionStore, advance: Advance
    ) -> None:
        """A run whose lease has expired is cancelled together with its session, and nothing edits the tombstone later.

        If this fails: the tombstone leaves the run queued, and the next reconciliation changes a deleted session.
        """
        await created(store)
        await admitted(store, lease_seconds=30)
        await fenced(store)
        await advance(31)
        buried = await store.tombstone_session(SCOPE, "s1", fence_id=FENCE)

        run = await store.get_run(EVERYTHING, "s1", "r1")
        reconciled = await store.reconcile_expired("local")

        assert (run.status, run.terminal_error and run.terminal_error.code) == ("cancelled", "admission_lease_expired")
        assert reconciled == ()
        assert await store.get_session(EVERYTHING, "s1") == buried

    async def test_tombstone_is_repeatable_and_says_when(self, store: SessionStore, clock: ManualClock) -> None:
        """The same tombstone again is the same answer, also through a scope that does not show tombstones.

        If this fails: the retry of a deletion reports an error, or buries twice.
        """
        await created(store)
        await fenced(store)
        clock.advance(1)

        first = await store.tombstone_session(SCOPE, "s1", fence_id=FENCE)
        when = clock.now()
        clock.advance(1)
        again = await store.tombstone_session(SCOPE, "s1", fence_id=FENCE)

        assert first.fence == FenceDeleted(fence_id=FENCE, deleted_at=when)
        assert (first.status, first.active_run_id, first.revision) == ("deleted", None, 3)
        assert again == first

    async def test_tombstone_keeps_its_evidence(self, store: SessionStore) -> None:
        """Events and runs of a deleted session stay readable to a scope that includes deleted sessions.

        If this fails: deletion removes rows. It hides them.
        """
        await created(store, title="a title")
        await ended(store)
        await store.append(key(), [says("hello")])
        await deleted(store)

        window = await store.read_events(EVERYTHING, "s1")
        runs = (await store.list_runs(EVERYTHING, "s1", RunListQuery())).runs

        assert ([event.seq for event in window.events], [run.run_id for run in runs]) == ([0], ["r1"])
        assert (await store.get_session(EVERYTHING, "s1")).title == "a title"

    async def test_tombstone_takes_no_edit_and_no_event(self, store: SessionStore) -> None:
        """A deleted session cannot be edited, released, fenced anew, appended to or run.

        If this fails: only `deleting` is checked and not `deleted`.
        """
        await created(store)
        buried = await deleted(store)

        with refused("conflict") as refusal:
            await store.update_session(EVERYTHING, "s1", SessionChange(title="late"))
        with refused("conflict"):
            await store.release_fence(EVERYTHING, "s1", fence_id=FENCE)
        with refused("conflict"):
            await store.acquire_fence(EVERYTHING, "s1", fence_id="other", requested_by="x", expected_revision=None)
        with refused("conflict"):
            await store.append(key(), [says("late")])
        with refused("conflict"):
            await admitted(store)

        assert refusal.error.current_revision == 3
        assert await store.get_session(EVERYTHING, "s1") == buried


__all__ = ["DeletionRules"]
