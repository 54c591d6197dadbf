"""Transactions of an import: their size, their atomicity, and where an import may be cut."""

from __future__ import annotations

import pytest

from starweaver_host.services.importing_report import ImportLimits


def _batches(desk):
    batches = []
    original = desk.store.import_batch

    async def watched(batch):
        batches.append(batch)
        return await original(batch)

    desk.store.import_batch = watched
    return batches


def test_batches_end_at_read_points_once_they_are_large(desk):
    """A transaction ends at the first read point past its size, and its ledger entry can be resumed from."""
    desk.batch_bytes = 1500
    desk.write("a", *(row for index in range(6) for row in (["say", "one", "x" * 600], ["point"])))
    batches = _batches(desk)

    desk.run()

    assert [len(batch.events) for batch in batches] == [4, 4, 4, 0]
    assert [(batch.ledger.fingerprint, batch.ledger.complete) for batch in batches[:-1]] == [
        ("", False),
        ("", False),
        ("", False),
    ]
    assert all(batch.ledger.state is not None for batch in batches)
    assert desk.session("one").counts.runs == 6


def test_batches_are_cut_anywhere_to_bound_memory(desk):
    """A reader without read points is cut at twice the size; until its end the entry asks for a reading anew."""
    desk.batch_bytes = 1000
    desk.write("a", *(["say", "one", "x" * 600] for _ in range(6)))
    batches = _batches(desk)

    desk.run()

    assert len(batches) > 1
    assert [None] * (len(batches) - 1) == [batch.ledger.state for batch in batches[:-1]]
    assert (batches[-1].ledger.complete, desk.session("one").next_seq) == (True, 12)


def test_sessions_of_one_item_are_stored_together_or_read_again(desk):
    """A crash between the transactions of an item with two sessions leaves neither half and nothing twice."""
    desk.write("a", ["say", "one", "hello"], ["say", "two", "hello"], ["say", "one", "more"])
    original, calls = desk.store.import_batch, []

    async def dying(batch):
        calls.append(batch)
        if len(calls) == 2:
            raise SystemExit
        return await original(batch)

    desk.store.import_batch = dying
    with pytest.raises(SystemExit):
        desk.run()
    desk.store.import_batch = original

    root = desk.root()

    assert (root.rewritten, desk.texts("one"), desk.texts("two")) == (1, ["hello", "more"], ["hello"])


def test_deadline_cuts_an_item_at_a_read_point_and_goes_on_there(desk):
    """A deadline passed inside a large item keeps what was read, and the next import continues after it."""
    desk.batch_bytes = 300
    path = desk.write("a", ["say", "one", "first"], ["point"], ["say", "one", "second"])
    original = desk.store.import_batch

    async def slow(batch):
        desk.clock.advance(10)
        return await original(batch)

    desk.store.import_batch = slow
    cut = desk.run(limits=ImportLimits(deadline=desk.clock.monotonic() + 5))
    desk.store.import_batch = original
    rest = desk.root()

    assert (cut.complete, cut.roots[0].remaining) == (False, 1)
    assert (rest.extended, rest.remaining) == (1, 0)
    assert desk.texts("one") == ["first", "second"]
    assert 0 < desk.source.reads[-1][1] < path.stat().st_size


def test_item_limit_leaves_the_oldest_for_later(desk):
    """A bounded import takes the newest items and says what remains."""
    for index in range(3):
        desk.write(f"f{index}", ["say", f"s{index}", "text"], age=index)

    report = desk.run(limits=ImportLimits(items=2))

    assert (report.complete, report.roots[0].imported, report.roots[0].remaining) == (False, 2, 1)
    assert [name for name, _ in desk.source.reads] == ["f0.notes", "f1.notes"]


def test_progress_counts_items_and_bytes_to_the_end(desk):
    """Progress starts at nothing and ends with everything that had to be read."""
    sizes = [desk.write(f"f{index}", ["say", f"s{index}", "text"], age=index).stat().st_size for index in range(2)]
    seen = []

    desk.run(on_progress=seen.append)

    assert [progress.items_done for progress in seen] == [0, 1, 2]
    assert (2, sum(sizes), sum(sizes)) == (seen[-1].items_total, seen[-1].bytes_done, seen[-1].bytes_total)


def test_run_rows_survive_a_resumed_reading(desk):
    """Runs go on counting where the stored ones end."""
    desk.write("a", ["say", "one", "hello"])
    desk.run()
    desk.extend("a", ["say", "one", "more"], ["say", "one", "third"])

    desk.run()

    assert (desk.session("one").head_run_id, desk.session("one").counts.runs) == ("turn-3", 3)
