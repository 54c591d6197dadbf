"""Cuts that leave whole characters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starweaver_host.projection.graphemes import cut_after, cut_before, fits, fits_back, is_cut

plain = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


@given(plain, st.integers(0, 40))
def test_fits_counts_the_most_characters_that_fit(text: str, size: int) -> None:
    """As many whole code points as the bytes hold, and not one more; from either end."""
    for count, kept, more in (
        (fits(text, size), text[: fits(text, size)], text[: fits(text, size) + 1]),
        (fits_back(text, size), text[len(text) - fits_back(text, size) :], text[-fits_back(text, size) - 1 :]),
    ):
        assert len(kept.encode()) <= size
        assert count == len(text) or len(more.encode()) > size


@pytest.mark.parametrize(
    ("text", "cuts"),
    [
        ("abc", [0, 1, 2, 3]),
        ("e\u0301x", [0, 2, 3]),
        ("👩\u200d🚀x", [0, 3, 4]),
        ("👍🏽👍", [0, 2, 3]),
        ("🇩🇪🇫🇷", [0, 2, 4]),
        ("x🇩🇪", [0, 1, 3]),
        ("❤\ufe0f", [0, 2]),
    ],
)
def test_cuts_stand_between_what_a_person_sees_as_characters(text: str, cuts: list[int]) -> None:
    """Marks, joiners, modifiers and flag pairs stay together."""
    assert [place for place in range(len(text) + 1) if is_cut(text, place)] == cuts


def test_cut_search_stays_within_its_bounds() -> None:
    """A better cut is looked for near by and never beyond what the caller allows."""
    text = "ae\u0301\u0301b"

    assert cut_before(text, 3) == 1
    assert cut_before(text, 3, least=2) == 3
    assert cut_after(text, 3, most=5) == 4
    assert cut_after(text, 3, most=3) == 3
    assert cut_before("e" + "\u0301" * 100, 90) == 90
