"""The order of matches, and the marks of a word."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starweaver_host.conformance.search_oracle import has_whole_word
from starweaver_host.contract.corpus import SEARCH_SOURCES, DocumentRef
from starweaver_host.projection.folding import fold, fold_needle
from starweaver_host.services.search_order import (
    Match,
    group_hash,
    group_of,
    is_inside_word,
    score,
    tail_key,
    window_key,
)


def match(source: Any = "run_input", *, time: int = 0, session_id: str = "s", inside: bool = False) -> Match:
    ref = DocumentRef(session_id=session_id, source=source, run_id="r")
    return Match(ref=ref, root_session_id="root", time=time, is_inside_word=inside)


def test_window_order_is_source_then_word_then_recency() -> None:
    """Title before input before output before display; whole words first within one; newest first within those."""
    expected = [
        match(source, inside=inside, time=time)
        for source in SEARCH_SOURCES
        for inside in (False, True)
        for time in (9, 1)
    ]

    assert expected == sorted([*expected[1:], expected[0]], key=window_key)


def test_tail_order_is_recency_alone() -> None:
    """Behind the window a newer display message stands before an older title."""
    older, newer = match("session_metadata", time=1), match("display_message", time=2)

    assert [newer, older] == sorted([older, newer], key=tail_key)
    assert window_key(older) < tail_key(newer)


def test_equal_matches_have_one_stable_order() -> None:
    """Equal times are told apart by an identity that does not depend on the order of arrival."""
    one, other = match(session_id="a"), match(session_id="b")

    assert sorted([one, other], key=tail_key) == sorted([other, one], key=tail_key)
    assert tail_key(one) != tail_key(other)


def test_score_falls_along_the_order_within_bounds() -> None:
    """Scores are in (0, 1] and never rise along a page."""
    ordered = sorted(
        (match(source, inside=inside) for source in SEARCH_SOURCES for inside in (False, True)), key=window_key
    )
    scores = [score(window_key(m)) for m in ordered] + [score(tail_key(ordered[0]))]

    assert sorted(scores, reverse=True) == scores
    assert scores[0] == 1.0
    assert scores[-1] > 0


@pytest.mark.parametrize(
    ("text", "needle", "expected"),
    [
        ("a needle here", "needle", False),
        ("needles", "needle", True),
        ("needles and needle", "needle", False),
        ("_needle", "needle", True),
        ("(needle)", "needle", False),
        ("éneedle", "needle", True),
        ("x-needle-y", "needle", False),
        ("x.y", ".", False),
        ("日本語テキスト", "テキ", True),
        ("テキ", "テキ", False),
        ("กำ", "ก", True),
    ],
)
def test_inside_word_looks_at_both_sides(text: str, needle: str, expected: bool) -> None:
    """A whole word is an occurrence with a boundary on either side; one of them is enough."""
    data = f"before\0{fold(text)}\0after".encode()
    start = len("before\0")

    assert expected is is_inside_word(data, needle.encode(), start, len(data) - len("\0after"))


@given(st.text("ab_ é-日ก\u0e33"), st.sampled_from(["a", "b", "ab", "é", "日", "-", "a b", "ก"]))
def test_inside_word_equals_the_oracle(text: str, needle: str) -> None:
    """The byte-wise rule says what a look at the characters says."""
    folded, wanted = fold(text).encode(), fold_needle(needle)

    if wanted.encode() in folded:
        assert is_inside_word(folded, wanted.encode(), 0, len(folded)) is not has_whole_word(text, wanted)


def test_groups_tell_sessions_runs_and_documents_apart() -> None:
    """A group is a session (its root where folded), a run with its session, or a document."""
    one = match()

    assert group_of(one, "session", fold_subagents=False) == "s"
    assert group_of(one, "session", fold_subagents=True) == "root"
    assert group_of(one, "run", fold_subagents=True) not in {"s", "root", "r"}
    assert one.stable_id == group_of(one, "occurrence", fold_subagents=True)
    assert len(group_hash("s")) == 6
