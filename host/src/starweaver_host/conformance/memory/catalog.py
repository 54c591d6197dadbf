"""Sessions as records: reading, listing and resolving them."""

from __future__ import annotations

from collections.abc import Sequence

from starweaver_host.contract.records import AccessScope, Session
from starweaver_host.contract.store import SessionListQuery, SessionPage

from .base import MemoryBase, check_limit
from .filters import shows
from .state import Holding


class MemoryReading(MemoryBase):
    """The reading half of SessionCatalog."""

    async def get_session(self, scope: AccessScope, session_id: str) -> Session:
        """One session, or `not_found`."""
        return self._session(self._state, self._state.visible(scope, session_id))

    async def get_sessions(self, scope: AccessScope, session_ids: Sequence[str]) -> tuple[Session, ...]:
        """Those the scope shows, in the order asked for."""
        found = (self._state.find(scope.namespace_id, session_id) for session_id in session_ids)
        return tuple(self._session(self._state, held) for held in found if held and shows(scope, held.session))

    async def list_sessions(self, scope: AccessScope, query: SessionListQuery) -> SessionPage:
        """A page by (updated_at, session_id), both descending."""
        check_limit(query.limit)
        wanted = [holding for holding in self._selected(scope, query) if _is_after(query.after, _place(holding))]
        wanted.sort(key=_place, reverse=True)
        page = wanted[: query.limit]
        after = _place(page[-1]) if len(wanted) > query.limit else None
        return SessionPage(sessions=tuple(self._session(self._state, holding) for holding in page), after=after)

    def _selected(self, scope: AccessScope, query: SessionListQuery) -> list[Holding]:
        return [
            holding
            for holding in self._state.in_namespace(scope.namespace_id)
            if shows(scope, holding.session) and self._state.selects(scope, query.filter, holding)
        ]

    async def resolve_session(self, scope: AccessScope, text: str, *, limit: int = 10) -> tuple[str, ...]:
        """The exact id alone if it exists, else ids and native ids that `text` begins, by id."""
        shown = [held for held in self._state.in_namespace(scope.namespace_id) if shows(scope, held.session)]
        if any(held.header.session_id == text for held in shown):
            return (text,)
        return tuple(sorted(held.header.session_id for held in shown if text and _begins(text, held)))[:limit]


def _place(holding: Holding) -> tuple[int, str]:
    return (holding.session.updated_at, holding.header.session_id)


def _is_after(after: tuple[int, str] | None, place: tuple[int, str]) -> bool:
    return after is None or place < tuple(after)


def _begins(text: str, holding: Holding) -> bool:
    external = holding.header.external
    return holding.header.session_id.startswith(text) or (external is not None and external.native_id.startswith(text))


__all__ = ["MemoryReading"]
