"""Recognising the beginning of a file in a stream that cannot seek."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from starweaver_transcripts.prefix import digest_stream, is_extended, mark_prefix


@pytest.mark.parametrize("offset", [0, 1, 4096, 8192, 8193, 100_000, 700_001])
def test_stream_digest_equals_the_marks(offset: int, tmp_path: Path) -> None:
    """A plain file and its unpacked stream are compared by one digest."""
    data = bytes(index * 7 % 251 for index in range(700_001))
    path = tmp_path / "file"
    path.write_bytes(data)
    with path.open("rb") as handle:
        mark = mark_prefix(handle, offset)
    stream = io.BytesIO(data)

    assert digest_stream(stream, offset) == mark.digest
    assert stream.tell() == offset


def test_shorter_stream_has_no_digest() -> None:
    """A stream that ends before the offset does not begin with what was read."""
    assert digest_stream(io.BytesIO(b"abc"), 4) is None


def test_copy_is_the_file_only_where_inodes_do_not_count(tmp_path: Path) -> None:
    """Tools that move and unpack transcripts make new files with the old bytes."""
    first, copy = tmp_path / "first", tmp_path / "copy"
    first.write_bytes(b"abc")
    copy.write_bytes(b"abcdef")
    with first.open("rb") as handle:
        mark = mark_prefix(handle, 3)
    with copy.open("rb") as handle:
        assert not is_extended(handle, mark)
        assert is_extended(handle, mark, same_inode=False)
