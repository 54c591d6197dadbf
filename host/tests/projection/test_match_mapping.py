"""From folded matches back to the original characters."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starweaver_host.projection import mapping
from starweaver_host.projection.folding import FoldedText, find_all, fold, fold_mapped, fold_needle, map_matches

HARD = "aAsSßẞKKiİσςé\u0301\u0308\u0323\u0344\u0345\u0f73\u0bc6\u0bbeΐᾳŉﬃ가\u1100\u1161\u11a8日🎉👍🏽\u200d"
HARD += " \n\t\x85\u3000\0\ud800\u0897\U00016d63\U00016d67"
texts = st.text(alphabet=HARD, max_size=60)


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make even a short text span many blocks."""
    monkeypatch.setattr(mapping, "_BLOCK", 3)


def matches_by_definition(text: str, needle: str) -> list[tuple[int, int]]:
    """Original ranges of all matches from the whole map, joined where they share a character."""
    folded = fold_mapped(text)
    needle = fold_needle(needle)
    joined: list[tuple[int, int]] = []
    for at in find_all(folded.text, needle):
        start, end = folded.original(at, at + len(needle))
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


@given(texts)
@settings(deadline=None)
def test_map_covers_every_character_of_the_text(text: str) -> None:
    """Each folded code point has a range; ranges ascend and leave no original character out."""
    folded = fold_mapped(text)

    assert fold(text) == folded.text
    assert len(folded.text) == len(folded.starts) == len(folded.ends)
    ranges = list(dict.fromkeys(zip(folded.starts, folded.ends, strict=True)))
    assert [0, *(end for _, end in ranges)] == [*(start for start, _ in ranges), len(text)]


@given(texts)
@settings(deadline=None)
def test_map_sends_a_range_to_text_that_folds_to_it(text: str) -> None:
    """The original characters of a whole range fold to that range, so nothing is drawn from a neighbour."""
    folded = fold_mapped(text)
    for start, end in dict.fromkeys(zip(folded.starts, folded.ends, strict=True)):
        places = [place for place in range(len(folded.text)) if folded.starts[place] == start]

        assert fold(text[start:end]) == "".join(folded.text[place] for place in places)


@pytest.mark.usefixtures("small_blocks")
@given(texts, st.text(alphabet=HARD, min_size=1, max_size=4))
@settings(deadline=None)
def test_matches_of_blocks_equal_matches_of_the_whole(text: str, needle: str) -> None:
    """Cutting a long text into blocks neither loses nor moves a match."""
    assert matches_by_definition(text, needle) == map_matches(text, needle)


@given(texts, st.data())
@settings(deadline=None)
def test_matches_of_a_piece_cover_it_in_the_text(text: str, data: st.DataObject) -> None:
    """A needle taken from the text is found whenever its fold is there, in ranges that ascend and do not overlap."""
    start = data.draw(st.integers(0, len(text)))
    needle = text[start : data.draw(st.integers(start, len(text)))]

    matches = map_matches(text, needle)

    folded_needle = fold_needle(needle)
    assert bool(matches) == (bool(folded_needle) and folded_needle in fold(text))
    assert all(0 <= first < last <= len(text) for first, last in matches)
    assert all(before[1] <= after[0] for before, after in pairwise(matches))
    assert all(folded_needle in fold(text[first:last]) for first, last in matches)


@pytest.mark.parametrize(
    ("text", "needle", "expected"),
    [
        ("İİİ needle tail", "needle", [(4, 10)]),
        ("KKK needle tail", "needle", [(4, 10)]),
        ("x\x85\x85 needle", "needle", [(4, 10)]),
        ("İéé x", "x", [(4, 5)]),
        ("aß", "s", [(1, 2)]),
        ("ßß", "s", [(0, 1), (1, 2)]),
        ("Straße", "sse", [(4, 6)]),
        ("xe\u0301\u0323y", "ẹ\u0301", [(1, 4)]),
        ("a\n\n b", "a b", [(0, 5)]),
        ("aaaa", "aa", [(0, 2), (2, 4)]),
        ("한\u1112\u1161\u11ab", "한", [(0, 1), (1, 4)]),
        ("a", "", []),
        ("", "a", []),
    ],
)
def test_matches_mark_whole_original_characters(text: str, needle: str, expected: list[tuple[int, int]]) -> None:
    """A match that begins or ends inside an expanded or composed character takes all of it."""
    assert expected == map_matches(text, needle)


def test_matches_stop_at_the_limit() -> None:
    """A limit bounds the answer, from the left."""
    assert map_matches("é é é é", "é", 2) == [(0, 1), (2, 3)]


def test_matches_of_a_long_text_map_only_blocks_with_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mapping is dear, so a match costs its block and not the text."""
    text = "ö" * 100_000 + "needle" + "ö" * 100_000
    mapped: list[int] = []

    def recording(part: str) -> FoldedText:
        mapped.append(len(part))
        return fold_mapped(part)

    monkeypatch.setattr(mapping, "fold_mapped", recording)

    assert map_matches(text, "needle") == [(100_000, 100_006)]
    assert sum(mapped) <= 4096
