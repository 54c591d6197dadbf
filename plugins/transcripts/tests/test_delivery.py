"""Handing over a log in pieces."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starweaver_host.contract.events import NewEvent, StatusDetail, new_event
from starweaver_transcripts.delivery import Delivery, LogRewrittenError


def _events(texts: list[str]) -> list[NewEvent]:
    return [new_event(StatusDetail(level="info", text=text), time=5) for text in texts]


def _hand_over(delivery: Delivery, texts: list[str], passed: list[NewEvent]) -> None:
    passed += delivery.pass_on(_events(texts))
    delivery.finish()


TEXTS = st.lists(st.sampled_from(["red", "green", "blue"]), max_size=6)


@given(before=TEXTS, after=TEXTS)
def test_delivery_passes_on_what_follows_or_refuses(before: list[str], after: list[str]) -> None:
    """A log that begins with what was handed over gives the rest of it; any other is refused before anything is."""
    first = Delivery()
    first.pass_on(_events(before))
    second = Delivery(delivered=first.mark)
    if after[: len(before)] == before:
        assert list(second.pass_on(_events(after))) == _events(after[len(before) :])
        second.finish()
        assert second.is_caught_up
        return
    passed: list[NewEvent] = []
    with pytest.raises(LogRewrittenError):
        _hand_over(second, after, passed)
    assert passed == []


@given(before=TEXTS, after=TEXTS)
def test_delivery_goes_on_from_a_point_inside(before: list[str], after: list[str]) -> None:
    """Beginning at a mark gives the mark that beginning at the start gives."""
    whole = Delivery()
    whole.pass_on(_events(before + after))
    first = Delivery()
    first.pass_on(_events(before))
    second = Delivery(first.mark, first.mark)
    assert list(second.pass_on(_events(after))) == _events(after)
    assert second.mark == whole.mark
