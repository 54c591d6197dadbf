"""Times as people write and read them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starweaver_cli.times import iso_time, parse_time, show_time, to_micros

PARIS = timezone(timedelta(hours=1), "CET")
NOW = datetime(2026, 11, 20, 15, 30, tzinfo=PARIS)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("now", NOW),
        ("7d", NOW - timedelta(days=7)),
        ("45m", NOW - timedelta(minutes=45)),
        ("2 w", NOW - timedelta(weeks=2)),
        ("TODAY", datetime(2026, 11, 20, tzinfo=PARIS)),
        ("yesterday", datetime(2026, 11, 19, tzinfo=PARIS)),
        ("2026-11-01", datetime(2026, 11, 1, tzinfo=PARIS)),
        ("2026-11-01T10:00", datetime(2026, 11, 1, 10, tzinfo=PARIS)),
        ("2026-11-01T10:00:00Z", datetime(2026, 11, 1, 10, tzinfo=UTC)),
        ("2026-11-01T10:00:00.25+05:30", datetime(2026, 11, 1, 4, 30, 0, 250_000, tzinfo=UTC)),
    ],
)
def test_time_of_each_accepted_form_is_exact(text: str, expected: datetime) -> None:
    """ISO 8601, ages and day words are accepted; what has no zone is local."""
    assert to_micros(expected) == parse_time(text, now=NOW)


@pytest.mark.parametrize("text", ["", "soon", "7", "d7", "2026-13-01", "-1d", "9999999d", "999999w"])
def test_time_of_another_form_is_refused_with_the_forms(text: str) -> None:
    """A refusal says which forms are accepted."""
    with pytest.raises(ValueError, match="ISO 8601"):
        parse_time(text, now=NOW)


@given(st.integers(min_value=-62_135_596_800_000_000, max_value=253_402_300_799_999_999))
def test_iso_time_keeps_every_microsecond(micros: int) -> None:
    """Machines get the exact instant back."""
    assert micros == parse_time(iso_time(micros), now=NOW)


def test_shown_time_names_its_zone() -> None:
    """People see local time and which zone that is."""
    assert show_time(to_micros(NOW), PARIS) == "2026-11-20 15:30 CET"


@pytest.mark.parametrize("micros", [10**30, -(10**30)])
def test_time_out_of_range_is_shown_raw(micros: int) -> None:
    """A damaged time is shown, not a crash."""
    assert str(micros) in show_time(micros)
    assert iso_time(micros) == str(micros)
