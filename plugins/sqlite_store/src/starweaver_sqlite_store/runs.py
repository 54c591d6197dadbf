"""Reading and pruning runs, and their checkpoints."""

# ruff: noqa: S608  names in statements are constants of this package; every value is a parameter

from __future__ import annotations

from typing import Any

from starweaver_host.contract.errors import StoreError
from starweaver_host.contract.records import ACTIVE_RUN_STATUSES, AccessScope, Checkpoint, Run, RunKey
from starweaver_host.contract.store import RunListQuery, RunPage

from . import feed
from .conditions import Condition, join, one_of
from .database import Transaction
from .listing import check_limit
from .run_rows import RUN_COLUMNS, StoredRun, document_change, find_run, readable_runs, run_not_found
from .session_rows import visible_session


def get_run(tx: Transaction, scope: AccessScope, session_id: str, run_id: str) -> Run:
    """One run of a session the scope shows, or `not_found`."""
    return _visible_run(tx, scope, session_id, run_id).run


def list_runs(tx: Transaction, scope: AccessScope, session_id: str, query: RunListQuery) -> RunPage:
    """A page by sequence_no, in the direction asked for."""
    check_limit(query.limit)
    visible_session(tx, scope, session_id)
    conditions = [Condition("namespace_id = ? AND session_id = ?", (scope.namespace_id, session_id))]
    order, beyond = ("DESC", "<") if query.newest_first else ("ASC", ">")
    if query.after is not None:
        conditions.append(Condition(f"sequence_no {beyond} ?", (query.after,)))
    if query.statuses:
        conditions.append(one_of("status", query.statuses))
    where = join(conditions)
    rows: list[tuple[Any, ...]] = tx.execute(
        f"SELECT {RUN_COLUMNS} FROM runs WHERE {where.sql} ORDER BY sequence_no {order} LIMIT ?",
        (*where.values, query.limit + 1),
    ).fetchall()
    page = rows[: query.limit]
    return RunPage(runs=tuple(readable_runs(page)), after=page[-1][3] if len(rows) > query.limit else None)


def delete_run(tx: Transaction, scope: AccessScope, session_id: str, run_id: str) -> None:
    """Remove a terminal run's record, checkpoint and documents; its events stay."""
    stored = _visible_run(tx, scope, session_id, run_id)
    if stored.run.status in ACTIVE_RUN_STATUSES:
        raise StoreError("run_conflict", f"a terminal run was wanted, found {run_id!r} {stored.run.status}")
    key = (scope.namespace_id, session_id, run_id)
    position = feed.touch(tx, scope.namespace_id, session_id)
    document_change([(stored, None)]).apply(tx, scope.namespace_id, session_id, position)
    for table in ("runs", "checkpoints"):
        tx.execute(f"DELETE FROM {table} WHERE namespace_id = ? AND session_id = ? AND run_id = ?", key)
    tx.execute(
        "UPDATE sessions SET runs = runs - 1, activity_revision = activity_revision + 1, head_run_id = "
        "(SELECT run_id FROM runs AS r WHERE r.namespace_id = sessions.namespace_id "
        "AND r.session_id = sessions.session_id ORDER BY sequence_no DESC LIMIT 1) "
        "WHERE namespace_id = ? AND session_id = ?",
        key[:2],
    )


def load_checkpoint(tx: Transaction, scope: AccessScope, session_id: str, run_id: str) -> Checkpoint | None:
    """The checkpoint of a run, if it has one."""
    _visible_run(tx, scope, session_id, run_id)
    row = tx.execute(
        "SELECT format, version, data FROM checkpoints WHERE namespace_id = ? AND session_id = ? AND run_id = ?",
        (scope.namespace_id, session_id, run_id),
    ).fetchone()
    return None if row is None else Checkpoint(format=row[0], version=row[1], data=row[2])


def _visible_run(tx: Transaction, scope: AccessScope, session_id: str, run_id: str) -> StoredRun:
    visible_session(tx, scope, session_id)
    key = RunKey(namespace_id=scope.namespace_id, session_id=session_id, run_id=run_id)
    found = find_run(tx, key)
    if found is None:
        raise run_not_found(key)
    return found


__all__ = ["delete_run", "get_run", "list_runs", "load_checkpoint"]
