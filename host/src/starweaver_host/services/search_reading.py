"""Reads from the store what hits show, each record for itself: one that is damaged is left out and counted.

A search must not fail because of one session that cannot be decoded. Not for scanning: a scan counts what it meets.
"""

from __future__ import annotations

from collections.abc import Awaitable, Iterable, Sequence
from typing import TypeVar

from starweaver_host.contract.corpus import DocumentRef
from starweaver_host.contract.errors import StoreError
from starweaver_host.contract.records import AccessScope, Run, Session
from starweaver_host.contract.store import RunListQuery, SessionStore

from .search_coverage import CoverageLog

T = TypeVar("T")


class HitReader:
    """Texts, sessions and runs of one page. Damage goes to `coverage`; every other StoreError is raised."""

    def __init__(self, store: SessionStore, access: AccessScope, coverage: CoverageLog) -> None:
        self._store = store
        self._access = access
        self._coverage = coverage
        self._runs: dict[tuple[str, str], Run | None] = {}

    async def texts(self, refs: Sequence[DocumentRef]) -> list[str | None]:
        """Original texts in the order asked for; None where one is gone or unreadable. Cost: one read."""
        if not refs:
            return []
        try:
            found = list(await self._store.read_texts(self._access, refs))
        except StoreError as error:
            _require_damage(error)
            found = [await self._text(ref) for ref in refs]
        return found

    async def _text(self, ref: DocumentRef) -> str | None:
        found = await self._read(self._store.read_texts(self._access, [ref]), ref)
        return None if found is None else found[0]

    async def is_damaged(self, ref: DocumentRef) -> bool:
        """Tell whether a text that could not be had is there and unreadable; counts it then."""
        try:
            if ref.seq is not None:
                await self._store.read_events(self._access, ref.session_id, from_seq=ref.seq, limit=1)
            elif ref.run_id is not None:
                await self._store.get_run(self._access, ref.session_id, ref.run_id)
        except StoreError as error:
            if error.code == "not_found":
                return False
            _require_damage(error)
            self._coverage.malformed(ref)
            return True
        return False

    async def sessions(self, ids: Iterable[str]) -> dict[str, Session]:
        """The sessions that the scope shows, by id. Cost: one read, and one for each that is not there."""
        wanted = tuple(dict.fromkeys(ids))
        if not wanted:
            return {}
        try:
            found = await self._store.get_sessions(self._access, wanted)
        except StoreError as error:
            _require_damage(error)
            found = ()
        by_id = {session.header.session_id: session for session in found}
        for missing in wanted:
            if missing not in by_id:
                session = await self._read(self._store.get_session(self._access, missing), missing)
                if session is not None:
                    by_id[missing] = session
        return by_id

    async def run(self, session_id: str, run_id: str | None) -> Run | None:
        """One run, read once; None when there is none, or it was pruned or is damaged."""
        if run_id is None:
            return None
        place = (session_id, run_id)
        if place not in self._runs:
            self._runs[place] = await self._read(self._store.get_run(self._access, session_id, run_id), place)
        return self._runs[place]

    async def last_run(self, session_id: str) -> Run | None:
        """The newest run of a session; None when there is none or it is damaged."""
        query = RunListQuery(newest_first=True, limit=1)
        page = await self._read(self._store.list_runs(self._access, session_id, query), (session_id, "last run"))
        return page.runs[0] if page is not None and page.runs else None

    async def _read(self, reading: Awaitable[T], record: object) -> T | None:
        """What `reading` gives; None for a record that is absent, or damaged, which is counted."""
        try:
            return await reading
        except StoreError as error:
            if error.code != "not_found":
                _require_damage(error)
                self._coverage.malformed(record)
            return None


def _require_damage(error: StoreError) -> None:
    if error.code != "corrupt":
        raise error


__all__ = ["HitReader"]
