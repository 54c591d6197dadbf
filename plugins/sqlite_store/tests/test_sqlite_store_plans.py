"""Query plans: lists and scans walk an index in their own order, so that a page costs a page."""

from __future__ import annotations

from typing import Any

import pytest

from starweaver_host.contract.corpus import CorpusFilter, CorpusQuery
from starweaver_host.contract.records import AccessScope
from starweaver_host.contract.store import SessionListQuery
from starweaver_sqlite_store.conditions import Condition
from starweaver_sqlite_store.listing import page_statement, sessions_statement
from starweaver_sqlite_store.scan_rows import chunk_statement, explain, limits_of, title_statement

SCOPE = AccessScope()


def _plan(store: Any, statement: Condition) -> str:
    return "\n".join(store._database.read(explain, statement))


def _scan(**fields: Any) -> CorpusQuery:
    return CorpusQuery(**{"scope": SCOPE, **fields})


@pytest.mark.parametrize(
    ("wanted", "index"),
    [
        (CorpusFilter(), "sessions_recent"),
        (CorpusFilter(profiles=("p",)), "sessions_profile"),
        (CorpusFilter(profiles=("p", "q")), "sessions_profile"),
        (CorpusFilter(agents=("codex",)), "sessions_source"),
        (CorpusFilter(roots=("r",)), "sessions_root"),
        (CorpusFilter(workspaces=("w",)), "sessions_workspace"),
        (CorpusFilter(workspaces=("w",)), "sessions_label"),
        (CorpusFilter(statuses=("archived",)), "sessions_status"),
    ],
)
@pytest.mark.parametrize("after", [None, (5, "s")])
def test_session_page_walks_an_index_in_its_order(
    store: Any, wanted: CorpusFilter, index: str, after: tuple[int, str] | None
) -> None:
    """No page sorts, and no page looks at rows beyond it but those a further condition leaves out."""
    plan = _plan(store, page_statement(SCOPE, SessionListQuery(filter=wanted, after=after)))

    assert index in plan
    assert "USE TEMP B-TREE" not in plan
    assert "SCAN sessions" not in plan


def test_session_page_without_children_begins_from_hidden_roots(store: Any) -> None:
    """Sessions of the top are walked in their order; only children of tombstones, found by their roots, are sorted."""
    plan = _plan(store, page_statement(SCOPE, SessionListQuery(filter=CorpusFilter(include_children=False))))

    assert "sessions_top" in plan
    assert "sessions_root (namespace_id=? AND root_session_id=?)" in plan
    assert "sessions_status (namespace_id=? AND status=?)" in plan
    assert plan.count("USE TEMP B-TREE") == 1
    assert "SCAN" not in plan


def test_owner_scoped_page_walks_the_owners_index(store: Any) -> None:
    """An owner's page costs nothing of other owners' sessions."""
    plan = _plan(store, page_statement(AccessScope(owner_id="me"), SessionListQuery()))

    assert "sessions_owner" in plan
    assert "USE TEMP B-TREE" not in plan


@pytest.mark.parametrize(
    "query",
    [
        _scan(),
        _scan(as_of="0000000000000005"),
        _scan(older_than=5),
        _scan(filter=CorpusFilter(workspaces=("w",), profiles=("p",), cwd_prefix="/x", run_statuses=("failed",))),
    ],
)
def test_scan_walks_chunks_and_titles_newest_first(store: Any, query: CorpusQuery) -> None:
    """A scan reads in the order of its index: its first batch costs one batch, whatever the size of the corpus."""
    chunks = _plan(store, chunk_statement(query, limits_of(query)))
    titles = _plan(store, title_statement(query, limits_of(query)))

    assert "corpus_chunks_newest" in chunks
    assert "session_titles_" in titles
    assert "USE TEMP B-TREE" not in chunks + titles


def test_scan_of_named_sessions_starts_from_them(store: Any) -> None:
    """A scan of few sessions never walks the others' chunks."""
    query = _scan(filter=CorpusFilter(session_ids=("a", "b")))

    first, *_ = store._database.read(explain, chunk_statement(query, limits_of(query)))

    assert first.startswith("SEARCH s USING PRIMARY KEY (namespace_id=? AND session_id=?)")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM sessions WHERE namespace_id = ? AND feed_position > ? ORDER BY feed_position LIMIT ?",
        "SELECT * FROM segments WHERE namespace_id = ? AND session_id = ? AND first_seq >= ? ORDER BY first_seq",
        "SELECT * FROM runs WHERE namespace_id = ? AND session_id = ? ORDER BY sequence_no DESC LIMIT 1",
        "SELECT * FROM leases WHERE namespace_id = ? AND expires_at <= ? ORDER BY expires_at LIMIT 1",
        "SELECT session_id FROM message_identities WHERE namespace_id = ? AND identity = ?",
        "SELECT session_id FROM sessions WHERE namespace_id = ? AND native_id >= ? AND native_id < ?",
        "SELECT session_id FROM sessions WHERE namespace_id = ? AND cwd >= ? AND cwd < ?",
    ],
)
def test_hot_statements_use_an_index_and_never_sort(store: Any, sql: str) -> None:
    """Feed, log, runs, leases, identities and prefixes are looked up."""
    plan = _plan(store, Condition(sql, (None,) * sql.count("?")))

    assert "SEARCH" in plan
    assert "SCAN" not in plan
    assert "USE TEMP B-TREE" not in plan


def test_scan_of_named_roots_starts_from_their_families(store: Any) -> None:
    """A scan of a family looks its sessions up by root."""
    query = _scan(filter=CorpusFilter(roots=("a", "b")))

    first, *_ = store._database.read(explain, chunk_statement(query, limits_of(query)))

    assert first.startswith("SEARCH s USING INDEX sessions_root")


def test_sessions_by_id_are_looked_up(store: Any) -> None:
    """Reading many sessions costs one look-up each."""
    plan = _plan(store, sessions_statement(SCOPE, ["a", "b"]))

    assert "PRIMARY KEY (namespace_id=? AND session_id=?)" in plan


def test_scan_beyond_a_position_starts_from_the_sessions_that_changed(store: Any) -> None:
    """What an index has not seen costs the sessions that changed, not the corpus."""
    query = _scan(beyond="0000000000000005")

    plans = [
        store._database.read(explain, make(query, limits_of(query))) for make in (chunk_statement, title_statement)
    ]

    assert all(
        plan[0].startswith("SEARCH s USING INDEX sessions_feed (namespace_id=? AND feed_position>?)") for plan in plans
    )
