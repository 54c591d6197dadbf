"""What an import reads: new, unchanged, extended and rewritten items."""

from __future__ import annotations

import os


def test_import_of_new_items_stores_their_sessions(desk):
    """Every session of every new item is stored, with its runs and title."""
    desk.write("a", ["say", "one", "hello"], ["title", "one", "Greeting"], ["say", "one", "again"])

    root = desk.root()

    assert (root.found, root.imported, root.remaining) == (1, 1, 0)
    assert desk.texts("one") == ["hello", "again"]
    assert (
        desk.session("one").title,
        desk.session("one").counts.runs,
        desk.session("one").counts.messages,
    ) == ("Greeting", 2, 2)


def test_import_of_unchanged_items_reads_nothing(desk):
    """An item whose fingerprint is the ledger's is not opened."""
    desk.write("a", ["say", "one", "hello"])
    desk.run()
    desk.source.reads.clear()

    root = desk.root()

    assert (root.found, root.unchanged, desk.source.reads) == (1, 1, [])


def test_import_of_extended_item_reads_the_rest(desk):
    """An extended item is read from where the last reading stopped, and its log goes on."""
    path = desk.write("a", ["say", "one", "hello"])
    size = path.stat().st_size
    desk.run()
    desk.extend("a", ["say", "one", "more"])

    root = desk.root()

    assert (1, ("a.notes", size)) == (root.extended, desk.source.reads[-1])
    assert desk.texts("one") == ["hello", "more"]
    assert (desk.session("one").incarnation, desk.session("one").counts.runs) == (0, 2)


def test_import_of_rewritten_item_replaces_the_log(desk):
    """A rewritten item is read from its start under a new incarnation; nothing of the old log stays."""
    desk.write("a", ["say", "one", "hello"], ["bad"])
    desk.run()
    desk.write("a", ["say", "one", "changed"], age=-5)

    root = desk.root()

    assert (root.rewritten, root.skipped_records) == (1, 0)
    assert desk.texts("one") == ["changed"]
    assert desk.session("one").incarnation == 1


def test_import_with_newer_reader_reads_everything_again(desk):
    """Another reader version reads the same bytes from the start."""
    desk.write("a", ["say", "one", "hello"])
    desk.run()
    desk.source.reader_version = 2

    root = desk.root()

    assert (root.rewritten, desk.source.reads) == (1, [("a.notes", 0), ("a.notes", 0)])
    assert desk.texts("one") == ["hello"]


def test_import_keeps_sessions_whose_file_disappeared(desk):
    """A transcript that its tool deleted stays in the store."""
    desk.write("a", ["say", "one", "hello"]).unlink()
    desk.write("b", ["say", "two", "kept"])
    desk.run()
    (desk.folder / "b.notes").unlink()

    root = desk.root()

    assert root.found == 0
    assert desk.texts("two") == ["kept"]


def test_import_twice_gives_the_same_content_in_any_order(desk, tmp_path):
    """The order in which files are met does not change what is stored."""
    for index in range(4):
        desk.write(f"f{index}", ["say", f"s{index}", f"text {index}"], age=index)
    desk.run()
    first = [desk.texts(f"s{index}") for index in range(4)]
    other = type(desk)(desk.folder)
    for index in range(4):
        os.utime(desk.folder / f"f{index}.notes", (1_600_000_000 + index, 1_600_000_000 + index))

    other.run()

    assert first == [other.texts(f"s{index}") for index in range(4)]


def test_import_reads_newest_items_first(desk):
    """What changed last is read first."""
    for name, age in (("old", 30), ("new", 10), ("middle", 20)):
        desk.write(name, ["say", name, "text"], age=age)

    desk.run()

    assert [name for name, _ in desk.source.reads] == ["new.notes", "middle.notes", "old.notes"]


def test_survey_counts_without_reading(desk):
    """A survey says what an import would read and what the ledger remembers, and opens nothing."""
    desk.write("a", ["say", "one", "hello"], ["bad"])
    desk.run()
    desk.write("b", ["say", "two", "hello"])
    desk.source.reads.clear()

    root = desk.wait(desk.service().survey()).roots[0]

    assert (root.found, root.unchanged, root.remaining, root.skipped_records) == (2, 1, 1, 1)
    assert desk.source.reads == []


def test_incomplete_item_is_read_again_though_unchanged(desk):
    """An item whose reader held something back is looked at again, from where it stopped."""
    path = desk.write("a", ["say", "one", "hello"], ["open"])
    desk.run()

    root = desk.root()

    assert (root.found, root.unchanged) == (1, 1)
    assert desk.source.reads == [("a.notes", 0), ("a.notes", path.stat().st_size)]
    assert desk.texts("one") == ["hello"]


def test_reading_from_the_start_never_appends_to_a_stored_log(desk):
    """A reader that calls its first step an append after reading everything again does not double the log."""
    desk.write("a", ["say", "one", "hello"])
    desk.run()
    desk.source.reader_version = 2
    desk.source.always_appends = True

    desk.run()

    assert desk.texts("one") == ["hello"]


def test_ledger_keeps_all_sessions_of_an_extended_item(desk):
    """Sessions an extension does not mention still belong to their item."""
    desk.write("a", ["say", "one", "hello"], ["say", "two", "hello"])
    desk.run()
    desk.extend("a", ["say", "one", "more"])
    desk.run()

    (entry,) = desk.wait(desk.store.ledger("local", "notes")).values()

    assert entry.session_ids == ("notes:one", "notes:two")
