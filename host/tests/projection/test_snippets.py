"""Snippets: bounded, printable, and exactly marked."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from unicodedata import category

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from starweaver_host.contract.search import Snippet
from starweaver_host.projection import snippets
from starweaver_host.projection.folding import fold, fold_needle, iter_matches, map_matches
from starweaver_host.projection.snippets import SNIPPET_MAX_BYTES, make_snippet, safe_line, safe_text

HARD = "aAsSßẞſKKiIİσςΣé\u0301\u0308\u0323\u0345ΐᾳŉﬃ가\u1100\u1161\u11a8日本กำ🎉👍🏽\u200d👩🇩🇪\ufe0f"
HARD += " \n\t\x85\u3000\u2028\u202e\u2066\0\x1b\ud800\udfff"
texts = st.one_of(
    st.text(alphabet=HARD, max_size=40),
    st.text(alphabet=HARD, max_size=400),
    st.tuples(st.text(alphabet=HARD, max_size=8), st.integers(1, 300)).map(lambda pair: pair[0] * pair[1]),
)
FORBIDDEN = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u2028\u2029"


def marked(snippet: Snippet) -> list[str]:
    return [snippet.text[highlight.start : highlight.end] for highlight in snippet.highlights]


def ranges(snippet: Snippet) -> list[tuple[int, int]]:
    return [(highlight.start, highlight.end) for highlight in snippet.highlights]


def assert_sound(snippet: Snippet) -> None:
    """What holds for every snippet."""
    assert len(snippet.text.encode()) <= SNIPPET_MAX_BYTES
    assert not [character for character in snippet.text if category(character) == "Cc" or character in FORBIDDEN]
    assert all(0 <= start < end <= len(snippet.text) for start, end in ranges(snippet))
    assert all(before[1] <= after[0] for before, after in pairwise(ranges(snippet)))


@st.composite
def text_and_needle(draw: st.DrawFn) -> tuple[str, str]:
    text = draw(texts)
    start = draw(st.integers(0, len(text)))
    end = draw(st.one_of(st.integers(start, len(text)), st.integers(start, min(len(text), start + 5))))
    return text, draw(st.one_of(st.just(text[start:end]), st.text(alphabet=HARD, max_size=3)))


@given(text_and_needle())
@example(("e" + "\u0301" * 400, "e\u0301"))
@example(("x" * 400 + "ß" * 400, "s" * 500))
@settings(deadline=None, max_examples=300)
def test_snippet_marks_something_exactly_when_the_needle_matches(pair: tuple[str, str]) -> None:
    """Highlights and literal matching are one thing, whatever the characters."""
    text, needle = pair

    snippet = make_snippet(text, needle)

    assert_sound(snippet)
    folded = fold_needle(needle)
    assert bool(snippet.highlights) == (bool(folded) and folded in fold(text))


@given(text_and_needle())
@settings(deadline=None, max_examples=300)
def test_snippet_highlights_cut_the_matched_characters(pair: tuple[str, str]) -> None:
    """A highlight's characters are those of a match of the original text, or the beginning of one that was cut."""
    text, needle = pair
    matches = [safe_text(text[start:end]) for start, end in map_matches(text, needle)]

    shown = marked(make_snippet(text, needle))

    assert shown == matches[: len(shown)] or (len(shown) == 1 and matches[0].startswith(shown[0]))


@given(text_and_needle())
@settings(deadline=None)
def test_snippet_is_a_piece_of_the_text(pair: tuple[str, str]) -> None:
    """Nothing is added, left out inside, or moved."""
    text, needle = pair

    assert make_snippet(text, needle).text in safe_text(text)


@given(text_and_needle())
@settings(deadline=None)
def test_snippet_of_a_long_text_is_the_same_from_its_beginning(pair: tuple[str, str]) -> None:
    """Looking at the beginning first saves time and changes nothing."""
    text, needle = pair
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(snippets, "_HEAD", 400)
        short = make_snippet(text * 3, needle)

    assert short == make_snippet(text * 3, needle)


def test_snippet_of_an_early_match_does_not_fold_the_whole_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """A megabyte behind the match costs nothing."""
    searched: list[int] = []

    def recording(text: str, needle: str) -> Iterator[tuple[int, int]]:
        searched.append(len(text))
        return iter_matches(text, needle)

    monkeypatch.setattr(snippets, "iter_matches", recording)

    assert marked(make_snippet("ö needle" + "ö" * 1_000_000, "needle")) == ["needle"]
    assert sum(searched) < 100_000


@pytest.mark.parametrize(
    ("text", "needle", "size", "expected"),
    [
        ("OAuth Refresh", "oauth", 13, [(0, 5)]),
        ("aaaa", "aa", 4, [(0, 2), (2, 4)]),
        ("a\nb needle", "b needle", 10, [(2, 10)]),
        ("日本語テキスト", "テキ", 21, [(3, 5)]),
        ("x" * 1000 + "needle" + "y" * 1000, "needle", 320, [(157, 163)]),
        ("z" * 500, "z" * 400, 320, [(0, 320)]),
        ("İİİ needle tail", "needle", 18, [(4, 10)]),
        ("\u212a\u212a\u212a needle tail", "needle", 21, [(4, 10)]),
        ("x\x85\x85 needle", "needle", 10, [(4, 10)]),
        ("İéé x", "x", 8, [(4, 5)]),
        ("straße", "strasse", 7, [(0, 6)]),
        ("STRASSE", "straße", 7, [(0, 7)]),
        ("café", "cafe\u0301", 5, [(0, 4)]),
        ("ΟΔΟΣ", "οδοσ", 8, [(0, 4)]),
    ],
)
def test_snippet_of_known_vector(text: str, needle: str, size: int, expected: list[tuple[int, int]]) -> None:
    """Sizes in UTF-8 bytes and highlights in code points, for cases that older searches got wrong among them."""
    snippet = make_snippet(text, needle)

    assert (len(snippet.text.encode()), ranges(snippet)) == (size, expected)


def test_snippet_marks_every_match_that_is_wholly_inside() -> None:
    """A reader sees all there is, not the first alone."""
    snippet = make_snippet("needle " * 100, "NEEDLE")

    assert len(snippet.text) == 320
    assert marked(snippet) == ["needle"] * 45


@pytest.mark.parametrize(("before", "after"), [(1000, 10), (10, 1000), (0, 1000), (1000, 0)])
def test_snippet_gives_unused_context_to_the_other_side(before: int, after: int) -> None:
    """Near an end of the text the window is still full."""
    snippet = make_snippet("x" * before + "needle" + "y" * after, "needle")

    assert len(snippet.text) == 320
    assert marked(snippet) == ["needle"]


@pytest.mark.parametrize("cluster", ["e\u0301\u0323", "👍🏽", "👩\u200d🚀", "🇩🇪", "กำ\u0e49", "❤\ufe0f"])
@pytest.mark.parametrize("pad", range(7))
def test_snippet_tears_no_cluster_at_its_edges(cluster: str, pad: int) -> None:
    """What a person sees as one character is shown whole or not at all."""
    snippet = make_snippet("." * pad + cluster * 100 + "needle" + cluster * 100, "needle")

    before, after = snippet.text.split("needle")
    assert before == cluster * before.count(cluster)
    assert after == cluster * after.count(cluster)
    assert len(snippet.text.encode()) > 320 - 2 * len(cluster.encode())


def test_snippet_tears_a_cluster_that_is_longer_than_itself() -> None:
    """The bound holds even for text that abuses combining marks."""
    snippet = make_snippet("e" + "\u0335" * 1000, "e" + "\u0335" * 1000)

    assert len(snippet.text) == 160
    assert marked(snippet) == [snippet.text]


def test_snippet_replaces_unsafe_characters_one_for_one() -> None:
    """Control, bidi-format and line-breaking characters cannot reach a terminal, and offsets stay exact."""
    snippet = make_snippet("\x1b[31m\u202eneedle\u2069\x00\x9b\u2028end\ud83d", "needle")

    assert snippet.text == " [31m needle    end\ufffd"
    assert marked(snippet) == ["needle"]


def test_snippet_without_a_match_is_the_beginning() -> None:
    """A browse shows how a text begins."""
    snippet = make_snippet("日" * 200, "")

    assert snippet == Snippet(text="日" * 106)


def test_snippet_counts_replaced_bytes_not_original_ones() -> None:
    """The bound is on what is handed out."""
    snippet = make_snippet("\ud800" * 300 + "needle", "needle")

    assert len(snippet.text.encode()) == 318
    assert marked(snippet) == ["needle"]


@given(st.text(alphabet=HARD), st.integers(0, 40))
@settings(deadline=None)
def test_safe_line_is_one_bounded_printable_line(text: str, max_bytes: int) -> None:
    """Whatever a title holds, it fits and stays on its line."""
    line = safe_line(text, max_bytes)

    assert len(line.encode()) <= max_bytes
    assert line == " ".join(line.split())
    assert not [character for character in line if category(character) == "Cc" or character in FORBIDDEN]


def test_safe_line_keeps_a_title_that_fits() -> None:
    """Only what must change does."""
    assert safe_line("  Añadir\n\tpruebas ✓ ", 100) == "Añadir pruebas ✓"
