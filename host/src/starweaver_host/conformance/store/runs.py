"""Rules of a run's end, of expired owners, and of reading and pruning runs."""

from __future__ import annotations

import msgspec
import pytest

from starweaver_host.conformance.context import ManualClock
from starweaver_host.contract.records import OUTPUT_PREVIEW_MAX, Run, TerminalError
from starweaver_host.contract.store import RunListQuery, RunOutcome, SessionStore

from .samples import COMPLETED, SCOPE, admitted, created, ended, key, refused, says, scanned_texts, text_input
from .suite import Advance, StoreSuite

FAILED = RunOutcome(status="failed", error=TerminalError(code="boom", message="it broke"))
CANCELLED = RunOutcome(status="cancelled", output_preview="half done")
OUTCOMES = {"completed": COMPLETED, "failed": FAILED, "cancelled": CANCELLED}


async def _listed(store: SessionStore, query: RunListQuery) -> list[str]:
    """Every page of a query, one after the other."""
    found: list[Run] = []
    while True:
        page = await store.list_runs(SCOPE, "s1", query)
        assert len(page.runs) <= query.limit
        found += page.runs
        if page.after is None:
            return [run.run_id for run in found]
        query = msgspec.structs.replace(query, after=page.after)


class RunRules(StoreSuite):
    """A run ends once; what is left of it can be listed and pruned."""

    @pytest.mark.parametrize("name", OUTCOMES)
    async def test_end_is_written_with_the_runs_projections(
        self, store: SessionStore, clock: ManualClock, name: str
    ) -> None:
        """Finalising writes status, preview, error and time, frees the session's active slot and ends the lease.

        If this fails: part of the end is another transaction.
        """
        await created(store)
        lease = (await admitted(store)).lease
        clock.advance(1)

        run = await store.finalise_run(lease, OUTCOMES[name])

        session = await store.get_session(SCOPE, "s1")
        assert (run.status, run.output_preview, run.terminal_error) == (
            name,
            OUTCOMES[name].output_preview,
            OUTCOMES[name].error,
        )
        assert (run.ended_at, session.active_run_id, session.head_run_id) == (clock.now(), None, "r1")
        assert await store.get_run(SCOPE, "s1", "r1") == run

    async def test_ended_session_admits_the_next_run(self, store: SessionStore) -> None:
        """A finalised run releases its lease: the next run is admitted at once.

        If this fails: the lease, or the active slot, outlives the run.
        """
        await created(store)
        await ended(store)

        assert (await admitted(store, "r2")).run.sequence_no == 2

    @pytest.mark.parametrize("name", OUTCOMES)
    async def test_same_end_again_changes_nothing(self, store: SessionStore, advance: Advance, name: str) -> None:
        """Repeating an outcome answers the run as it ended, long after its lease is gone.

        If this fails: the retry of an owner that lost the answer is refused, or ends the run again.
        """
        await created(store)
        lease = await ended(store, outcome=OUTCOMES[name])
        before = await store.get_session(SCOPE, "s1"), await store.get_run(SCOPE, "s1", "r1")
        await advance(3600)

        again = await store.finalise_run(lease, OUTCOMES[name])

        assert again == before[1]
        assert (await store.get_session(SCOPE, "s1"), await store.get_run(SCOPE, "s1", "r1")) == before

    @pytest.mark.parametrize(
        "outcome", [FAILED, CANCELLED, msgspec.structs.replace(COMPLETED, output_preview="something else")]
    )
    async def test_another_end_is_terminal(self, store: SessionStore, outcome: RunOutcome) -> None:
        """A run that has ended does not end otherwise.

        If this fails: a terminal run is overwritten.
        """
        await created(store)
        lease = await ended(store)
        before = await store.get_run(SCOPE, "s1", "r1")

        with refused("terminal"):
            await store.finalise_run(lease, outcome)

        assert await store.get_run(SCOPE, "s1", "r1") == before

    @pytest.mark.parametrize(
        "outcome",
        [RunOutcome(status="failed"), RunOutcome(status="completed", error=TerminalError(code="c", message="m"))],
        ids=["failed_without_error", "completed_with_error"],
    )
    async def test_contradictory_end_is_invalid(self, store: SessionStore, outcome: RunOutcome) -> None:
        """A failed run has an error, a completed one has none.

        If this fails: check the outcome before anything is written.
        """
        await created(store)
        lease = (await admitted(store)).lease

        with refused("invalid"):
            await store.finalise_run(lease, outcome)

        assert (await store.get_run(SCOPE, "s1", "r1")).status == "queued"

    async def test_long_preview_is_cut_to_its_bound(self, store: SessionStore) -> None:
        """An output preview holds at most OUTPUT_PREVIEW_MAX code points, and its retry is still the same outcome.

        If this fails: the preview is stored uncut, or compared uncut.
        """
        await created(store)
        long = RunOutcome(status="completed", output_preview="é" * (OUTPUT_PREVIEW_MAX + 1))
        lease = await ended(store, outcome=long)

        again = await store.finalise_run(lease, long)

        assert again.output_preview == "é" * OUTPUT_PREVIEW_MAX

    async def test_expired_runs_are_cancelled_and_returned(self, store: SessionStore, advance: Advance) -> None:
        """`reconcile_expired` cancels the runs whose lease has expired, and those only, once.

        If this fails: live or ended runs are touched, or the end is not the same as any other end.
        """
        for session_id, seconds in (("s1", 10), ("s2", 100), ("s3", 10)):
            await created(store, session_id)
            await admitted(store, "r1", session_id, lease_seconds=seconds)
        await created(store, "s4")
        await ended(store, "r1", "s4")
        await advance(11)

        runs = await store.reconcile_expired("local")
        again = await store.reconcile_expired("local")

        assert sorted(run.session_id for run in runs) == ["s1", "s3"]
        assert {run.terminal_error.code for run in runs if run.terminal_error} == {"admission_lease_expired"}
        assert {(run.status, run.ended_at) for run in runs} == {("cancelled", runs[0].updated_at)}
        assert (again, (await store.get_session(SCOPE, "s1")).active_run_id) == ((), None)
        assert await store.get_run(SCOPE, "s1", "r1") in runs

    async def test_reconciling_keeps_to_its_namespace_and_limit(self, store: SessionStore, advance: Advance) -> None:
        """At most `limit` runs of one namespace are reconciled at a time; the rest is left for the next call.

        If this fails: the limit or the namespace is not in the query.
        """
        for number in range(3):
            await created(store, f"s{number}")
            await admitted(store, "r1", f"s{number}", lease_seconds=1)
        await created(store, "s1", namespace_id="other")
        await admitted(store, "r1", "s1", namespace_id="other", lease_seconds=1)
        await advance(2)

        counts = [len(await store.reconcile_expired("local", limit=2)) for _ in range(3)]

        assert (counts, len(await store.reconcile_expired("other"))) == ([2, 1, 0], 1)

    async def test_runs_are_listed_by_number_in_either_direction(self, store: SessionStore) -> None:
        """Runs come by `sequence_no`, ascending or newest first, in pages without gap or repeat.

        If this fails: they are ordered by id or time, or `after` is taken the wrong way round.
        """
        await created(store)
        wanted = ["r9", "r1", "r5", "r10", "r2"]
        for run_id in wanted:
            await ended(store, run_id)

        for limit in (1, 2, 5):
            assert await _listed(store, RunListQuery(limit=limit)) == wanted
            assert await _listed(store, RunListQuery(limit=limit, newest_first=True)) == wanted[::-1]

    async def test_runs_are_filtered_by_status_inside(self, store: SessionStore) -> None:
        """A status filter is applied before the page is cut.

        If this fails: the filter runs over a page that was cut before it.
        """
        await created(store)
        for number, outcome in enumerate([COMPLETED, FAILED, COMPLETED, CANCELLED, FAILED]):
            await ended(store, f"r{number}", outcome=outcome)

        assert await _listed(store, RunListQuery(statuses=("failed", "cancelled"), limit=2)) == ["r1", "r3", "r4"]

    async def test_absent_run_is_not_found(self, store: SessionStore) -> None:
        """A run is addressed by session and id; another session's run is not found.

        If this fails: a run id alone is taken for an identity.
        """
        await created(store, "s1")
        await created(store, "s2")
        await ended(store, "r1", "s2")

        with refused("not_found"):
            await store.get_run(SCOPE, "s1", "r1")
        with refused("not_found"):
            await store.load_checkpoint(SCOPE, "s1", "r1")
        with refused("not_found"):
            await store.delete_run(SCOPE, "s1", "r1")

    async def test_pruned_run_leaves_its_events_and_its_number(self, store: SessionStore) -> None:
        """Pruning removes a terminal run's record and documents; its events stay, its number is not given again.

        If this fails: pruning cascades into the log, forgets the corpus, or numbers are taken from a count.
        """
        await created(store)
        lease = (await admitted(store, "r1", input=text_input("an input"))).lease
        await store.append(key(), [says("a display", run_id="r1")], lease=lease)
        await store.finalise_run(lease, COMPLETED)

        await store.delete_run(SCOPE, "s1", "r1")

        with refused("not_found"):
            await store.get_run(SCOPE, "s1", "r1")
        session = await store.get_session(SCOPE, "s1")
        assert (session.head_run_id, session.counts.runs, session.next_seq) == (None, 0, 1)
        assert await scanned_texts(store) == ["a display"]
        assert (await admitted(store, "r2")).run.sequence_no == 2

    async def test_active_run_is_not_pruned(self, store: SessionStore) -> None:
        """Pruning an active run is a `run_conflict`.

        If this fails: an owner's run disappears under it.
        """
        await created(store)
        got = await admitted(store)

        with refused("run_conflict"):
            await store.delete_run(SCOPE, "s1", "r1")

        assert await store.get_run(SCOPE, "s1", "r1") == got.run


__all__ = ["RunRules"]
