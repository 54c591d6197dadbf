"""Text, bounds, times and sizes."""

from __future__ import annotations

import base64

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starweaver_transcripts.emit import base64_size, clean, clip, decode, iso_ms, iso_us, tool_result

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=80)


@given(ANY_TEXT)
def test_clean_text_can_always_be_encoded(text):
    """Whatever comes in, what comes out is encodable, has no NUL, and cleaning it again changes nothing."""
    cleaned = clean(text)

    assert msgspec.json.decode(msgspec.json.encode(cleaned)) == cleaned
    assert "\0" not in cleaned
    assert clean(cleaned) == cleaned


def test_clean_joins_surrogate_pairs_and_replaces_lone_ones():
    """Two halves of one character become it, a half alone becomes U+FFFD."""
    assert clean("a\ud83d\ude00b\ud83dc\udc00") == "a\U0001f600b\ufffdc\ufffd"


@given(ANY_TEXT, st.integers(0, 100))
def test_clip_cuts_at_a_character_and_tells_the_size(text, bound):
    """A clipped text is a prefix within the bound, as long as it can be, and its size is that of the whole."""
    clipped = clip(text, bound)
    whole = clean(text)

    assert whole.startswith(clipped.text)
    assert len(clipped.text.encode()) <= bound
    assert clipped.size_bytes == len(whole.encode())
    assert whole == clipped.text or len(whole[: len(clipped.text) + 1].encode()) > bound


def test_decode_replaces_what_is_no_utf8():
    """Bytes that are no text become U+FFFD."""
    assert decode(b"a\xffb\0") == "a\ufffdb\ufffd"


@given(st.binary(max_size=64))
def test_base64_size_is_that_of_the_bytes(data):
    """The size of base64 is known without decoding, with and without the front of a data URL."""
    text = base64.b64encode(data).decode()

    assert base64_size(text) == len(data)
    assert base64_size(text.encode()) == len(data)
    assert base64_size(f"data:image/png;base64,{text}") == len(data)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-01-02T03:04:05.678Z", 1_767_323_045_678_000),
        ("2026-01-02T03:04:05", 1_767_323_045_000_000),
        ("2026-01-02T05:04:05.000001+02:00", 1_767_323_045_000_001),
        ("1969-12-31T23:59:59.999Z", -1000),
        ("", None),
        (None, None),
        ("[trimmed]", None),
    ],
)
def test_iso_times_are_utc_microseconds(text, expected):
    """Times with a zone are converted, times without one are UTC, anything else is no time."""
    assert iso_us(text) == expected


def test_iso_milliseconds_round_down():
    """Event times are whole milliseconds."""
    assert iso_ms("2026-01-02T03:04:05.678999Z") == 1_767_323_045_678


def test_tool_result_within_bound_is_kept_whole():
    """A small result is its text, its size the same."""
    result = tool_result("c", "done", max_bytes=64, name="Bash", is_error=True, images=2)

    assert (result.text, result.size_bytes, result.name, result.is_error, result.images) == ("done", 4, "Bash", True, 2)
