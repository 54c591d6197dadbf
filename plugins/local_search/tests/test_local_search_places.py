"""Where a scan looks for documents: one place for each text that holds the needle."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from starweaver_local_search.scan import first_places

TEXTS = st.lists(st.text("ab ", max_size=8), max_size=8)


@given(texts=TEXTS, needle=st.text("ab ", min_size=1, max_size=3))
def test_first_places_are_one_for_each_text_that_holds_the_needle(texts: list[str], needle: str) -> None:
    """The first occurrence in each, ascending; never one that spans two texts."""
    starts = [sum(len(text) + 1 for text in texts[:number]) for number in range(len(texts))]
    wanted = [start + text.find(needle) for start, text in zip(starts, texts, strict=True) if needle in text]

    found = list(first_places("\0".join(texts).encode(), needle.encode()))

    assert found == wanted
