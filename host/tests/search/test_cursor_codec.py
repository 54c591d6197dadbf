"""Cursors are sealed: nobody but the store's key makes one, and nothing in one can be changed."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starweaver_host.services.cursors import CURSOR_MAX_LENGTH, CursorCodec, CursorInvalid

KEY = b"0123456789abcdef0123456789abcdef"
BASE64URL = string.ascii_letters + string.digits + "-_"


@given(st.binary(max_size=1400))
def test_cursor_codec_opens_what_it_sealed(payload: bytes) -> None:
    """Opening gives the payload back; the text is ssc1., base64url, and within the cap."""
    codec = CursorCodec(KEY)

    cursor = codec.seal(payload)

    assert payload == codec.open(cursor)
    assert cursor.startswith("ssc1.")
    assert set(cursor[5:]) <= set(BASE64URL)
    assert len(cursor) <= CURSOR_MAX_LENGTH


@given(st.binary(max_size=60), st.data())
def test_cursor_codec_refuses_any_changed_character(payload: bytes, data: st.DataObject) -> None:
    """One other character anywhere makes the cursor invalid, padding bits included."""
    codec = CursorCodec(KEY)
    cursor = codec.seal(payload)
    at = data.draw(st.integers(0, len(cursor) - 1))
    other = data.draw(st.sampled_from(BASE64URL + ".=é"))
    changed = cursor[:at] + other + cursor[at + 1 :]

    if changed != cursor:
        with pytest.raises(CursorInvalid):
            codec.open(changed)


@given(st.text(max_size=80))
def test_cursor_codec_refuses_any_other_text(text: str) -> None:
    """Whatever is given as a cursor, the answer is CursorInvalid and no other error."""
    for cursor in (text, f"ssc1.{text}"):
        with pytest.raises(CursorInvalid):
            CursorCodec(KEY).open(cursor)


@pytest.mark.parametrize("other", [CursorCodec(b"another key of thirty-two bytes!"), CursorCodec(KEY, prefix="ssc2")])
def test_cursor_codec_refuses_another_key_or_prefix(other: CursorCodec) -> None:
    """A cursor belongs to one store and one operation."""
    cursor = CursorCodec(KEY).seal(b"payload")

    with pytest.raises(CursorInvalid):
        other.open("ssc2." + cursor[5:] if other.seal(b"").startswith("ssc2.") else cursor)


def test_cursor_codec_refuses_long_cursor_before_decoding() -> None:
    """A cursor past the cap is refused by its length alone."""
    with pytest.raises(CursorInvalid, match="2048"):
        CursorCodec(KEY).open("ssc1." + "A" * CURSOR_MAX_LENGTH)


def test_cursor_codec_capacity_is_the_largest_payload() -> None:
    """A payload of `capacity` bytes fits, one byte more does not."""
    codec = CursorCodec(KEY)

    assert len(codec.seal(b"x" * codec.capacity)) <= CURSOR_MAX_LENGTH
    with pytest.raises(ValueError, match="2048"):
        codec.seal(b"x" * (codec.capacity + 2))


def test_cursor_codec_refuses_short_key() -> None:
    """A key too short to be a secret is refused when the codec is made."""
    with pytest.raises(ValueError, match="16 bytes"):
        CursorCodec(b"short")


@pytest.mark.parametrize("cursor", ["", "ssc1", "ssc1.", "ssc1.A", "ssc1.AAAA=", "ssc1.AA AA", "SSC1.AAAA", "ssc1.é"])
def test_cursor_codec_refuses_malformed_cursor(cursor: str) -> None:
    """Wrong prefix, wrong alphabet, padding and truncation are all invalid, and the message repeats none of it."""
    with pytest.raises(CursorInvalid) as caught:
        CursorCodec(KEY).open(cursor)

    assert not cursor[5:] or cursor not in str(caught.value)
