"""Rules of matching: what is found, what is not, and how it is shown."""

from __future__ import annotations

from typing import Any

import pytest

from starweaver_host.contract.records import AccessScope
from starweaver_host.contract.search import (
    SNIPPET_MAX_BYTES,
    SessionSearchFilter,
    SessionSearchProvider,
    SessionSearchQuery,
)
from starweaver_host.contract.store import SessionStore

from .search_base import SearchSuite
from .search_oracle import expected_groups, highlight_defects, owners_of, read_spoken
from .search_samples import ask, ask_all, hits_of, sessions_of, told
from .suite import capability

FOLDED = {
    "sharp_s": ("straße", "strasse"),
    "sharp_s_in_needle": ("STRASSE", "straße"),
    "composed_accent": ("café", "cafe\u0301"),
    "final_sigma": ("ΟΔΟΣ", "οδοσ"),
    "dotted_capital_i": ("İİİ needle tail", "needle"),
    "kelvin_sign": ("\u212a\u212a\u212a needle tail", "needle"),
    "control_characters": ("x\x85\x85 needle", "needle"),
    "line_break": ("a\nb needle", "b needle"),
    "two_katakana": ("日本語テキスト", "テキ"),
    "one_han": ("日本語テキスト", "語"),
    "one_hangul": ("한국어 검색", "검"),
    "thai": ("ภาษาไทย", "ไท"),
    "emoji_with_modifier": ("x 👍🏽 y", "👍🏽"),
}
LITERALS = ("[refresh]*", "--hidden-option", "a.c", "$(x)", "100%_", "\\d+", '"quoted" OR x', "x*", "(")


async def _library(store: SessionStore) -> None:
    """Sessions that match in different sources, moments and ways."""
    await told(store, "titled", title="Deploy the parser", asked="go on", answered="done", minute=1)
    await told(store, "asked", title="Something", asked="please deploy it now", answered="it is deployed", minute=5)
    await told(store, "answered", asked="what happened", answered="a redeployment of deploy scripts", minute=3)
    await told(store, "inside", asked="undeployed things", minute=9)
    await told(store, "failed", asked="deploy again", minute=7, run_status="failed")
    await told(store, "child", asked="deploy as a child", minute=8, parent_session_id="asked", origin="subagent")
    await told(store, "unrelated", title="Other", asked="nothing", answered="to see", minute=6)


class FindingRules(SearchSuite):
    """A literal query finds every text whose fold holds the folded needle, and no other."""

    async def test_search_finds_each_source(self, store: SessionStore, provider: SessionSearchProvider) -> None:
        """Titles, run inputs, output previews and display messages are all searched by default.

        If this fails: a source is missing from the defaults, or hits do not name the source they came from.
        """
        await told(store, "s", title="needle one", asked="needle two", answered="needle three")

        page = await ask(provider, "needle", granularity="occurrence")

        assert {hit.source for hit in page.hits} == set(provider.capabilities().sources)

    async def test_search_finds_what_the_oracle_finds(
        self, store: SessionStore, provider: SessionSearchProvider
    ) -> None:
        """For every needle, granularity and source the groups over all pages are those of a look at every document.

        If this fails: matches are lost or invented; look at case, inner white space and words inside words.
        """
        await _library(store)
        spoken = await read_spoken(store, AccessScope())

        for query in _queries():
            expected = expected_groups(spoken, query, await owners_of(store, AccessScope(), spoken))
            found = hits_of(await ask_all(provider, query.text, **_fields(query)))
            wanted = sorted((group.best.ref.session_id, group.group) for group in expected)
            assert len(found) == len(wanted), f"{query}: {len(wanted)} groups were wanted, {len(found)} found"
            assert {hit.location.session_id for hit in found} <= {
                d.ref.session_id for g in expected for d in g.documents
            }

    @capability("documented_order")
    async def test_search_orders_as_the_oracle_does(self, store: SessionStore, provider: SessionSearchProvider) -> None:
        """Relevance and newest-first put the same documents in the same places as the documented order.

        If this fails: the sort key differs from `services.search_order`; ties and the best document per group count.
        """
        await _library(store)
        spoken = await read_spoken(store, AccessScope())

        for query in _queries():
            expected = expected_groups(spoken, query, await owners_of(store, AccessScope(), spoken))
            found = hits_of(await ask_all(provider, query.text, **_fields(query)))
            assert [hit.location.document_id for hit in found] == [group.best.id for group in expected], query

    @pytest.mark.parametrize("literal", LITERALS)
    async def test_search_takes_every_character_literally(
        self, store: SessionStore, provider: SessionSearchProvider, literal: str
    ) -> None:
        """Regex, shell, option and query-language characters mean themselves.

        If this fails: the query reaches a matcher that interprets it; escape it, or verify candidates by the fold.
        """
        await told(store, "exact", asked=f"say {literal} now")
        await told(store, "alike", asked="say abc refresh x1 quoted now", minute=1)

        page = await ask(provider, literal)

        assert sessions_of(page) == ["exact"]

    @pytest.mark.parametrize("name", FOLDED)
    async def test_search_folds_needle_and_text_alike(
        self, store: SessionStore, provider: SessionSearchProvider, name: str
    ) -> None:
        """Matching is by the shared fold: case, composition and white space make no difference, in any script.

        If this fails: use `projection.folding` for needle and text; lower-casing is not enough.
        """
        text, needle = FOLDED[name]
        await told(store, "s", asked=text)

        assert sessions_of(await ask(provider, needle)) == ["s"]

    @pytest.mark.parametrize("name", FOLDED)
    async def test_search_marks_exactly_the_match(
        self, store: SessionStore, provider: SessionSearchProvider, name: str
    ) -> None:
        """Highlights are code-point ranges of the snippet, and each covers the original characters of a match.

        If this fails: map offsets back through `projection.snippets`; byte offsets and folded offsets are wrong.
        """
        text, needle = FOLDED[name]
        await told(store, "s", asked=f"öß before {text} after")

        (hit,) = (await ask(provider, needle)).hits

        assert hit.snippet is not None
        marks = [(mark.start, mark.end) for mark in hit.snippet.highlights]
        assert marks != []
        assert highlight_defects(hit.snippet.text, marks, needle) == []

    async def test_search_snippets_are_short_and_printable(
        self, store: SessionStore, provider: SessionSearchProvider
    ) -> None:
        """A snippet has at most 320 UTF-8 bytes and neither control nor bidi-format characters.

        If this fails: cut by bytes at character boundaries, after replacing what must not be printed.
        """
        await told(store, "s", asked="語" * 400 + " \x1b[31m\u202eneedle\x07 " + "é" * 400)

        (hit,) = (await ask(provider, "needle")).hits

        assert hit.snippet is not None
        assert len(hit.snippet.text.encode()) <= SNIPPET_MAX_BYTES
        assert not set(hit.snippet.text) & {"\x1b", "\x07", "\u202e", "\n"}

    async def test_search_never_matches_across_documents(
        self, store: SessionStore, provider: SessionSearchProvider
    ) -> None:
        """The end of one text and the beginning of the next are no match.

        If this fails: texts were joined before they were matched.
        """
        await told(store, "s", title="begin", asked="end begin", answered="end")

        assert sessions_of(await ask(provider, "begin end")) == []

    async def test_search_shows_a_session_once(self, store: SessionStore, provider: SessionSearchProvider) -> None:
        """At session granularity the matches of one session are one hit, at run granularity those of one run.

        If this fails: group before the page is cut.
        """
        await told(store, "s", title="needle", asked="needle", answered="needle")

        assert len((await ask(provider, "needle")).hits) == 1
        assert {hit.run_id for hit in (await ask(provider, "needle", granularity="run")).hits} == {None, "run-of-s"}
        assert len((await ask(provider, "needle", granularity="occurrence")).hits) == 4

    async def test_search_shows_a_shared_message_in_its_first_session(
        self, store: SessionStore, provider: SessionSearchProvider
    ) -> None:
        """A message that copies of a session share is a hit of the earliest one, which names the others.

        If this fails: ask the store's `attribute` about the identities of matching documents.
        """
        await told(store, "copy", answered="needle here", minute=9, identity="message-1")
        await told(store, "first", answered="needle here", minute=1, identity="message-1")

        page = await ask(provider, "needle", granularity="occurrence", sources=("display_message",))

        assert [(hit.session.session_id, hit.location.also_in) for hit in page.hits] == [("first", ("copy",))]

    async def test_search_folds_subagents_when_asked(
        self, store: SessionStore, provider: SessionSearchProvider
    ) -> None:
        """Folded, a hit in a subagent's session shows the root, once, with the subagent in its location.

        If this fails: group by the root session inside the query, not after the page was cut.
        """
        await told(store, "root", asked="nothing", minute=1)
        for minute, session_id in enumerate(["child-a", "child-b"], 2):
            await told(store, session_id, asked="needle", minute=minute, parent_session_id="root", origin="subagent")

        folded = await ask(provider, "needle", fold_subagents=True)

        assert [(hit.session.session_id, hit.location.session_id) for hit in folded.hits] == [("root", "child-b")]
        assert sorted(sessions_of(await ask(provider, "needle"))) == ["child-a", "child-b"]

    async def test_search_scores_are_bounded_and_fall(
        self, store: SessionStore, provider: SessionSearchProvider
    ) -> None:
        """Scores lie in (0, 1] and never rise along a page of a relevance search; they are there when advertised.

        If this fails: derive the score from the sort key.
        """
        await _library(store)

        scores = [hit.score for hit in (await ask(provider, "deploy", sort="relevance")).hits]

        if not provider.capabilities().scores:
            assert scores == [None] * len(scores)
            return
        known = [score for score in scores if score is not None]
        assert len(known) == len(scores) > 0
        assert known == sorted(known, reverse=True)
        assert all(0 < score <= 1 for score in known)

    async def test_search_locates_hits_by_opaque_ids(
        self, store: SessionStore, provider: SessionSearchProvider
    ) -> None:
        """A document id is `doc1.` and a hash: unique, stable, and silent about session and run.

        If this fails: use `projection.documents.document_id`.
        """
        await told(store, "secret-name", title="needle", asked="needle", answered="needle")

        first, again = [await ask(provider, "needle", granularity="occurrence") for _ in range(2)]

        ids = [hit.location.document_id for hit in first.hits]
        assert ids == [hit.location.document_id for hit in again.hits]
        assert len(set(ids)) == len(ids)
        assert all(each.startswith("doc1.") and "secret-name" not in each for each in ids)


def _queries() -> list[SessionSearchQuery]:
    texts = ("DEPLOY ", "it", "the  parser", "absent")
    shapes: list[dict[str, Any]] = [
        {"granularity": granularity, "sort": sort}
        for granularity in ("session", "run", "occurrence")
        for sort in ("relevance", "updated_desc")
    ]
    shapes += [{"sources": ("run_input", "session_metadata")}, {"fold_subagents": True}]
    shapes += [{"filters": SessionSearchFilter(roles=("assistant",))}]
    return [SessionSearchQuery(text=text, limit=3, **shape) for text in texts for shape in shapes]


def _fields(query: SessionSearchQuery) -> dict[str, Any]:
    return {name: getattr(query, name) for name in query.__struct_fields__ if name not in {"text", "cursor"}}


__all__ = ["FindingRules"]
