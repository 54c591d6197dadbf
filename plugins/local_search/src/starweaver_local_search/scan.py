"""The scan: byte search over the store's folded corpus, newest batches first.

A batch that misses costs at most one `bytes.find`. Documents are decoded only in a batch that hits.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator, Sequence
from functools import partial

import msgspec

from starweaver_host.contract.corpus import CorpusBatch, CorpusDocument, CorpusQuery
from starweaver_host.contract.errors import StoreError
from starweaver_host.contract.store import SearchCorpus
from starweaver_host.services.search_coverage import CoverageLog
from starweaver_host.services.search_order import Match, is_inside_word
from starweaver_host.services.search_paging import IsWanted, MatchBatch, MatchRequest
from starweaver_host.services.search_rules import SearchPlan

from .budget import ScanBudget
from .rare_byte import RareByte

_SEPARATOR = b"\0"
_AHEAD_OF_ALL = 1 << 62


class CorpusScan:
    """The matches of a plan in a store's corpus, and in the mirrors that were read for this page.

    Problems go to `coverage`; scanned bytes to `budget`.
    """

    def __init__(
        self,
        corpus: SearchCorpus,
        plan: SearchPlan,
        *,
        coverage: CoverageLog,
        budget: ScanBudget,
        mirrored: Sequence[Match] = (),
    ) -> None:
        self._corpus = corpus
        self._plan = plan
        self._needle = plan.needle.encode("utf-8")
        self._rare_byte = RareByte(self._needle)
        self._coverage = coverage
        self._budget = budget
        self._mirrored = mirrored

    async def stream(self, request: MatchRequest) -> AsyncGenerator[MatchBatch, None]:
        """Yield the mirrors' matches, if any, then the corpus batches of `request`."""
        if self._mirrored:
            yield MatchBatch(newest=_AHEAD_OF_ALL, find=partial(self._in_mirrors, request))
        batches = self._corpus.scan_corpus(self._query(request))
        try:
            async for batch in batches:
                yield MatchBatch(newest=batch.newest, find=partial(self._find, batch))
        finally:
            await batches.aclose()

    def _query(self, request: MatchRequest) -> CorpusQuery:
        narrowed = msgspec.structs.replace(
            self._plan.filter,
            session_ids=request.sessions or self._plan.filter.session_ids,
            roots=request.roots or self._plan.filter.roots,
        )
        return CorpusQuery(scope=self._plan.access, filter=narrowed, as_of=request.as_of, older_than=request.older_than)

    def _in_mirrors(self, request: MatchRequest, is_wanted: IsWanted) -> list[Match]:
        return [
            match
            for match in self._mirrored
            if (request.older_than is None or match.time < request.older_than)
            and (not request.sessions or match.ref.session_id in request.sessions)
            and (not request.roots or match.root_session_id in request.roots)
            and is_wanted(match)
        ]

    def _find(self, batch: CorpusBatch, is_wanted: IsWanted) -> list[Match]:
        self._budget.spend(len(batch.text))
        if not self._rare_byte.may_hold(batch.text):
            return []
        found = []
        for document in find_in_batch(batch, self._needle, self._coverage):
            match = Match(
                ref=document.ref,
                root_session_id=document.root_session_id,
                time=document.time,
                identity=document.identity,
            )
            if is_wanted(match):
                self._look_at_words(match, batch, document)
                found.append(match)
        return found

    def _look_at_words(self, match: Match, batch: CorpusBatch, document: CorpusDocument) -> None:
        if self._plan.order == "relevance":
            match.is_inside_word = is_inside_word(batch.text, self._needle, document.start, document.end)


def find_in_batch(batch: CorpusBatch, needle: bytes, coverage: CoverageLog) -> list[CorpusDocument]:
    """Return the documents of a batch that hold `needle`; parts of it that cannot be decoded are counted."""
    places = list(first_places(batch.text, needle))
    if not places:
        return []
    name = (batch.newest, len(batch.text))
    try:
        found = list(batch.documents_at(places))
    except (msgspec.MsgspecError, StoreError, ValueError):
        coverage.malformed(name)
        return []
    coverage.malformed(*((*name, part) for part in range(batch.damaged)))
    return found


def first_places(text: bytes, needle: bytes) -> Iterator[int]:
    """Yield the offset of the first occurrence of `needle` in each document that holds it, ascending.

    NUL bytes stand between documents, and no needle holds one: which document it is need not be known.
    """
    at = text.find(needle)
    while at >= 0:
        yield at
        end = text.find(_SEPARATOR, at)
        at = text.find(needle, end) if end >= 0 else -1


__all__ = ["CorpusScan", "find_in_batch", "first_places"]
