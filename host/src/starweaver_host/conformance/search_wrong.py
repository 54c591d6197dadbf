"""Deliberately wrong search providers: each breaks one rule, and `breaks` names the tests that must notice.

They prove that the suite can fail, and that a failure points at its cause. Not for anything else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import msgspec
from msgspec.structs import replace

from starweaver_host.contract.errors import SearchError, StoreError
from starweaver_host.contract.search import (
    Highlight,
    SearchCoverage,
    SessionSearchFilter,
    SessionSearchHit,
    SessionSearchPage,
    SessionSearchQuery,
    SessionSearchScope,
)
from starweaver_host.services.search_rules import SearchPlan

from .search_memory import Answer, MemorySearchProvider
from .search_oracle import Expected, Spoken


class WrongSearchProvider(MemorySearchProvider):
    """The reference with one fault. `breaks` are the tests that turn red, and no other does."""

    breaks: ClassVar[frozenset[str]]


class LowerCases(WrongSearchProvider):
    """Compares lower-cased texts instead of folded ones."""

    breaks = frozenset({"test_search_folds_needle_and_text_alike", "test_search_marks_exactly_the_match"})

    def groups(self, spoken: Sequence[Spoken], query: SessionSearchQuery) -> Sequence[Expected]:
        needle = " ".join((query.text or "").split()).lower()
        return super().groups([s for s in spoken if needle in " ".join(s.text.split()).lower()], query)


class MarksBytes(WrongSearchProvider):
    """Gives highlights as UTF-8 offsets."""

    breaks = frozenset({"test_search_marks_exactly_the_match"})

    def dress(self, hit: SessionSearchHit) -> SessionSearchHit:
        if hit.snippet is None:
            return hit
        text = hit.snippet.text
        marks = tuple(
            Highlight(start=len(text[: mark.start].encode()), end=len(text[: mark.end].encode()))
            for mark in hit.snippet.highlights
        )
        return replace(hit, snippet=replace(hit.snippet, highlights=marks))


class ShowsControlCharacters(WrongSearchProvider):
    """Puts an escape sequence into snippets."""

    breaks = frozenset({"test_search_snippets_are_short_and_printable"})

    def dress(self, hit: SessionSearchHit) -> SessionSearchHit:
        if hit.snippet is None:
            return hit
        return replace(hit, snippet=replace(hit.snippet, text=f"{hit.snippet.text}\x1b[0m"))


class ScoresCounts(WrongSearchProvider):
    """Uses the number of matches as a score."""

    breaks = frozenset({"test_search_scores_are_bounded_and_fall"})

    def dress(self, hit: SessionSearchHit) -> SessionSearchHit:
        return hit if hit.snippet is None else replace(hit, score=1.0 + len(hit.snippet.highlights))


class NamesDocuments(WrongSearchProvider):
    """Puts the session id into document ids."""

    breaks = frozenset({"test_search_locates_hits_by_opaque_ids"})

    def dress(self, hit: SessionSearchHit) -> SessionSearchHit:
        if hit.source != "run_input" or hit.location.session_id != "secret-name":
            return hit
        return replace(hit, location=replace(hit.location, document_id=f"doc1.{hit.location.session_id}"))


class ShowsCopies(WrongSearchProvider):
    """Never asks who owns a message."""

    breaks = frozenset({"test_search_shows_a_shared_message_in_its_first_session"})

    async def answer(self, plan: SearchPlan, query: SessionSearchQuery) -> Answer:
        if plan.order == "browse":
            return await super().answer(plan, query)
        return self.groups(await self.spoken(plan), query)


class OrdersOldestFirst(WrongSearchProvider):
    """Puts the oldest of the matches first."""

    breaks = frozenset({"test_search_orders_as_the_oracle_does", "test_search_folds_subagents_when_asked"})

    def groups(self, spoken: Sequence[Spoken], query: SessionSearchQuery) -> Sequence[Expected]:
        aged = [document._replace(time=-document.time) for document in spoken]
        return super().groups(aged, query)


class FindsOnlyInputs(WrongSearchProvider):
    """Leaves display messages out of the sources, and says nothing of it."""

    breaks = frozenset(
        {
            "test_search_finds_each_source",
            "test_search_finds_what_the_oracle_finds",
            "test_search_orders_as_the_oracle_does",
            "test_search_shows_a_session_once",
            "test_search_shows_a_shared_message_in_its_first_session",
        }
    )

    async def spoken(self, plan: SearchPlan) -> list[Spoken]:
        return [document for document in await super().spoken(plan) if document.ref.source != "display_message"]


class PagesByOffset(WrongSearchProvider):
    """Answers again for each page and counts from the start."""

    breaks = frozenset(
        {
            "test_pages_stand_still_while_sessions_are_added",
            "test_pages_stand_still_while_titles_change",
            "test_pages_miss_no_output_that_grew_without_saying_so",
            "test_browsing_stands_still_while_sessions_move",
        }
    )

    async def begin(self, plan: SearchPlan, query: SessionSearchQuery, binding: bytes) -> tuple[int, int]:
        number, offset = await super().begin(plan, query, binding)
        if query.cursor is not None:
            self._answers[number] = await self.answer(plan, query)
        return number, offset


class BeginsAgain(WrongSearchProvider):
    """Takes a cursor it does not like for none."""

    breaks = frozenset(
        {
            "test_cursor_of_another_search_is_refused",
            "test_cursor_that_was_altered_is_refused",
            "test_text_that_is_no_cursor_is_refused",
        }
    )

    async def begin(self, plan: SearchPlan, query: SessionSearchQuery, binding: bytes) -> tuple[int, int]:
        try:
            return await super().begin(plan, query, binding)
        except SearchError:
            return await super().begin(plan, replace(query, cursor=None), binding)


class BindsNothing(WrongSearchProvider):
    """Makes cursors that fit any search."""

    breaks = frozenset({"test_cursor_of_another_search_is_refused"})

    async def begin(self, plan: SearchPlan, query: SessionSearchQuery, binding: bytes) -> tuple[int, int]:
        return await super().begin(plan, query, binding[:0])

    async def seal(self, number: int, offset: int, binding: bytes) -> str:
        return await super().seal(number, offset, binding[:0])


class BindsTheLimit(WrongSearchProvider):
    """Makes the page size a part of what a cursor binds."""

    breaks = frozenset({"test_cursor_allows_another_page_size"})

    async def begin(self, plan: SearchPlan, query: SessionSearchQuery, binding: bytes) -> tuple[int, int]:
        self._limit = plan.limit
        return await super().begin(plan, query, binding + str(plan.limit).encode())

    async def seal(self, number: int, offset: int, binding: bytes) -> str:
        return await super().seal(number, offset, binding + str(self._limit).encode())


class SignsNothing(WrongSearchProvider):
    """Writes cursors in clear and believes what it reads."""

    breaks = frozenset({"test_cursor_that_was_altered_is_refused"})

    async def seal(self, number: int, offset: int, binding: bytes) -> str:
        return f"ssc1.{msgspec.msgpack.encode((number, offset, binding)).hex()}{'0' * 64}"

    async def unseal(self, cursor: str, binding: bytes) -> tuple[int, int]:
        try:
            data = bytes.fromhex(cursor.removeprefix("ssc1.")[:-64])
            number, offset, bound = msgspec.msgpack.decode(data, type=tuple[int, int, bytes])
        except (ValueError, msgspec.MsgspecError):
            raise SearchError("invalid_cursor", "cursor is malformed") from None
        if bound != binding or number >= len(self._answers):
            raise SearchError("invalid_cursor", "cursor belongs to another search")
        return number, offset


class OffersOnePageMore(WrongSearchProvider):
    """Gives a cursor with a last page that is full."""

    breaks = frozenset({"test_last_page_has_no_cursor"})

    async def _search(self, scope: SessionSearchScope, query: SessionSearchQuery) -> SessionSearchPage:
        page = await super()._search(scope, query)
        if page.next_cursor is not None or len(page.hits) < query.limit:
            return page
        binding = self.plan(scope, query).fingerprint() + scope.fingerprint().encode()
        number, offset = await self.begin(self.plan(scope, query), query, binding)
        return replace(page, next_cursor=await self.seal(number, offset + query.limit, binding))


class ClampsLimits(WrongSearchProvider):
    """Makes a limit fit instead of refusing it."""

    breaks = frozenset({"test_wrong_query_is_refused"})

    def plan(self, scope: SessionSearchScope, query: SessionSearchQuery) -> SearchPlan:
        return super().plan(scope, replace(query, limit=min(max(query.limit, 1), 100)))


class CutsLongQueries(WrongSearchProvider):
    """Searches for the beginning of a query that is too long."""

    breaks = frozenset({"test_long_query_is_refused_by_its_bytes"})

    def plan(self, scope: SessionSearchScope, query: SessionSearchQuery) -> SearchPlan:
        return super().plan(scope, replace(query, text=query.text and query.text[:2048]))


class TakesAnyMode(WrongSearchProvider):
    """Answers every mode as if it were literal."""

    breaks = frozenset({"test_mode_that_is_not_advertised_is_refused"})

    def plan(self, scope: SessionSearchScope, query: SessionSearchQuery) -> SearchPlan:
        return super().plan(scope, replace(query, mode="literal"))


class ShowsTombstones(WrongSearchProvider):
    """Asks for deleted sessions whenever the scope would allow it."""

    breaks = frozenset({"test_tombstones_are_found_by_name_only"})

    def plan(self, scope: SessionSearchScope, query: SessionSearchQuery) -> SearchPlan:
        if scope.include_deleted and not query.filters.status:
            everything = replace(query.filters, status=("active", "archived", "failed", "deleted"))
            query = replace(query, filters=everything)
        return super().plan(scope, query)

    def groups(self, spoken: Sequence[Spoken], query: SessionSearchQuery) -> Sequence[Expected]:
        shown = [s._replace(session=replace(s.session, status="active")) for s in spoken]
        return super().groups(shown if not query.filters.status else spoken, query)

    async def spoken(self, plan: SearchPlan) -> list[Spoken]:
        return await super().spoken(plan)


class IgnoresOwners(WrongSearchProvider):
    """Gives the store a scope without an owner."""

    breaks = frozenset({"test_scope_hides_what_it_does_not_grant"})

    def plan(self, scope: SessionSearchScope, query: SessionSearchQuery) -> SearchPlan:
        return super().plan(replace(scope, owner_id=None), query)


class IgnoresFolders(WrongSearchProvider):
    """Takes a folder for a workspace id."""

    breaks = frozenset({"test_filters_select_sessions"})

    def plan(self, scope: SessionSearchScope, query: SessionSearchQuery) -> SearchPlan:
        return super().plan(scope, _without_slash(query))

    def groups(self, spoken: Sequence[Spoken], query: SessionSearchQuery) -> Sequence[Expected]:
        return super().groups(spoken, _without_slash(query))


class ScoresWhenBrowsing(WrongSearchProvider):
    """Gives every session of a list the score 1."""

    breaks = frozenset({"test_browsing_lists_sessions_newest_first"})

    def dress(self, hit: SessionSearchHit) -> SessionSearchHit:
        return replace(hit, score=1.0) if hit.snippet is None else hit


class SaysTooLittle(WrongSearchProvider):
    """Leaves the generation out of its coverage."""

    breaks = frozenset({"test_coverage_is_always_said"})

    async def _search(self, scope: SessionSearchScope, query: SessionSearchQuery) -> SessionSearchPage:
        page = await super()._search(scope, query)
        coverage: SearchCoverage = replace(page.coverage, generation=None)
        return replace(page, coverage=coverage)


class HidesDamage(WrongSearchProvider):
    """Leaves out what it cannot read, and calls the page complete."""

    breaks = frozenset({"test_damaged_session_hides_no_other"})

    async def _search(self, scope: SessionSearchScope, query: SessionSearchQuery) -> SessionSearchPage:
        page = await super()._search(scope, query)
        kept = tuple(warning for warning in page.coverage.warnings if warning.kind != "malformed_source")
        coverage: SearchCoverage = replace(page.coverage, warnings=kept)
        return replace(page, coverage=coverage if kept else replace(coverage, state="complete"))


class HidesRewrites(WrongSearchProvider):
    """Leaves out what was rewritten meanwhile, and calls the page complete."""

    breaks = frozenset(
        {
            "test_pages_miss_no_output_that_grew_without_saying_so",
            "test_pages_miss_no_replaced_log_without_saying_so",
        }
    )

    async def _search(self, scope: SessionSearchScope, query: SessionSearchQuery) -> SessionSearchPage:
        page = await super()._search(scope, query)
        kept = tuple(warning for warning in page.coverage.warnings if warning.kind != "missing_source")
        coverage: SearchCoverage = replace(page.coverage, warnings=kept)
        return replace(page, coverage=coverage if kept else replace(coverage, state="complete"))


class FoldsUnderHiddenRoots(WrongSearchProvider):
    """Groups children under a root that is not shown, so that one of them stands for all."""

    breaks = frozenset({"test_child_of_a_hidden_root_is_shown_for_itself"})

    async def spoken(self, plan: SearchPlan) -> list[Spoken]:
        return [s._replace(folds_under=s.session.root_session_id) for s in await super().spoken(plan)]


class CallsBusyFailed(WrongSearchProvider):
    """Maps every store error to `failed`."""

    breaks = frozenset({"test_busy_store_is_unavailable"})

    async def search(self, scope: SessionSearchScope, query: SessionSearchQuery) -> SessionSearchPage:
        try:
            return await self._search(scope, query)
        except StoreError as error:
            raise SearchError("failed", error.message) from error


def _without_slash(query: SessionSearchQuery) -> SessionSearchQuery:
    filters: SessionSearchFilter = query.filters
    workspace = filters.workspace and filters.workspace.rstrip("/")
    return replace(query, filters=replace(filters, workspace=workspace))


def wrong_providers() -> tuple[type[WrongSearchProvider], ...]:
    """Every wrong provider."""
    return tuple(WrongSearchProvider.__subclasses__())


__all__ = ["WrongSearchProvider", "wrong_providers"]
