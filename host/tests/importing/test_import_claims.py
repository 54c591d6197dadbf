"""One session in several files: which file is its transcript."""

from __future__ import annotations

import pytest


@pytest.fixture
def archive(desk, tmp_path):
    folder = tmp_path / "archive"
    folder.mkdir()
    desk.roots = (desk.folder, folder)
    return folder


def test_newest_file_of_a_session_is_its_transcript(desk, archive):
    """Of two files that hold a session the newest is stored, and the other is noted."""
    desk.write("a", ["say", "one", "old"], age=100)
    desk.write("copy", ["say", "one", "new"], folder=archive)

    report = desk.run()

    assert desk.texts("one") == ["new"]
    assert [len(root.notes) for root in report.roots] == [1, 0]


def test_older_holder_gives_a_session_up_to_a_newer_file(desk, archive):
    """A copy that is newer than the file a session came from replaces its log."""
    desk.write("a", ["say", "one", "old"], age=100)
    desk.run()
    desk.write("copy", ["say", "one", "new"], folder=archive)

    desk.run()

    assert desk.texts("one") == ["new"]


def test_order_of_discovery_does_not_decide_between_copies(desk, archive):
    """Whichever copy is met first, the newest is what stays."""
    desk.write("copy", ["say", "one", "new"], folder=archive)
    desk.run()
    desk.write("a", ["say", "one", "old"], age=100)

    desk.run()

    assert desk.texts("one") == ["new"]


def test_extended_loser_takes_its_session_back(desk, archive):
    """A copy that was passed over and then grows is read from its start and becomes the transcript."""
    desk.write("a", ["say", "one", "old"], age=100)
    desk.write("copy", ["say", "one", "new"], folder=archive)
    desk.run()
    desk.extend("a", ["say", "one", "resumed"])

    desk.run()

    assert desk.texts("one") == ["old", "resumed"]


def test_moved_file_goes_on_with_its_session(desk, archive):
    """A file that was moved is the session's transcript under its new name."""
    path = desk.write("a", ["say", "one", "hello"])
    desk.run()
    path.rename(archive / "a.notes")

    report = desk.run()

    assert [root.found for root in report.roots] == [0, 1]
    assert desk.texts("one") == ["hello"]
    assert report.roots[1].notes == ()


def test_item_below_two_roots_is_read_once(desk):
    """Roots that overlap do not double an item."""
    desk.roots = (desk.folder, desk.folder)
    desk.write("a", ["say", "one", "hello"])

    report = desk.run()

    assert [root.found for root in report.roots] == [1, 0]


def test_both_copies_changed_at_once(desk, archive):
    """A holder that changed in the same import in which a newer copy took its session over is passed over."""
    desk.write("a", ["say", "one", "old"], age=100)
    desk.run()
    desk.write("a", ["say", "one", "older, changed"], age=50)
    desk.write("copy", ["say", "one", "new"], folder=archive)

    first, second = desk.run(), desk.run()

    assert desk.texts("one") == ["new"]
    assert [root.unreadable for root in first.roots] == [(), ()]
    assert [root.unchanged for root in second.roots] == [1, 1]


def test_former_holder_that_grows_is_read_from_its_start(desk, archive):
    """A file that lost its session and then grows brings its own beginning along, not the other's."""
    desk.write("a", ["say", "one", "old"], age=100)
    desk.run()
    desk.write("copy", ["say", "one", "new"], folder=archive)
    desk.run()
    desk.extend("a", ["say", "one", "resumed"])

    desk.run()

    assert desk.texts("one") == ["old", "resumed"]


def test_entry_of_a_vanished_file_claims_nothing(desk, archive):
    """A file that was moved away and back holds its session against an older copy."""
    path = desk.write("a", ["say", "one", "hello"])
    desk.run()
    path.rename(archive / "a.notes")
    desk.run()
    (archive / "a.notes").rename(path)
    desk.write("older", ["say", "one", "older"], age=100)

    desk.run()

    assert desk.texts("one") == ["hello"]
