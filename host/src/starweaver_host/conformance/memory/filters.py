"""Which sessions a scope shows and a filter selects, said in plain Python: also the oracle of the suites."""

from __future__ import annotations

from collections.abc import Collection

from starweaver_host.contract.corpus import CorpusFilter, TimeRange
from starweaver_host.contract.records import AccessScope, Run, Session


def shows(scope: AccessScope, session: Session) -> bool:
    """Whether a scope shows a session: namespace, owner, allow-list, and tombstones only when it includes them."""
    return (
        session.header.namespace_id == scope.namespace_id
        and (scope.owner_id is None or session.header.owner_id == scope.owner_id)
        and (scope.session_ids is None or session.header.session_id in scope.session_ids)
        and (session.status != "deleted" or scope.include_deleted)
    )


def sees_root(scope: AccessScope, wanted: CorpusFilter, root: Session | None) -> bool:
    """Whether a scope and a filter's tombstones let a root be seen, so that its children may be folded under it."""
    return root is None or (shows(scope, root) and (root.status != "deleted" or "deleted" in wanted.statuses))


def selects(wanted: CorpusFilter, session: Session, runs: Collection[Run], *, is_root_seen: bool = True) -> bool:
    """Whether a filter selects a session. Tombstones are selected by name only, children of hidden roots always."""
    return (
        (session.status in wanted.statuses if wanted.statuses else session.status != "deleted")
        and (not wanted.run_statuses or any(run.status in wanted.run_statuses for run in runs))
        and _is_one_of(wanted.profiles, session.profile)
        and _is_in_workspace(wanted.workspaces, session)
        and (wanted.cwd_prefix is None or _is_below(wanted.cwd_prefix, session.header.cwd))
        and _is_one_of(wanted.session_ids, session.header.session_id)
        and _is_one_of(wanted.agents, session.header.external.source if session.header.external else None)
        and _is_one_of(wanted.roots, session.root_session_id)
        and (wanted.include_children or session.header.folds_under is None or not is_root_seen)
        and holds(wanted.created, session.header.created_at)
        and holds(wanted.updated, session.updated_at)
    )


def selects_run(wanted: CorpusFilter, run: Run | None) -> bool:
    """Whether a filter selects the documents of a run; what belongs to no run is selected with its session."""
    return run is None or _is_one_of(wanted.run_statuses, run.status)


def holds(period: TimeRange, time: int) -> bool:
    """Whether a time lies in a range."""
    return (period.start is None or time >= period.start) and (period.until is None or time < period.until)


def _is_one_of(wanted: Collection[str], value: str | None) -> bool:
    return not wanted or value in wanted


def _is_in_workspace(wanted: Collection[str], session: Session) -> bool:
    workspace = session.header.workspace
    return not wanted or (workspace is not None and (workspace.id in wanted or workspace.label in wanted))


def _is_below(folder: str, cwd: str | None) -> bool:
    base = folder.rstrip("/\\")
    return cwd is not None and (cwd in (folder, base) or cwd.startswith((f"{base}/", f"{base}\\")))


__all__ = ["holds", "sees_root", "selects", "selects_run", "shows"]
