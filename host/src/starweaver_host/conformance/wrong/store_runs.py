"""Stores that are wrong about runs: admission, leases, fencing and ends."""

# ruff: noqa: ARG002 (to ignore an argument is how some of these are wrong)
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace as with_fields

from msgspec.structs import replace

from starweaver_host.conformance.memory.state import Holding, State
from starweaver_host.conformance.memory_store import MemorySessionStore
from starweaver_host.contract.errors import StoreError
from starweaver_host.contract.events import NewEvent
from starweaver_host.contract.records import STABLE, TERMINAL_RUN_STATUSES, AccessScope, Run, RunKey
from starweaver_host.contract.store import AdmittedRun, RunAdmission, RunLease, RunOutcome

from .kinds import wrong


class RunsTwoAtOnce(MemorySessionStore):
    """Admits a run beside an active one."""

    def _check_admissible(self, holding: Holding, admission: RunAdmission) -> None:
        try:
            super()._check_admissible(holding, admission)
        except StoreError as error:
            if error.code != "run_conflict":
                raise


class ForgetsReceipts(MemorySessionStore):
    """Runs a repeated command again."""

    async def admit_run(self, admission: RunAdmission) -> AdmittedRun:
        return await super().admit_run(replace(admission, idempotency_key=None))


class SharesKeys(MemorySessionStore):
    """Scopes idempotency keys to nobody."""

    async def admit_run(self, admission: RunAdmission) -> AdmittedRun:
        return await super().admit_run(replace(admission, authority="everybody"))


class AdmitsUnderAFence(MemorySessionStore):
    """Starts a run in a session that is being deleted."""

    def _check_admissible(self, holding: Holding, admission: RunAdmission) -> None:
        super()._check_admissible(holding.with_session(fence=STABLE), admission)


class IgnoresGeneration(MemorySessionStore):
    """Takes any generation of the right owner for the current one."""

    def _check_lease(self, holding: Holding, lease: RunLease) -> None:
        held = holding.lease
        if held is not None:
            lease = replace(lease, fencing_generation=held.fencing_generation)
        super()._check_lease(holding, lease)


class BelievesTheCaller(MemorySessionStore):
    """Takes the caller's word for when its lease ends."""

    def _check_lease(self, holding: Holding, lease: RunLease) -> None:
        held = holding.lease
        if held is not None:
            holding = with_fields(holding, lease=replace(held, expires_at=lease.expires_at))
        super()._check_lease(holding, lease)


class WritesForAnybody(MemorySessionStore):
    """Takes events of a run from whoever brings them."""

    def _check_runs(self, holding: Holding, events: Sequence[NewEvent], lease: RunLease | None) -> None:
        return


class WritesTheAbandoned(MemorySessionStore):
    """Takes a run for nobody's once its lease has expired."""

    def _check_runs(self, holding: Holding, events: Sequence[NewEvent], lease: RunLease | None) -> None:
        if holding.lease is not None and not self._is_live(holding.lease):
            holding = with_fields(holding, lease=None)
        super()._check_runs(holding, events, lease)


class BuriesTheQueued(MemorySessionStore):
    """Deletes a session and leaves the run of its dead owner waiting."""

    def _quiesced(self, work: State, holding: Holding) -> Holding:
        return holding


class NeverExpires(MemorySessionStore):
    """Keeps a lease alive for ever."""

    def _is_live(self, lease: RunLease) -> bool:
        return True


class EndsTwice(MemorySessionStore):
    """Lets a run that has ended end otherwise."""

    async def finalise_run(self, lease: RunLease, outcome: RunOutcome) -> Run:
        try:
            return await super().finalise_run(lease, outcome)
        except StoreError as error:
            if error.code != "terminal":
                raise
            return self._overwritten(lease.key, outcome)

    def _overwritten(self, key: RunKey, outcome: RunOutcome) -> Run:
        with self._transaction() as work:
            holding = work.held(key.namespace_id, key.session_id)
            stored = holding.run(key.run_id)
            assert stored is not None
            return self._end(
                work,
                holding,
                stored,
                status=outcome.status,
                output_preview=outcome.output_preview,
                terminal_error=outcome.error,
            )


class EndsOnceOnly(MemorySessionStore):
    """Refuses the retry of an end."""

    async def finalise_run(self, lease: RunLease, outcome: RunOutcome) -> Run:
        holding = self._state.held(lease.key.namespace_id, lease.key.session_id)
        stored = holding.run(lease.key.run_id)
        if stored is not None and stored.run.status in TERMINAL_RUN_STATUSES:
            raise StoreError("terminal", f"an active run was wanted, found {lease.key.run_id!r} ended")
        return await super().finalise_run(lease, outcome)


class NumbersByCount(MemorySessionStore):
    """Gives the number of a pruned run again."""

    async def delete_run(self, scope: AccessScope, session_id: str, run_id: str) -> None:
        await super().delete_run(scope, session_id, run_id)
        with self._transaction() as work:
            holding = work.visible(scope, session_id)
            work.put(with_fields(holding, last_run_no=len(holding.runs)))


WRONG_RUNS = (
    wrong(RunsTwoAtOnce, "test_second_active_run_is_a_run_conflict", "AdmissionRules"),
    wrong(ForgetsReceipts, "test_same_command_again_replays_its_admission", "AdmissionRules", "LifetimeRules"),
    wrong(SharesKeys, "test_keys_belong_to_their_authority_and_namespace", "AdmissionRules"),
    wrong(AdmitsUnderAFence, "test_fenced_session_admits_no_run_and_no_stranger", "DeletionRules"),
    wrong(IgnoresGeneration, "test_forged_lease_writes_nothing[older_generation-append]", "LeaseRules"),
    wrong(BelievesTheCaller, "test_lease_that_claims_to_last_longer_is_not_believed[append]", "LeaseRules"),
    wrong(WritesForAnybody, "test_event_of_a_held_run_needs_its_lease", "LeaseRules"),
    wrong(WritesTheAbandoned, "test_event_of_an_abandoned_run_needs_its_lease", "LeaseRules"),
    wrong(BuriesTheQueued, "test_tombstone_ends_the_run_of_an_owner_that_went_away", "DeletionRules"),
    wrong(
        NeverExpires,
        "test_expired_lease_writes_nothing[heartbeat]",
        "LeaseRules",
        "AdmissionRules",
        "RunRules",
        "DeletionRules",
    ),
    wrong(EndsTwice, "test_another_end_is_terminal[outcome0]", "RunRules"),
    wrong(EndsOnceOnly, "test_same_end_again_changes_nothing[completed]", "RunRules"),
    wrong(NumbersByCount, "test_pruned_run_leaves_its_events_and_its_number", "RunRules"),
)

__all__ = ["WRONG_RUNS"]
