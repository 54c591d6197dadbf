"""Runs as they are read and pruned."""

from __future__ import annotations

from dataclasses import replace

import msgspec

from starweaver_host.contract.errors import StoreError
from starweaver_host.contract.records import ACTIVE_RUN_STATUSES, AccessScope, Checkpoint, Run
from starweaver_host.contract.store import RunListQuery, RunPage

from .base import check_limit
from .documents import with_runs
from .runs import MemoryRuns
from .state import Holding, State, StoredRun


class MemoryRunRegister(MemoryRuns):
    """RunRegister: the writing half, reading and pruning."""

    async def get_run(self, scope: AccessScope, session_id: str, run_id: str) -> Run:
        """One run, or `not_found`."""
        return _visible_run(self._state, scope, session_id, run_id).run

    async def list_runs(self, scope: AccessScope, session_id: str, query: RunListQuery) -> RunPage:
        """A page by sequence_no."""
        check_limit(query.limit)
        runs = [stored.run for stored in self._state.visible(scope, session_id).runs]
        if query.newest_first:
            runs.reverse()
        wanted = [run for run in runs if _is_after(query, run) and (not query.statuses or run.status in query.statuses)]
        page = tuple(wanted[: query.limit])
        return RunPage(runs=page, after=page[-1].sequence_no if len(wanted) > query.limit else None)

    async def load_checkpoint(self, scope: AccessScope, session_id: str, run_id: str) -> Checkpoint | None:
        """The run's checkpoint, if it has one."""
        _visible_run(self._state, scope, session_id, run_id)
        return self._state.visible(scope, session_id).checkpoints.get(run_id)

    async def delete_run(self, scope: AccessScope, session_id: str, run_id: str) -> None:
        """Remove a terminal run's record, checkpoint and documents; its events stay."""
        with self._transaction() as work:
            run = _visible_run(work, scope, session_id, run_id).run
            if run.status in ACTIVE_RUN_STATUSES:
                raise StoreError("run_conflict", f"a terminal run was wanted, found {run_id!r} {run.status}")
            holding = work.touch(_without_run(work.visible(scope, session_id), run_id))
            work.put(with_runs(holding, holding.position))


def _without_run(holding: Holding, run_id: str) -> Holding:
    runs = tuple(stored for stored in holding.runs if stored.run.run_id != run_id)
    session = msgspec.structs.replace(
        holding.session,
        counts=msgspec.structs.replace(holding.session.counts, runs=len(runs)),
        activity_revision=holding.session.activity_revision + 1,
        head_run_id=runs[-1].run.run_id if runs else None,
    )
    checkpoints = {key: value for key, value in holding.checkpoints.items() if key != run_id}
    return replace(holding, session=session, runs=runs, checkpoints=checkpoints)


def _visible_run(state: State, scope: AccessScope, session_id: str, run_id: str) -> StoredRun:
    stored = state.visible(scope, session_id).run(run_id)
    if stored is None:
        raise StoreError("not_found", f"run {run_id!r} of session {session_id!r} was wanted, found none")
    return stored


def _is_after(query: RunListQuery, run: Run) -> bool:
    if query.after is None:
        return True
    return run.sequence_no < query.after if query.newest_first else run.sequence_no > query.after


__all__ = ["MemoryRunRegister"]
