"""Stores that are wrong about the search corpus and the change feed."""

# ruff: noqa: ARG002 (to ignore an argument is how some of these are wrong)
from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace as with_fields
from functools import partial

from msgspec.structs import replace

from starweaver_host.conformance.memory.feed import decode_position
from starweaver_host.conformance.memory.state import State, StoredDocument
from starweaver_host.conformance.memory_store import MemorySessionStore
from starweaver_host.contract.corpus import (
    SEARCH_SOURCES,
    Attribution,
    CorpusBatch,
    CorpusQuery,
    DocumentRef,
    FeedPage,
)
from starweaver_host.contract.records import AccessScope, Session, SessionChange
from starweaver_host.projection.folding import fold

from .kinds import CORPUS, wrong


class FindsTheDeleted(MemorySessionStore):
    """Scans tombstones nobody asked for."""

    async def scan_corpus(self, query: CorpusQuery) -> AsyncGenerator[CorpusBatch, None]:
        wide = replace(query.scope, include_deleted=True)
        statuses = query.filter.statuses or ("active", "archived", "failed", "deleted")
        async for batch in super().scan_corpus(
            replace(query, scope=wide, filter=replace(query.filter, statuses=statuses))
        ):
            yield batch


class ScansOldestFirst(MemorySessionStore):
    """Yields its batches the wrong way round."""

    async def scan_corpus(self, query: CorpusQuery) -> AsyncGenerator[CorpusBatch, None]:
        for batch in reversed([batch async for batch in super().scan_corpus(query)]):
            yield batch


class JoinsDocuments(MemorySessionStore):
    """Puts a space where a NUL belongs, so that a match may span two documents."""

    async def scan_corpus(self, query: CorpusQuery) -> AsyncGenerator[CorpusBatch, None]:
        async for batch in super().scan_corpus(query):
            yield replace(batch, text=batch.text.replace(b"\0", b" "))


class LosesTheSixtyFourth(MemorySessionStore):
    """Drops the last document of a full batch."""

    async def scan_corpus(self, query: CorpusQuery) -> AsyncGenerator[CorpusBatch, None]:
        async for batch in super().scan_corpus(query):
            documents = batch.documents()
            kept = documents[:-1] if len(documents) == 64 else documents
            yield replace(batch, load=partial(tuple, kept))


class ForgetsSources(MemorySessionStore):
    """Scans every source whatever the filter names."""

    async def scan_corpus(self, query: CorpusQuery) -> AsyncGenerator[CorpusBatch, None]:
        async for batch in super().scan_corpus(replace(query, filter=replace(query.filter, sources=SEARCH_SOURCES))):
            yield batch


class TakesPrefixesForFolders(MemorySessionStore):
    """Finds `/home/me2` below `/home/me`."""

    async def scan_corpus(self, query: CorpusQuery) -> AsyncGenerator[CorpusBatch, None]:
        folder, wanted = query.filter.cwd_prefix, query.filter
        if folder is not None:
            below = self._beginning(query.scope.namespace_id, folder)
            named = below & set(wanted.session_ids) if wanted.session_ids else below
            query = replace(query, filter=replace(wanted, cwd_prefix=None, session_ids=(*sorted(named), "")))
        async for batch in super().scan_corpus(query):
            yield batch

    def _beginning(self, namespace_id: str, folder: str) -> set[str]:
        headers = (holding.header for holding in self._state.in_namespace(namespace_id))
        return {header.session_id for header in headers if (header.cwd or "").startswith(folder)}


class FindsSubagentsAlways(MemorySessionStore):
    """Scans child sessions although it was told not to."""

    async def scan_corpus(self, query: CorpusQuery) -> AsyncGenerator[CorpusBatch, None]:
        async for batch in super().scan_corpus(replace(query, filter=replace(query.filter, include_children=True))):
            yield batch


class SeesTheFuture(MemorySessionStore):
    """Shows a scan as of a position what came later."""

    def _was_held(self, stored: StoredDocument, as_of: int | None) -> bool:
        return stored.until is None


class ScansBehind(MemorySessionStore):
    """Shows a scan beyond a position what was there before."""

    async def scan_corpus(self, query: CorpusQuery) -> AsyncGenerator[CorpusBatch, None]:
        async for batch in super().scan_corpus(replace(query, beyond=None)):
            yield batch


class ReadsAlong(MemorySessionStore):
    """Shows a running scan what is written meanwhile: each batch is of another state."""

    async def scan_corpus(self, query: CorpusQuery) -> AsyncGenerator[CorpusBatch, None]:
        place = 0
        while batches := [batch async for batch in super().scan_corpus(query)][place:]:
            yield batches[0]
            place += 1


class OverwritesPreviews(MemorySessionStore):
    """Supersedes titles and nothing else: what else was rewritten is gone from every scan."""

    def _was_held(self, stored: StoredDocument, as_of: int | None) -> bool:
        is_title = stored.document.ref.source == "session_metadata"
        return (is_title or stored.until is None) and super()._was_held(stored, as_of)


class RewritesInSilence(MemorySessionStore):
    """Never says that older moments lack something."""

    async def rewritten(self, query: CorpusQuery) -> int:
        return 0


class ReturnsFoldedText(MemorySessionStore):
    """Gives the folded text for the original."""

    async def read_texts(self, scope: AccessScope, refs: Sequence[DocumentRef]) -> tuple[str | None, ...]:
        return tuple(text and fold(text) for text in await super().read_texts(scope, refs))


class AttributesToTheLatest(MemorySessionStore):
    """Gives a shared message to the session that was created last."""

    async def attribute(self, scope: AccessScope, identities: Sequence[bytes]) -> tuple[Attribution, ...]:
        found = await super().attribute(scope, identities)
        return tuple(replace(each, owner_session_id=each.session_ids[-1]) for each in found)


class ForgetsTombstonesInTheFeed(MemorySessionStore):
    """Filters deleted sessions out of the feed."""

    async def changes(self, namespace_id: str, *, after: str | None = None, limit: int = 1000) -> FeedPage:
        page = await super().changes(namespace_id, after=after, limit=limit)
        return replace(page, rows=tuple(row for row in page.rows if not row.tombstone))


class FollowsAnyPosition(MemorySessionStore):
    """Answers a reader that is ahead of the store as if nothing were new."""

    async def changes(self, namespace_id: str, *, after: str | None = None, limit: int = 1000) -> FeedPage:
        head = await self.position(namespace_id)
        is_ahead = after is not None and decode_position(after) > decode_position(head)
        return await super().changes(namespace_id, after=head if is_ahead else after, limit=limit)


class NumbersByEdit(MemorySessionStore):
    """Orders changes by the session's edits, of which a run is none."""

    async def changes(self, namespace_id: str, *, after: str | None = None, limit: int = 1000) -> FeedPage:
        page = await super().changes(namespace_id, after=after, limit=limit)
        return replace(page, rows=tuple(replace(row, source_revision=row.revision) for row in page.rows))


class RenamesInSilence(MemorySessionStore):
    """Edits without moving the feed."""

    async def update_session(
        self, scope: AccessScope, session_id: str, change: SessionChange, *, expected_revision: int | None = None
    ) -> Session:
        before: State = self._state
        session = await super().update_session(scope, session_id, change, expected_revision=expected_revision)
        holding = self._state.held(scope.namespace_id, session_id)
        with self._transaction() as work:
            work.put(with_fields(holding, position=before.held(scope.namespace_id, session_id).position))
        return session


class OvershootsItsPages(MemorySessionStore):
    """Says that a page of the feed reaches to its end."""

    async def changes(self, namespace_id: str, *, after: str | None = None, limit: int = 1000) -> FeedPage:
        page = await super().changes(namespace_id, after=after, limit=limit)
        return replace(page, position=await self.position(namespace_id))


WRONG_CORPORA = (
    wrong(
        FindsTheDeleted,
        "test_tombstone_takes_its_documents_out_of_every_scan",
        *CORPUS,
        "ScanningRules",
        "VisibilityRules",
    ),
    wrong(
        ScansOldestFirst,
        "test_no_later_document_is_newer_than_its_batch",
        *CORPUS,
        "ScanningRules",
    ),
    wrong(JoinsDocuments, "test_a_nul_stands_between_documents", *CORPUS, "ScanningRules"),
    wrong(LosesTheSixtyFourth, "test_every_document_comes_once_folded", *CORPUS, "ScanningRules"),
    wrong(
        ForgetsSources,
        "test_scan_holds_the_sources_it_names[run_input]",
        *CORPUS,
        "ScanningRules",
    ),
    wrong(
        TakesPrefixesForFolders,
        "test_scan_holds_what_its_filter_selects[folder]",
        *CORPUS,
        "ScanningRules",
    ),
    wrong(
        FindsSubagentsAlways,
        "test_any_scan_equals_the_plain_reading_of_the_records",
        *CORPUS,
        "ScanningRules",
    ),
    wrong(
        SeesTheFuture,
        "test_scan_as_of_a_position_does_not_see_what_came_later",
        *CORPUS,
        "ScanningRules",
    ),
    wrong(
        ScansBehind,
        "test_scan_beyond_a_position_sees_only_what_came_later",
        *CORPUS,
        "ScanningRules",
    ),
    wrong(ReadsAlong, "test_running_scan_sees_one_snapshot", *CORPUS, "ScanningRules"),
    wrong(OverwritesPreviews, "test_rewritten_preview_is_seen_as_it_was", *CORPUS),
    wrong(RewritesInSilence, "test_replaced_log_is_a_rewrite_of_scans_as_of_before", *CORPUS),
    wrong(ReturnsFoldedText, "test_texts_are_read_in_the_order_asked_for", *CORPUS, "ScanningRules"),
    wrong(
        AttributesToTheLatest,
        "test_identities_of_one_session_are_not_attributed",
        *CORPUS,
        "ScanningRules",
        "ImportRules",
    ),
    wrong(ForgetsTombstonesInTheFeed, "test_tombstone_stays_in_the_feed", "FeedRules"),
    wrong(FollowsAnyPosition, "test_position_past_the_head_is_refused", "FeedRules"),
    wrong(NumbersByEdit, "test_every_change_has_a_higher_source_revision", "FeedRules"),
    wrong(RenamesInSilence, "test_every_kind_of_change_moves_the_feed", "FeedRules"),
    wrong(OvershootsItsPages, "test_rows_come_in_the_order_of_the_last_change", "FeedRules"),
)

__all__ = ["WRONG_CORPORA"]
