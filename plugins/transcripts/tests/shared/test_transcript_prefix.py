"""Extended or rewritten: what a mark notices."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starweaver_transcripts.prefix import is_extended, mark_prefix


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("prefix") / "a"


def _mark(path, offset):
    with path.open("rb") as handle:
        return mark_prefix(handle, offset)


def _extended(path, mark):
    with path.open("rb") as handle:
        return is_extended(handle, mark)


@given(st.binary(max_size=9000), st.binary(max_size=50), st.floats(0, 1))
@settings(deadline=None)
def test_extended_file_is_known(path, data, more, part):
    """Appending to a file leaves every mark inside it valid."""
    path.write_bytes(data)
    mark = _mark(path, int(len(data) * part))
    with path.open("ab") as handle:
        handle.write(more)

    assert _extended(path, mark)


@given(st.integers(1, 8000), st.floats(0, 0.999))
@settings(deadline=None)
def test_every_changed_byte_of_a_short_prefix_is_noticed(path, size, where):
    """Up to eight kilobytes the whole prefix is compared."""
    data = bytearray(b"x" * size)
    path.write_bytes(data)
    mark = _mark(path, size)
    data[int(size * where)] = ord("y")
    path.write_bytes(data)

    assert not _extended(path, mark)


@pytest.mark.parametrize("at", [0, 4095, 500_000 - 1, 500_000 - 4096])
def test_changed_edges_of_a_long_prefix_are_noticed(path, at):
    """Beginning and end of a long prefix are compared byte for byte."""
    data = bytearray(b"x" * 500_000)
    path.write_bytes(data)
    mark = _mark(path, len(data))
    data[at] = ord("y")
    path.write_bytes(data)

    assert not _extended(path, mark)


def test_shorter_file_is_rewritten(path):
    """A file that lost bytes is no extension."""
    path.write_bytes(b"x" * 100)
    mark = _mark(path, 100)
    path.write_bytes(b"x" * 99)

    assert not _extended(path, mark)


def test_marking_keeps_the_position(path):
    """A mark can be taken in the middle of reading lines."""
    path.write_bytes(b"one\ntwo\nthree\n")
    with path.open("rb") as handle:
        handle.readline()
        mark_prefix(handle, 4)

        assert handle.readline() == b"two\n"
