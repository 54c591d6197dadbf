"""The prefilter of scans: it may only ever pass over text that does not hold the needle."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from starweaver_local_search.rare_byte import RARE_BYTES, SAMPLE_BYTES, RareByte

COMMON = b"the same old words " * (SAMPLE_BYTES // 16)
ALPHABET = st.binary(max_size=12).map(lambda data: bytes(byte % 4 + 97 for byte in data))


@given(needle=ALPHABET.filter(bool), texts=st.lists(st.tuples(ALPHABET, st.booleans()), max_size=6))
def test_text_that_holds_the_needle_is_never_passed_over(needle: bytes, texts: list[tuple[bytes, bool]]) -> None:
    """Whatever the first text said of the needle's bytes, a text that holds it may hold it."""
    rare = RareByte(needle)
    rare.may_hold(COMMON)

    for text, is_padded in texts:
        whole = text + COMMON if is_padded else text
        for held in (whole, whole + needle, needle + whole, needle[:-1] + needle + whole):
            assert rare.may_hold(held) or needle not in held


def test_needle_with_a_rare_byte_is_told_absent() -> None:
    """A text that lacks the needle's rare byte, or has it elsewhere, is passed over."""
    rare = RareByte("不存在".encode())
    rare.may_hold(COMMON)

    assert not rare.may_hold(COMMON)
    assert not rare.may_hold(COMMON + "存".encode() + COMMON)
    assert rare.may_hold(COMMON + "不存在".encode())


def test_needle_of_common_bytes_is_left_to_find() -> None:
    """Where no byte is rare nothing is decided, so nothing is read twice."""
    rare = RareByte(b"zebra old")
    rare.may_hold(b"zebra old" * SAMPLE_BYTES)

    assert rare.may_hold(COMMON)


def test_byte_that_turns_out_common_is_given_up_on() -> None:
    """A text full of the byte that was rare in the first one is left to `find` after a bounded number of looks."""
    rare = RareByte("éa".encode())
    rare.may_hold(COMMON)

    assert rare.may_hold("é".encode() * RARE_BYTES)
