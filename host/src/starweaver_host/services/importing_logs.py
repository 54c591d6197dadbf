"""The stored side of an item's sessions while it is imported: where each log ends and its newest run."""

from __future__ import annotations

from starweaver_host.contract.records import AccessScope
from starweaver_host.contract.store import RunListQuery, SessionStore
from starweaver_host.projection.runs import RunFold


class SessionLog:
    """One session's log as the store holds it.

    `is_touched`: this import wrote to it. `is_dead`: the store said it was deleted here and stays so.
    """

    def __init__(self, fold: RunFold, *, next_seq: int = 0, exists: bool = False) -> None:
        self.fold = fold
        self.next_seq = next_seq
        self.exists = exists
        self.is_touched = False
        self.is_dead = False

    def restart(self, fold: RunFold) -> None:
        """The log begins anew."""
        self.fold, self.next_seq = fold, 0


class SessionLogs:
    """Logs by session id, read from the store on first use."""

    def __init__(self, store: SessionStore, namespace_id: str) -> None:
        self._store = store
        self._namespace_id = namespace_id
        self._logs: dict[str, SessionLog] = {}

    async def open(self, session_id: str) -> SessionLog:
        """The log of a session; an empty one if the store has none."""
        log = self._logs.get(session_id)
        if log is None:
            log = self._logs[session_id] = await self._load(session_id)
        return log

    def new_fold(self, session_id: str) -> RunFold:
        """A fold for a log that begins."""
        return RunFold(self._namespace_id, session_id)

    async def _load(self, session_id: str) -> SessionLog:
        scope = AccessScope(namespace_id=self._namespace_id, include_deleted=True)
        found = await self._store.get_sessions(scope, [session_id])
        if not found:
            return SessionLog(self.new_fold(session_id))
        page = await self._store.list_runs(scope, session_id, RunListQuery(newest_first=True, limit=1))
        last = page.runs[0] if page.runs else None
        fold = RunFold(self._namespace_id, session_id, last=last)
        return SessionLog(fold, next_seq=found[0].next_seq, exists=True)


__all__ = ["SessionLog", "SessionLogs"]
