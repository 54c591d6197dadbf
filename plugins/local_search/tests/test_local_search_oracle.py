"""Hypothesis: over all pages, local search answers what the brute-force oracle answers, whatever is stored."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from starweaver_host.conformance.search_oracle import (
    expected_groups,
    group_name,
    highlight_defects,
    owners_of,
    read_spoken,
)
from starweaver_host.contract.records import AccessScope, ExternalSource, Workspace
from starweaver_host.contract.search import SearchTimeRange, SessionSearchFilter, SessionSearchQuery

ACCESS = AccessScope(namespace_id="local", include_deleted=True)
PIECES = [
    "a",
    "ab",
    " a ",
    "b_",
    "ß",
    "SS",
    "ſ",
    "Σ",
    "ς",
    "İ",
    "i",
    "é",
    "e\u0301",
    "テキ",
    "日本",
    "ไทย",
    "\n",
    "\U0001f44d\U0001f3fd",
]
NEEDLES = st.sampled_from([*[piece for piece in PIECES if piece.strip()], "ss", "σ", "a a", "キ", "e"])
TIMES = st.integers(0, 6)


def rarely(*values: Any, absent: Any = None) -> st.SearchStrategy[Any]:
    """One of `values` in a sixth of the cases: many filters at once would leave nothing to find."""
    return st.integers(0, 5).flatmap(lambda roll: st.sampled_from(values) if roll == 0 else st.just(absent))


@st.composite
def corpora(draw: st.DrawFn) -> tuple[str, list[tuple[int, str, str, int, int]]]:
    """A needle and documents, half of which hold it; the last number chooses status, preview and message identity."""
    needle = draw(NEEDLES)
    pieces = st.sampled_from([*PIECES, *[needle] * 5, *[needle.upper()] * 5])
    texts = st.lists(pieces, min_size=1, max_size=4).map("".join)
    kinds = st.sampled_from(["title", "run", "run", "display", "display", "copy"])
    documents = st.tuples(st.integers(0, 4), kinds, texts, TIMES, st.integers(0, 5))
    return needle, draw(st.lists(documents, min_size=2, max_size=16))


QUERIES = st.fixed_dictionaries(
    {
        "granularity": st.sampled_from(["session", "run", "occurrence"]),
        "sort": st.sampled_from(["auto", "relevance", "updated_desc"]),
        "limit": st.integers(1, 4),
        "fold_subagents": st.booleans(),
        "sources": rarely(("run_input",), ("display_message", "session_metadata"), absent=()),
        "filters": st.builds(
            SessionSearchFilter,
            status=rarely(("active",), ("archived",), absent=()),
            run_status=rarely(("completed",), ("failed",), absent=()),
            profile=rarely("coding"),
            workspace=rarely("w1", "label", "/p/", "/p"),
            session_ids=rarely(("s0", "s1"), ("s2",), absent=()),
            agents=rarely(("codex",), absent=()),
            roles=rarely(("user",), ("assistant",), ("assistant", "user"), absent=()),
            updated=rarely(SearchTimeRange(start=3), SearchTimeRange(until=5)),
            created=rarely(SearchTimeRange(start=1, until=4)),
        ),
    }
)


def fill(store: Any, documents: list[tuple[int, str, str, int, int]]) -> None:
    store.add_session("s0", at=0, profile="coding", workspace=Workspace(id="w1", label="label"), cwd="/p")
    store.add_session("s1", at=1, parent_session_id="s0", workspace=Workspace(id="/p"), cwd="/p/q")
    store.add_session("s2", at=2, status="archived", cwd="/pq")
    store.add_session("s3", at=3, external=ExternalSource(source="codex", native_id="n"), cwd="/")
    store.add_session("s4", at=4, status="deleted")
    copied: tuple[str, bytes] = ("", b"-")
    for count, (session, kind, text, time, choice) in enumerate(documents):
        session_id = f"s{session}"
        identity = None if choice > 2 else bytes([count])
        if kind == "title":
            store.rename(session_id, text, at=time)
        elif kind == "run":
            status = "failed" if choice % 2 else "completed"
            preview = text[::-1] if choice % 3 else None
            store.add_run(
                session_id, f"r{count}", text, at=time, status=status, output_preview=preview, identity=identity
            )
        elif kind == "display":
            store.add_display(session_id, count, text, at=time, identity=identity)
        else:
            store.add_display(session_id, count, copied[0], at=time, identity=copied[1])
        if kind in {"run", "display"} and identity is not None:
            copied = (text, identity)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(corpus=corpora(), query=QUERIES, window=st.integers(1, 6), chunk=st.integers(1, 4))
def test_local_search_pages_equal_the_brute_force_oracle(
    new_store: Any, new_search: Any, run: Any, corpus: Any, query: Any, window: int, chunk: int
) -> None:
    """Groups, their order and their best documents over all pages are those of a scan of every document by hand."""
    needle, documents = corpus
    store = new_store(chunk)
    fill(store, documents)
    search = new_search(store, relevance_window=window)
    asked = SessionSearchQuery(text=needle, **query)
    spoken = run(read_spoken(store, ACCESS))
    expected = expected_groups(spoken, asked, run(owners_of(store, ACCESS_VISIBLE, spoken)), window=window)

    pages = search.all(needle, **query)

    found = [hit for page in pages for hit in page.hits]
    assert [e.best.id for e in expected] == [hit.location.document_id for hit in found]
    assert all(len(page.hits) == query["limit"] for page in pages[:-1])
    by_id = {s.id: s for s in spoken}
    for hit in found:
        document = by_id[hit.location.document_id]
        shown = document.session.root_session_id if query["fold_subagents"] else document.ref.session_id
        assert shown == hit.session.session_id
        marks = [(h.start, h.end) for h in hit.snippet.highlights]
        assert marks != []
        assert highlight_defects(hit.snippet.text, marks, needle) == []
    assert len({group_name(by_id[hit.location.document_id], asked) for hit in found}) == len(found)
    scores = [hit.score for hit in found]
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score <= 1 for score in scores)


ACCESS_VISIBLE = AccessScope(namespace_id="local")


@pytest.mark.parametrize(
    ("text", "marks", "needle", "defects"),
    [
        ("ſß", [(0, 2)], "ss", []),
        ("xſß", [(0, 3)], "ss", ["[0:3] is wider than the match"]),
        ("ßx", [(0, 2)], "ss", ["[0:2] is wider than the match"]),
        ("ßx", [(1, 2)], "ss", ["[1:2] does not hold the needle"]),
        ("ßx", [], "ss", ["a match is not marked"]),
    ],
)
def test_oracle_tells_a_good_mark_from_a_bad_one(
    text: str, marks: list[tuple[int, int]], needle: str, defects: list[str]
) -> None:
    """The oracle itself: the leftmost match is marked whole, and nothing beside it."""
    assert highlight_defects(text, marks, needle) == defects
