"""Rebuilding the corpus, and use from several threads at once."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from typing import Any

import pytest
from msgspec import structs

from starweaver_host.contract.corpus import CorpusQuery
from starweaver_host.contract.indexing import IndexMaintenance
from starweaver_host.contract.records import AccessScope, SessionChange
from starweaver_host.projection.folding import FOLD_VERSION
from starweaver_sqlite_store.chunks import DEAD_BYTES

SCOPE = AccessScope()


def _spoil(bench: Any, *statements: str) -> None:
    with closing(sqlite3.connect(bench.folder / "starweaver.sqlite3")) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def test_rebuilt_corpus_equals_the_one_written_as_things_came(bench: Any, store: Any, make: Any) -> None:
    """A corpus of another fold is written again from logs, runs and titles, superseded titles included."""
    for name in ("s1", "s2"):
        events = [make.said(f"{name} {number} " + "Straße " * 200, run_id="r1") for number in range(60)]
        batch = make.imported(name, *events, title=f"Title {name}", runs=(make.imported_run(name),))
        bench.run(store.import_batch(batch))
    before, mark = bench.scan(store), bench.run(store.position("local"))
    bench.run(store.update_session(SCOPE, "s1", SessionChange(title="Newer")))
    bench.run(store.update_session(SCOPE, "s1", SessionChange(title="Title s1")))
    spoil = ("UPDATE corpus_chunks SET text = zeroblob(text_bytes)", "UPDATE session_titles SET folded = x'78'")
    _spoil(bench, *spoil, "UPDATE store_meta SET value = x'30' WHERE key = 'fold_version'")
    stale = bench.run(store.identity()).fold_version

    damaged = bench.run(store.rebuild_corpus())

    assert (stale, bench.run(store.identity()).fold_version, damaged) == (0, FOLD_VERSION, ())
    assert sorted(text for _, text in before) == bench.texts(store)
    assert {row.session_id for row in bench.run(store.changes("local", after=mark)).rows} == {"s1", "s2"}
    assert bench.run(store.check()).problems == ()


def test_rebuild_leaves_damaged_sessions_and_names_them(bench: Any, store: Any, make: Any) -> None:
    """One unreadable log stops nothing; what was in the corpus of it stays."""
    for name in ("s1", "s2"):
        bench.run(store.import_batch(make.imported(name, *(make.said(f"{name} " + "word " * 300) for _ in range(9)))))
    _spoil(bench, "UPDATE segments SET body = x'00' WHERE session_id = 's1'")

    damaged = bench.run(store.rebuild_corpus())

    assert damaged == ("s1",)
    assert len(bench.scan(store)) == 18


def test_threads_read_scan_and_write_at_once(bench: Any, make: Any) -> None:
    """With an offload onto threads, concurrent calls neither fail nor lose anything."""
    store = bench.open(threads=True)
    bench.run(store.import_batch(make.imported("s1", make.said("first"))))

    async def write(name: str) -> None:
        for number in range(20):
            batch = make.imported(name, make.said(f"{name} {number}"), version=number, expected_next_seq=number)
            await store.import_batch(batch)

    async def scan() -> int:
        return len(
            [document async for batch in store.scan_corpus(CorpusQuery(scope=SCOPE)) for document in batch.documents()]
        )

    async def everything() -> list[int]:
        writers = [asyncio.create_task(write(f"w{number}")) for number in range(3)]
        seen = await asyncio.gather(*(scan() for _ in range(30)))
        await asyncio.gather(*writers)
        return seen

    seen = bench.run(everything())

    assert all(1 <= count <= 61 for count in seen)
    assert len(bench.scan(store)) == 61
    assert bench.run(store.check()).problems == ()


def test_store_is_an_index_that_can_be_maintained(bench: Any, store: Any, make: Any) -> None:
    """The corpus reports its documents, those that later ones superseded, and that it is as the records have it."""
    bench.run(store.import_batch(make.imported("s1", make.said("hello", run_id="r1"), runs=(make.imported_run("s1"),))))

    found = bench.run(store.verify())

    assert isinstance(store, IndexMaintenance)
    assert (found.healthy, found.detail, found.documents) == (True, None, len(bench.scan(store)))
    assert found == bench.run(store.status())


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE corpus_chunks SET documents = x'00'",
        "UPDATE corpus_chunks SET text = zeroblob(text_bytes)",
        "DELETE FROM corpus_chunks",
        "UPDATE store_meta SET value = x'30' WHERE key = 'projection_version'",
    ],
)
def test_rebuild_makes_whole_what_verify_found_wrong(bench: Any, store: Any, make: Any, statement: str) -> None:
    """Damage, loss and another version are found, and gone after a rebuild."""
    for name in ("s1", "s2"):
        bench.run(store.import_batch(make.imported(name, make.said(f"hello {name}"))))
    before = bench.texts(store)
    _spoil(bench, statement)

    found = bench.run(store.verify())
    built = bench.run(store.rebuild())

    assert (found.healthy, built.healthy, bench.run(store.verify()).healthy) == (False, True, True)
    assert found.detail
    assert bench.texts(store) == before


def test_rebuild_says_which_sessions_it_could_not_read(bench: Any, store: Any, make: Any) -> None:
    """A rebuild over a damaged log is not healthy, and names what was left."""
    bench.run(store.import_batch(make.imported("s1", make.said("hello"))))
    _spoil(bench, "UPDATE segments SET body = x'00'")

    built = bench.run(store.rebuild())

    assert not built.healthy
    assert "'s1'" in built.detail


def test_superseded_text_is_bounded_and_its_loss_is_told(bench: Any, store: Any, make: Any) -> None:
    """However often a run is rewritten, a session keeps little of what was; older moments then count as rewritten."""
    mark = ""
    for version in range(40):
        run = structs.replace(make.imported_run("s1"), output_preview=f"{version:03} " + "word " * 300)
        bench.run(store.import_batch(make.imported("s1", runs=(run,), version=version)))
        mark = mark or bench.run(store.position("local"))
    found = bench.run(store.status())
    now = bench.run(store.position("local"))

    def lost(as_of: str) -> int:
        return int(bench.run(store.rewritten(CorpusQuery(scope=SCOPE, as_of=as_of))))

    assert 0 < found.dead_documents <= DEAD_BYTES // 1000
    assert found.size_bytes < 2 * DEAD_BYTES
    assert (lost(mark), lost(now)) == (1, 0)
