"""Reading lines, opening files below a root, and walking folders."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starweaver_host.contract.errors import SourceError
from starweaver_host.services.files import open_below, open_folder
from starweaver_transcripts.lines import open_regular, read_lines, tell_hidden, walk_files


@given(data=st.binary(max_size=300).map(lambda data: data.replace(b"\x00", b"\n")), cut=st.integers(0, 300))
def test_lines_rebuild_the_file_from_any_line_start(data, cut, tmp_path_factory):
    """Lines, their newlines and offsets are the file; only newline bytes end a line."""
    path = tmp_path_factory.mktemp("lines") / "a"
    path.write_bytes(data)
    offset = data.rfind(b"\n", 0, cut) + 1

    with open_regular(path, path.parent) as handle:
        lines = list(read_lines(handle, offset=offset, number=7))

    wanted = b"   " + data[3:] if offset == 0 and data.startswith(b"\xef\xbb\xbf") else data[offset:]
    assert b"".join(line.data + b"\n" * line.terminated for line in lines) == wanted
    assert [line.offset for line in lines] == [offset, *(line.end for line in lines)][: len(lines)]
    assert [line.number for line in lines] == list(range(7, 7 + len(lines)))
    assert all(line.terminated for line in lines[:-1])


def test_line_longer_than_any_buffer_is_whole(tmp_path):
    """A line of several megabytes comes out in one piece."""
    path = tmp_path / "a"
    path.write_bytes(b"x" * 3_000_000 + b"\nend")

    with open_regular(path, tmp_path) as handle:
        lines = list(read_lines(handle))

    assert [(len(line.data), line.terminated) for line in lines] == [(3_000_000, True), (3, False)]


def test_carriage_returns_end_no_line(tmp_path):
    """A carriage return, a form feed or a Unicode separator is content."""
    path = tmp_path / "a"
    path.write_bytes("one\rtwo\x0cthree\u2028four\n".encode())

    with open_regular(path, tmp_path) as handle:
        assert len(list(read_lines(handle))) == 1


def test_file_outside_the_root_is_refused(tmp_path):
    """A link that leads out of the root is not opened, whatever it points to."""
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "secret").write_text("secret")
    (root / "link").symlink_to(tmp_path / "secret")

    with pytest.raises(SourceError, match="must lie below"):
        open_regular(root / "link", root)


def test_folder_replaced_by_a_link_after_the_listing_is_refused(tmp_path):
    """A file is opened where it was listed or not at all, even when its folder became a link to another one."""
    root, elsewhere = tmp_path / "root", tmp_path / "elsewhere"
    for folder in (root / "a" / "b", elsewhere / "b"):
        folder.mkdir(parents=True)
        (folder / "x.jsonl").write_text("secret" if folder.is_relative_to(elsewhere) else "ours")
    (found,) = walk_files(root, lambda _: True, [])
    (root / "a").rename(tmp_path / "moved")
    (root / "a").symlink_to(elsewhere)

    with pytest.raises(SourceError, match="link stands in the way"):
        open_regular(found.path, root)


@pytest.mark.parametrize("parts", [(), ("..", "x"), ("a/b",), ("",)])
def test_unsafe_name_is_no_place_below_a_folder(tmp_path, parts):
    """Names are single and lead down."""
    folder = open_folder(tmp_path)
    try:
        with pytest.raises(ValueError, match="names below a folder"):
            open_below(folder, parts)
    finally:
        os.close(folder)


def test_root_that_is_a_link_itself_is_fine(tmp_path):
    """A person may have linked the root to where the files are."""
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a").write_text("text")
    (tmp_path / "root").symlink_to(tmp_path / "real")

    with open_regular(tmp_path / "root" / "a", tmp_path / "root") as handle:
        assert handle.read() == b"text"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes on this system")
def test_pipe_is_refused_without_waiting(tmp_path):
    """A pipe nobody writes to is no transcript and stops nothing."""
    os.mkfifo(tmp_path / "pipe")

    with pytest.raises(SourceError, match="regular file"):
        open_regular(tmp_path / "pipe", tmp_path)


def test_folder_is_refused(tmp_path):
    """A folder under a transcript's name is an error of that item."""
    (tmp_path / "a.jsonl").mkdir()

    with pytest.raises(SourceError):
        open_regular(tmp_path / "a.jsonl", tmp_path)


def test_walk_finds_files_at_any_depth_and_follows_no_link(tmp_path):
    """Every accepted regular file is found once; links to files and folders, loops included, are passed by."""
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "x.jsonl").write_text("1")
    (tmp_path / "y.jsonl").write_text("22")
    (tmp_path / "z.txt").write_text("no")
    (tmp_path / "a" / "loop").symlink_to(tmp_path)
    (tmp_path / "w.jsonl").symlink_to(tmp_path / "y.jsonl")

    found = sorted(walk_files(tmp_path, lambda name: name.endswith(".jsonl"), []))

    assert [(file.path.name, file.size_bytes) for file in found] == [("x.jsonl", 1), ("y.jsonl", 2)]


def test_walk_tells_of_a_folder_that_cannot_be_listed_after_its_finds(tmp_path, monkeypatch):
    """A locked folder hides its files and no others, and is named once everything else was handed over."""
    (tmp_path / "locked").mkdir()
    (tmp_path / "a.jsonl").write_text("1")
    lock(monkeypatch, tmp_path / "locked")
    hidden = []

    found = list(walk_files(tmp_path, lambda name: name.endswith(".jsonl"), hidden))

    assert [file.path.name for file in found] == ["a.jsonl"]
    with pytest.raises(SourceError, match=r"locked' cannot be listed: Permission denied"):
        tell_hidden(hidden)


def test_walk_that_listed_everything_has_nothing_to_tell(tmp_path):
    """Without a hidden folder the end of a walk is silent."""
    hidden = []
    list(walk_files(tmp_path, lambda _name: True, hidden))

    tell_hidden(hidden)


def lock(monkeypatch, folder):
    """Refuse to list a folder, as the system does to anybody but its administrator."""
    scandir = os.scandir

    def refusing(path):
        if Path(path) == folder:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)


def test_byte_order_mark_is_no_part_of_the_first_record(tmp_path):
    """A file that an editor marked as UTF-8 reads like one it did not; every place in it stays what it was."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"a":1}\n{"b":2}\n')

    with open_regular(path, tmp_path) as handle:
        first, second = read_lines(handle)

    assert json.loads(first.data) == {"a": 1}
    assert (first.offset, first.end, second.offset) == (0, 11, 11)
