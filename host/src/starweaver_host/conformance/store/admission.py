"""Rules of admission: one active run per session, idempotent, fenced by generation."""

from __future__ import annotations

import asyncio

from starweaver_host.conformance.context import ManualClock
from starweaver_host.contract.errors import StoreError
from starweaver_host.contract.records import AccessScope, BinaryPart, Cause, ResourcePart, SessionChange, TextPart
from starweaver_host.contract.store import AdmittedRun, RunListQuery, RunOutcome, SessionStore

from .samples import SCOPE, admission, admitted, created, ended, refused, text_input
from .suite import Advance, StoreSuite


class AdmissionRules(StoreSuite):
    """Admission decides in one transaction who may run."""

    async def test_admitted_run_is_queued_under_a_lease(self, store: SessionStore, clock: ManualClock) -> None:
        """An admission gives a queued run, first in its session, and a lease that ends `lease_seconds` from now.

        If this fails: look at the times: they are the store's clock, in microseconds.
        """
        await created(store)
        clock.advance(1)

        got = await admitted(store, lease_seconds=2.5, trigger="rpc", profile="work")

        assert (got.run.status, got.run.sequence_no, got.run.revision) == ("queued", 1, 1)
        assert (got.run.created_at, got.run.trigger, got.run.profile) == (clock.now(), "rpc", "work")
        assert (got.lease.key, got.lease.admission_id, got.lease.host_instance_id) == (got.run.key, "a-r1", "h1")
        assert (got.lease.expires_at, got.idempotent_replay) == (clock.now() + 2_500_000, False)

    async def test_admitted_run_reads_back_whole(self, store: SessionStore) -> None:
        """Every field of an admission is read back with the run, all kinds of input parts included.

        If this fails: a column is missing, or a kind of part loses something.
        """
        await created(store)
        parts = (
            TextPart(text="é\n\u4e2d"),
            ResourcePart(uri="file:///a?b", media_type="text/plain", name="a"),
            BinaryPart(media_type="image/png", size_bytes=7),
        )

        got = await admitted(
            store, input=parts, parent_run_id="r0", caused_by=Cause(session_id="s0", run_id="r9", tool_call_id="t")
        )

        assert got.run.input == parts
        assert got.run.caused_by == Cause(session_id="s0", run_id="r9", tool_call_id="t")
        assert await store.get_run(SCOPE, "s1", "r1") == got.run

    async def test_session_names_its_head_and_active_run(self, store: SessionStore) -> None:
        """Admission makes the run the session's head and active run, and counts it.

        If this fails: the session's row is not written in the transaction of the admission.
        """
        await created(store)
        await ended(store, "r1")
        await admitted(store, "r2")

        session = await store.get_session(SCOPE, "s1")

        assert (session.head_run_id, session.active_run_id, session.counts.runs) == ("r2", "r2", 2)

    async def test_second_active_run_is_a_run_conflict(self, store: SessionStore) -> None:
        """A session has at most one active run, in whatever active status it is.

        If this fails: put a partial unique index over the active statuses.
        """
        await created(store)
        lease = (await admitted(store)).lease

        for status in ("starting", "running", "waiting"):
            with refused("run_conflict"):
                await admitted(store, "r2")
            await store.transition_run(lease, status)
        with refused("run_conflict"):
            await admitted(store, "r2")

        assert (await store.get_session(SCOPE, "s1")).active_run_id == "r1"

    async def test_of_runs_admitted_at_once_one_wins(self, store: SessionStore) -> None:
        """Of admissions that arrive together exactly one is granted, the others are a `run_conflict`.

        If this fails: the check and the insert are two transactions.
        """
        await created(store)

        answers = await asyncio.gather(*(admitted(store, f"r{n}") for n in range(8)), return_exceptions=True)

        granted = [answer for answer in answers if isinstance(answer, AdmittedRun)]
        codes = {answer.code for answer in answers if isinstance(answer, StoreError)}
        assert (len(granted), codes) == (1, {"run_conflict"})
        assert len((await store.list_runs(SCOPE, "s1", RunListQuery())).runs) == 1

    async def test_sessions_run_side_by_side(self, store: SessionStore) -> None:
        """The same run id in two sessions is two runs, active at once.

        If this fails: run ids, generations or the active slot are not per session.
        """
        await created(store, "s1")
        await created(store, "s2")

        first, second = await admitted(store, "r1", "s1"), await admitted(store, "r1", "s2")

        assert (first.run.key, second.run.key) == (first.lease.key, second.lease.key)
        assert (first.run.sequence_no, second.run.sequence_no) == (1, 1)

    async def test_absent_session_admits_nothing(self, store: SessionStore) -> None:
        """A run needs a session: `not_found`.

        If this fails: look the session up in the transaction of the admission.
        """
        with refused("not_found"):
            await admitted(store)

    async def test_archived_session_admits_nothing(self, store: SessionStore) -> None:
        """Only an active session admits runs; the conflict names the session's revision.

        If this fails: the status is not checked.
        """
        await created(store)
        await store.update_session(SCOPE, "s1", SessionChange(archived=True))

        with refused("conflict") as refusal:
            await admitted(store)

        assert refusal.error.current_revision == 2

    async def test_used_run_id_is_already_exists(self, store: SessionStore) -> None:
        """A run id names one run of its session for ever.

        If this fails: admission overwrites a run.
        """
        await created(store)
        await ended(store, "r1")
        before = await store.get_run(SCOPE, "s1", "r1")

        with refused("already_exists"):
            await admitted(store, "r1", admission_id="another")

        assert await store.get_run(SCOPE, "s1", "r1") == before

    async def test_runs_are_numbered_from_one_and_generations_grow(self, store: SessionStore) -> None:
        """`sequence_no` is 1-based and contiguous, a fencing generation is never used twice in a session.

        If this fails: numbers are taken from a count, or a refused admission burns one.
        """
        await created(store)
        got = []
        for number in range(3):
            answer = await admitted(store, f"r{number}")
            with refused("run_conflict"):
                await admitted(store, "refused")
            await store.finalise_run(answer.lease, RunOutcome(status="cancelled"))
            got.append(answer)

        generations = [answer.lease.fencing_generation for answer in got]

        assert [answer.run.sequence_no for answer in got] == [1, 2, 3]
        assert generations == sorted(set(generations))

    async def test_same_command_again_replays_its_admission(self, store: SessionStore) -> None:
        """The same key and fingerprint give the stored admission, also when the run has ended since.

        If this fails: look the receipt up before anything else, and store the answer with it.
        """
        await created(store)
        command = admission(idempotency_key="k", command_fingerprint="f", input=text_input("do it"))
        first = await store.admit_run(command)

        again = await store.admit_run(command)
        await store.finalise_run(first.lease, RunOutcome(status="cancelled"))
        later = await store.admit_run(admission("r2", idempotency_key="k", command_fingerprint="f"))

        assert (again.run, again.lease, again.idempotent_replay) == (first.run, first.lease, True)
        assert (later.run, later.idempotent_replay) == (first.run, True)
        assert (await store.get_session(SCOPE, "s1")).counts.runs == 1

    async def test_other_command_under_a_used_key_is_a_conflict(self, store: SessionStore) -> None:
        """A key names one command: another fingerprint is an `idempotency_conflict` and has no effect.

        If this fails: the fingerprint is not stored or not compared.
        """
        await created(store)
        await created(store, "s2")
        await admitted(store, idempotency_key="k", command_fingerprint="f")

        with refused("idempotency_conflict"):
            await admitted(store, "r2", "s2", idempotency_key="k", command_fingerprint="other")

        assert (await store.get_session(SCOPE, "s2")).active_run_id is None

    async def test_keys_belong_to_their_authority_and_namespace(self, store: SessionStore) -> None:
        """The same key of another authority, or in another namespace, is another key.

        If this fails: two callers that number their commands collide.
        """
        await created(store, "s1")
        await created(store, "s2")
        await created(store, "s1", namespace_id="other")
        await admitted(store, idempotency_key="k", command_fingerprint="f")

        second = await admitted(store, "r1", "s2", authority="somebody", idempotency_key="k", command_fingerprint="g")
        third = await admitted(store, namespace_id="other", idempotency_key="k", command_fingerprint="g")

        assert (second.idempotent_replay, third.idempotent_replay) == (False, False)
        assert await store.get_run(AccessScope(namespace_id="other"), "s1", "r1") == third.run

    async def test_refused_command_leaves_its_key_free(self, store: SessionStore) -> None:
        """A refused admission stores no receipt: the command can be tried again.

        If this fails: the receipt is written in a transaction of its own.
        """
        await created(store)
        lease = (await admitted(store)).lease
        command = admission("r2", idempotency_key="k", command_fingerprint="f")

        with refused("run_conflict"):
            await store.admit_run(command)
        await store.finalise_run(lease, RunOutcome(status="cancelled"))
        got = await store.admit_run(command)

        assert (got.run.run_id, got.idempotent_replay) == ("r2", False)

    async def test_admission_over_an_expired_lease_cancels_the_orphan(
        self, store: SessionStore, advance: Advance
    ) -> None:
        """A run whose owner stopped renewing does not block the next: it is cancelled in the same transaction.

        If this fails: reconcile the session's expired lease before looking for an active run.
        """
        await created(store)
        first = await admitted(store, "r1", lease_seconds=30)
        await advance(31)

        second = await admitted(store, "r2")
        orphan = await store.get_run(SCOPE, "s1", "r1")

        assert orphan.terminal_error is not None
        assert (orphan.status, orphan.terminal_error.code) == ("cancelled", "admission_lease_expired")
        assert second.lease.fencing_generation > first.lease.fencing_generation


__all__ = ["AdmissionRules"]
