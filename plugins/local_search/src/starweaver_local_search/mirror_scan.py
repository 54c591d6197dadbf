"""Searches display mirrors: an optional, bounded extra beside the canonical log.

Walks the sessions of the query newest first, reads each run's mirror within the page's budgets, and leaves out what
the canonical log already says. Everything that was not read is warned about, once per reason.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from hashlib import blake2b, sha256
from itertools import islice
from pathlib import Path

import msgspec

from starweaver_host.contract.corpus import CorpusQuery, DocumentRef
from starweaver_host.contract.records import Run, Session
from starweaver_host.contract.registration import Offload
from starweaver_host.contract.store import RunListQuery, SessionListQuery, SessionStore
from starweaver_host.projection.folding import fold, iter_matches
from starweaver_host.services.search_coverage import CoverageLog
from starweaver_host.services.search_order import Match, Origin, is_inside_word
from starweaver_host.services.search_rules import SearchPlan

from .budget import ScanBudget
from .config import LocalSearchConfig
from .mirror_files import MirrorRoot, MirrorUnread, opened_root
from .mirror_messages import MirrorMalformed, MirrorMessage, parse_mirror
from .scan import find_in_batch

_EXCERPT = 512
_STOPPED = "display mirrors were searched in part: a limit was reached"

Fact = tuple[str, str, bytes]
"""(session id, run id, digest of the folded text): what makes two messages the same."""


class MirrorScan:
    """The mirrors' matches of one page."""

    def __init__(
        self,
        store: SessionStore,
        plan: SearchPlan,
        config: LocalSearchConfig,
        *,
        coverage: CoverageLog,
        budget: ScanBudget,
        offload: Offload,
    ) -> None:
        self._store = store
        self._plan = plan
        self._needle = plan.needle.encode("utf-8")
        self._config = config
        self._coverage = coverage
        self._budget = budget
        self._offload = offload
        self._files_left = config.max_display_files
        self._bytes_left = config.max_total_display_bytes
        self._hits_left = config.max_display_hits

    async def matches(self, root: Path) -> list[Match]:
        """Return the matches that only the mirrors have, in no order. What was not read is in the coverage."""
        try:
            with opened_root(root) as mirrors:
                found = await self._walk(mirrors)
        except MirrorUnread as problem:
            self._skip(problem)
            self._coverage.unavailable("display_message")
            return []
        await self._drop_known(found)
        if found:
            self._coverage.warn("unverified_source", "some hits come from display mirrors and not from the log")
        return list(found.values())

    async def _walk(self, mirrors: MirrorRoot) -> dict[Fact, Match]:
        found: dict[Fact, Match] = {}
        async with aclosing(self._runs()) as runs:
            async for session, run_id in runs:
                if self._is_stopped():
                    self._coverage.warn("limit_reached", _STOPPED)
                    self._coverage.unavailable("display_message")
                    break
                for fact, match in await self._offload(self._read, mirrors, session, run_id):
                    found.setdefault(fact, match)
        return found

    def _is_stopped(self) -> bool:
        return min(self._files_left, self._bytes_left, self._hits_left) <= 0 or self._budget.is_spent()

    async def _runs(self) -> AsyncGenerator[tuple[Session, str], None]:
        """The runs a mirror may exist of; an imported session never had one."""
        after: tuple[int, str] | None = None
        while True:
            query = SessionListQuery(filter=self._plan.filter, limit=100, after=after)
            page = await self._store.list_sessions(self._plan.access, query)
            for session in page.sessions:
                if session.header.external is None:
                    for run_id in await self._run_ids(session):
                        yield session, run_id
            if (after := page.after) is None:
                return

    async def _run_ids(self, session: Session) -> list[str]:
        ids: list[str] = []
        after: int | None = None
        while len(ids) <= self._files_left:
            query = RunListQuery(newest_first=True, limit=500, after=after)
            page = await self._store.list_runs(self._plan.access, session.header.session_id, query)
            ids += [run.run_id for run in page.runs if self._is_wanted(run)]
            if (after := page.after) is None:
                break
        return ids

    def _is_wanted(self, run: Run) -> bool:
        return not self._plan.filter.run_statuses or run.status in self._plan.filter.run_statuses

    def _read(self, mirrors: MirrorRoot, session: Session, run_id: str) -> list[tuple[Fact, Match]]:
        """Read and search one mirror; on a worker thread."""
        session_id = session.header.session_id
        try:
            data = mirrors.read(session_id, run_id, bytes_left=self._bytes_left)
            self._files_left -= 1
            self._bytes_left -= len(data)
            found = islice(self._search(session, run_id, parse_mirror(data, session_id)), self._hits_left)
            hits = list(found)
        except MirrorUnread as problem:
            self._skip(problem)
            return []
        except MirrorMalformed as problem:
            self._coverage.warn("malformed_source", str(problem))
            return []
        self._hits_left -= len(hits)
        return hits

    def _skip(self, problem: MirrorUnread) -> None:
        self._coverage.warn(problem.kind, problem.text)
        if problem.kind == "limit_reached":
            self._coverage.unavailable("display_message")

    def _search(self, session: Session, run_id: str, messages: Iterator[MirrorMessage]) -> Iterator[tuple[Fact, Match]]:
        facts: set[Fact] = set()
        for message in messages:
            folded = fold(message.text).encode("utf-8")
            fact = (session.header.session_id, run_id, _digest(folded))
            if self._needle in folded and fact not in facts:
                facts.add(fact)
                yield fact, self._match(session, run_id, message, folded)

    def _match(self, session: Session, run_id: str, message: MirrorMessage, folded: bytes) -> Match:
        ref = DocumentRef(
            session_id=session.header.session_id, source="display_message", run_id=run_id, seq=message.sequence
        )
        return Match(
            ref=ref,
            root_session_id=session.root_session_id,
            time=message.time,
            is_inside_word=is_inside_word(folded, self._needle, 0, len(folded)),
            origin=Origin(
                text=_excerpt(message.text, self._plan.needle),
                run_id=message.run_id,
                sequence=message.sequence,
                agent_id=message.agent_id,
            ),
            document_id=_mirror_id(ref, message),
        )

    async def _drop_known(self, found: dict[Fact, Match]) -> None:
        """Leave out what the canonical log says too: the same text in the same run is the same fact."""
        sessions = sorted({session_id for session_id, _, _ in found})
        for at in range(0, len(sessions), 256):
            narrowed = msgspec.structs.replace(
                self._plan.filter, session_ids=tuple(sessions[at : at + 256]), sources=("display_message",)
            )
            query = CorpusQuery(scope=self._plan.access, filter=narrowed)
            async for batch in self._store.scan_corpus(query):
                for document in find_in_batch(batch, self._needle, self._coverage):
                    text = batch.text[document.start : document.end]
                    found.pop((document.ref.session_id, document.ref.run_id or "", _digest(text)), None)


def _digest(folded: bytes) -> bytes:
    return blake2b(folded, digest_size=16).digest()


def _excerpt(text: str, needle: str) -> str:
    """As much of the text around its first match as a snippet can show, so that a long message is not held."""
    start, end = next(iter_matches(text, needle))
    return text[max(0, start - _EXCERPT) : end + _EXCERPT]


def _mirror_id(ref: DocumentRef, message: MirrorMessage) -> str:
    fields = ("mirror-v1", ref.session_id, ref.run_id, message.sequence, message.run_id, message.time)
    named = "".join(f"{len(str(field))}:{field}" for field in fields)
    return f"doc1.{sha256(named.encode('utf-8', 'surrogatepass')).hexdigest()}"


__all__ = ["MirrorScan"]
