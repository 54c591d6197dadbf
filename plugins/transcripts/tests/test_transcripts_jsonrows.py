"""Decoding records that are damaged in ways that leave them readable."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from starweaver_transcripts.jsonrows import RowDecoder


class _Row(msgspec.Struct):
    text: str = ""
    rest: Any = None


DECODER = RowDecoder(_Row)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b'{"text":"a","other":[1,{"x":2}]}', "a"),
        (b'{"text":"a\\ud83d\\ude00"}', "a\U0001f600"),
        (b'{"text":"a\\ud83d"}', "a\ufffd"),
        (b'{"text":"\\ude00\\ud83d"}', "\ufffd\ufffd"),
        (b'{"text":"a\xffb"}', "a\ufffdb"),
        (b'{"text":"caf\xc3"}', "caf\ufffd"),
    ],
)
def test_damaged_text_becomes_replacement_characters(data: bytes, text: str) -> None:
    """Lone surrogates and bytes that are no UTF-8 cost their characters, not the record."""
    assert DECODER.decode(data).text == text


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"{}{}",
        b"[1]",
        b'{"text":1}',
        b'{"text":"\\ud800","rest":NaN}',
        b"[" * 100_000,
        b'{"rest":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    ],
)
def test_what_is_no_record_raises_without_quoting_it(data: bytes) -> None:
    """The reason says what is wrong, never what the record holds."""
    with pytest.raises(ValueError, match="record") as error:
        DECODER.decode(data)

    assert len(str(error.value)) < 200


def test_undeclared_fields_are_not_kept() -> None:
    """Fields nobody declared are passed over, however deep they are."""
    row = DECODER.decode(b'{"replayed":' + b"[" * 500 + b"]" * 500 + b',"text":"a"}')

    assert msgspec.structs.asdict(row) == {"text": "a", "rest": None}
