"""The search corpus: folded documents in batches, their originals, and who owns what several sessions hold."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence

from starweaver_host.contract.corpus import (
    Attribution,
    CorpusBatch,
    CorpusDocument,
    CorpusQuery,
    DocumentRef,
)
from starweaver_host.contract.records import AccessScope

from .feed import MemoryFeed, decode_position, reached_position
from .filters import selects_run, shows
from .state import Holding, State, StoredDocument

BATCH_DOCUMENTS = 64
"""Documents of one batch: small, so that suites see several."""

Placed = tuple[Holding, StoredDocument]


class MemoryCorpus(MemoryFeed):
    """SearchCorpus."""

    async def scan_corpus(self, query: CorpusQuery) -> AsyncGenerator[CorpusBatch, None]:
        """Batches newest first, of the state as it was when the scan began."""
        found = self._found(self._state, query)
        found.sort(key=lambda placed: (placed[1].document.time, placed[1].document.ref.session_id), reverse=True)
        for start in range(0, len(found), BATCH_DOCUMENTS):
            yield _batch(found[start : start + BATCH_DOCUMENTS])

    def _found(self, state: State, query: CorpusQuery) -> list[Placed]:
        as_of = None if query.as_of is None else decode_position(query.as_of)
        head = state.positions.get(query.scope.namespace_id, 0)
        beyond = 0 if query.beyond is None else reached_position(query.beyond, head)
        return [
            (holding, stored)
            for holding in state.in_namespace(query.scope.namespace_id)
            if shows(query.scope, holding.session) and state.selects(query.scope, query.filter, holding)
            for stored in holding.documents
            if stored.since > beyond and self._was_held(stored, as_of) and self._is_wanted(query, holding, stored)
        ]

    def _was_held(self, stored: StoredDocument, as_of: int | None) -> bool:
        if as_of is None:
            return stored.until is None
        return stored.since <= as_of and (stored.until is None or as_of < stored.until)

    def _is_wanted(self, query: CorpusQuery, holding: Holding, stored: StoredDocument) -> bool:
        ref, time = stored.document.ref, stored.document.time
        run = None if ref.run_id is None else holding.run(ref.run_id)
        return (
            ref.source in query.filter.sources
            and (query.older_than is None or time < query.older_than)
            and selects_run(query.filter, run and run.run)
        )

    async def rewritten(self, query: CorpusQuery) -> int:
        """How many sessions had their log replaced after the query's `as_of`; nothing else is given up here."""
        as_of = None if query.as_of is None else decode_position(query.as_of)
        return sum(
            as_of is not None
            and holding.replaced > as_of
            and shows(query.scope, holding.session)
            and self._state.selects(query.scope, query.filter, holding)
            for holding in self._state.in_namespace(query.scope.namespace_id)
        )

    async def read_texts(self, scope: AccessScope, refs: Sequence[DocumentRef]) -> tuple[str | None, ...]:
        """The original texts, in the order asked for."""
        return tuple(self._text(scope, ref) for ref in refs)

    def _text(self, scope: AccessScope, ref: DocumentRef) -> str | None:
        holding = self._state.find(scope.namespace_id, ref.session_id)
        if holding is None or not shows(scope, holding.session):
            return None
        alive = (stored.document for stored in holding.documents if stored.until is None)
        return next((document.text for document in alive if document.ref == ref), None)

    async def attribute(self, scope: AccessScope, identities: Sequence[bytes]) -> tuple[Attribution, ...]:
        """Owners of the identities that more than one session of the scope holds, in the order asked for."""
        found = (self._attribution(scope, identity) for identity in dict.fromkeys(identities))
        return tuple(attribution for attribution in found if len(attribution.session_ids) > 1)

    def _attribution(self, scope: AccessScope, identity: bytes) -> Attribution:
        holders = sorted(self._state.holders.get((scope.namespace_id, identity), ()))
        ids = [session_id for _, session_id in holders]
        shown = [each for each in ids if shows(scope, self._state.held(scope.namespace_id, each).session)]
        return Attribution(identity=identity, owner_session_id=shown[0] if shown else "", session_ids=tuple(shown))


def _batch(found: Sequence[Placed]) -> CorpusBatch:
    documents = []
    start = 0
    for holding, stored in found:
        documents.append(
            CorpusDocument(
                ref=stored.document.ref,
                root_session_id=holding.session.root_session_id,
                time=stored.document.time,
                start=start,
                end=start + len(stored.folded),
                identity=stored.document.identity,
            )
        )
        start += len(stored.folded) + 1
    return CorpusBatch(
        newest=found[0][1].document.time,
        text=b"\0".join(stored.folded for _, stored in found),
        load=lambda: tuple(documents),
    )


__all__ = ["BATCH_DOCUMENTS", "MemoryCorpus"]
