"""Times as people write and read them: ISO 8601, `7d`, `yesterday` in; local time with its zone out.

Inside everything is UTC microseconds. A date or time without a zone is local.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, tzinfo

_AGO = re.compile(r"^(\d{1,6})\s*(s|m|h|d|w)$")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_DAYS = {"today": 0, "yesterday": 1}
FORMS = "an ISO 8601 date or time, an age such as 45m, 12h, 7d or 2w, today, yesterday, or now"


def parse_time(text: str, *, now: datetime) -> int:
    """UTC microseconds of `text` relative to `now` (aware); raises ValueError that names the accepted forms.

    `today` and `yesterday` begin at local midnight of `now`'s zone; `7d` is that long before now.
    """
    word = text.strip().lower()
    if word == "now":
        return to_micros(now)
    if word in _DAYS:
        midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
        return to_micros(midnight - timedelta(days=_DAYS[word]))
    if found := _AGO.match(word):
        try:
            return to_micros(now - timedelta(**{_UNITS[found[2]]: int(found[1])}))
        except OverflowError:
            raise ValueError(f"expected {FORMS}, found {text!r}") from None
    try:
        parsed = datetime.fromisoformat(text.strip())
    except ValueError:
        raise ValueError(f"expected {FORMS}, found {text!r}") from None
    return to_micros(parsed if parsed.tzinfo else parsed.replace(tzinfo=now.tzinfo))


def to_micros(moment: datetime) -> int:
    """UTC microseconds of an aware datetime, exact."""
    delta = moment - datetime(1970, 1, 1, tzinfo=UTC)
    return (delta.days * 86_400 + delta.seconds) * 1_000_000 + delta.microseconds


def show_time(micros: int, zone: tzinfo | None = None) -> str:
    """`2026-11-03 14:22 CET`: local (or `zone`) time to the minute with its zone; raw micros when out of range."""
    try:
        return datetime.fromtimestamp(micros / 1_000_000, UTC).astimezone(zone).strftime("%Y-%m-%d %H:%M %Z").strip()
    except (OverflowError, ValueError, OSError):
        return f"{micros} µs"


def iso_time(micros: int) -> str:
    """`2026-11-03T13:22:05.123456Z` for machines; raw micros when out of range."""
    try:
        moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=micros)
    except OverflowError:
        return str(micros)
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")


__all__ = ["FORMS", "iso_time", "parse_time", "show_time", "to_micros"]
