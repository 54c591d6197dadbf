"""What goes wrong during an import and what it may not break."""

from __future__ import annotations

import asyncio

import pytest

from starweaver_host.conformance.context import offload
from starweaver_host.contract.errors import StoreError
from starweaver_host.contract.records import AccessScope


def test_import_isolates_an_unreadable_item(desk):
    """An item that cannot be read is named with its reason; the others are imported, and it is tried again."""
    desk.write("bad", ["fail"])
    desk.write("good", ["say", "one", "hello"], age=10)

    root = desk.root()
    again = desk.root()

    assert (
        root.found,
        root.imported,
        root.remaining,
        [note.text for note in root.unreadable],
    ) == (2, 1, 0, ["file cannot be read"])
    assert (again.unchanged, len(again.unreadable)) == (1, 1)


def test_import_isolates_a_bug_of_a_source(desk):
    """An error a source does not expect is reported with its type, like any other."""
    desk.write("bug", ["bug"])
    desk.write("good", ["say", "one", "hello"], age=10)

    root = desk.root()

    assert (root.imported, [note.text for note in root.unreadable]) == (1, ["KeyError: 'bug'"])


def test_import_reports_a_root_that_cannot_be_listed(desk):
    """A root that refuses to be listed is unreadable; the import goes on."""
    desk.source.refuses_listing = True

    root = desk.root()

    assert (
        root.found,
        root.remaining,
        [note.text for note in root.unreadable],
    ) == (0, 0, ["folder cannot be listed"])


@pytest.mark.parametrize("failure", [OSError(5, "Input/output error"), TypeError("a bug")], ids=["disk", "bug"])
def test_import_survives_a_listing_that_breaks_off(desk, monkeypatch, failure):
    """A root whose listing fails halfway is unreadable and keeps what it had told; the import goes on."""
    desk.write("a", ["say", "one", "hello"])
    original = desk.source.items

    def failing(env, root):
        yield from original(env, root)
        raise failure

    monkeypatch.setattr(desk.source, "items", failing)

    root = desk.root()

    assert (root.found, root.imported, len(root.unreadable)) == (1, 1, 1)
    assert type(failure).__name__ in root.unreadable[0].text


def test_import_reports_absent_roots(desk, tmp_path):
    """A root that does not exist is reported as such and costs nothing."""
    desk.roots = (tmp_path / "nowhere",)

    root = desk.root()

    assert (root.exists, root.found) == (False, 0)


def test_import_counts_skipped_records_across_readings(desk):
    """Skipped records add up over the readings of an item and stay known while it is unchanged."""
    desk.write("a", ["bad"], ["say", "one", "hello"])
    desk.run()
    desk.extend("a", ["bad"], ["bad"])

    assert (desk.root().skipped_records, desk.root().skipped_records) == (3, 3)


def test_import_names_what_it_left_out(desk):
    """Skipped records are named by place and reason, the first few, and stay named while nothing new is left out."""
    desk.write("a", *[["bad"]] * 5, ["say", "one", "hello"])
    named = [note.text for note in desk.run().roots[0].notes]
    desk.extend("a", ["say", "two", "more"])

    assert named[0].startswith("left out ")
    assert named[0].endswith(", and 2 more")
    assert [note.text for note in desk.root().notes] == named


def test_import_skips_sessions_deleted_here(desk):
    """A session that was deleted here stays deleted when its transcript grows, and costs a stat afterwards."""
    desk.write("a", ["say", "one", "hello"])
    desk.run()
    scope = AccessScope()
    desk.wait(desk.store.acquire_fence(scope, "notes:one", fence_id="f", requested_by="me", expected_revision=None))
    desk.wait(desk.store.tombstone_session(scope, "notes:one", fence_id="f"))
    desk.extend("a", ["say", "one", "more"])

    desk.run()

    assert desk.session("one", deleted=True).status == "deleted"
    assert desk.session("one", deleted=True).next_seq == 2
    assert desk.root().unchanged == 1


def test_import_reads_from_the_start_when_the_store_lost_a_session(desk):
    """A ledger entry that speaks of a session the store does not hold is not trusted."""
    desk.write("a", ["say", "one", "hello"])
    desk.run()
    state = desk.store._state
    desk.extend("a", ["say", "one", "more"])
    desk.store = type(desk.store)(desk.clock)
    desk.store._state.ledger.update(state.ledger)

    desk.run()

    assert desk.texts("one") == ["hello", "more"]


def test_import_stops_when_the_store_is_unavailable(desk):
    """A store that is locked or full would fail for every item: its error is the import's."""
    desk.write("a", ["say", "one", "hello"])
    _fail_next(desk, StoreError("unavailable", "database is locked"))

    with pytest.raises(StoreError, match="locked"):
        desk.run()


def test_import_tries_again_after_another_process_was_faster(desk):
    """A ledger conflict is resolved by reading the entry again; nothing is stored twice."""
    desk.write("a", ["say", "one", "hello"])
    other = type(desk)(desk.folder)
    other.store = desk.store
    original = desk.store.import_batch

    async def faster(batch):
        desk.store.import_batch = original
        await other.service().run()
        return await original(batch)

    desk.store.import_batch = faster

    root = desk.root()

    assert (root.unreadable, root.unchanged) == ((), 1)
    assert desk.texts("one") == ["hello"]


def test_import_cancelled_between_items_keeps_what_was_committed(desk):
    """Cancellation loses nothing that was committed, and the next import goes on with the rest."""
    for index in range(3):
        desk.write(f"f{index}", ["say", f"s{index}", "text"], age=index)

    def cancel(progress):
        if progress.items_done == 1:
            raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        desk.run(on_progress=cancel)
    root = desk.root()

    assert (root.unchanged, root.imported) == (1, 2)
    assert [desk.texts(f"s{index}") for index in range(3)] == [["text"]] * 3


def test_import_cancelled_while_a_thread_reads_keeps_what_was_committed(desk):
    """Cancellation does not wait for the disk; the reading that was under way is done again next time."""
    desk.offload = offload
    desk.write("new", ["say", "one", "hello"])
    desk.write("slow", ["wait"], ["say", "two", "hello"], age=10)

    async def cancelled():
        task = asyncio.create_task(desk.service().run())
        await asyncio.to_thread(desk.source.waiting.wait, 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        desk.source.gate.set()

    asyncio.run(cancelled())
    root = desk.root()

    assert (root.unchanged, root.imported) == (1, 1)
    assert (desk.texts("one"), desk.texts("two")) == (["hello"], ["hello"])


def _fail_next(desk, error):
    async def failing(batch):
        raise error

    desk.store.import_batch = failing
