"""What a scan reads: the statements over chunks and titles, newest first, and their rows.

A filter over few sessions starts from them; any other walks the chunks in the order of their newest document and
looks at each one's session, reading no text of those that are filtered out.
"""

# ruff: noqa: S608  names in statements are constants of this package; every value is a parameter

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from starweaver_host.contract.corpus import SEARCH_SOURCES, CorpusQuery
from starweaver_host.contract.errors import StoreError

from . import feed
from .chunks import decode_documents
from .conditions import Condition, filter_conditions, join
from .database import Transaction

TITLES = SEARCH_SOURCES.index("session_metadata")

_CHUNK_COLUMNS = "c.newest_time, c.session_id, s.root_session_id, c.documents, c.text"
_ONE_CHUNK = (
    f"SELECT {_CHUNK_COLUMNS} FROM corpus_chunks AS c CROSS JOIN sessions AS s "
    "WHERE c.rowid = ? AND s.namespace_id = c.namespace_id AND s.session_id = c.session_id"
)


class Limits(NamedTuple):
    """What a scan leaves out within a chunk; `sources` are indexes into SEARCH_SOURCES. `beyond` 0 leaves out none."""

    sources: frozenset[int]
    as_of: int | None
    older_than: int | None
    run_statuses: tuple[str, ...]
    beyond: int = 0


class ChunkRow(NamedTuple):
    """A chunk to look at. `documents` are as stored."""

    newest_time: int
    session_id: str
    root: str
    documents: bytes
    text: bytes


class TitleRow(NamedTuple):
    """A title to look at."""

    set_at: int
    session_id: str
    root: str
    folded: bytes


def limits_of(query: CorpusQuery) -> Limits:
    """The limits of a query; `invalid` for a position that is not this store's."""
    return Limits(
        sources=frozenset(SEARCH_SOURCES.index(source) for source in query.filter.sources or SEARCH_SOURCES),
        as_of=None if query.as_of is None else feed.decode(query.as_of),
        older_than=query.older_than,
        run_statuses=query.filter.run_statuses,
        beyond=0 if query.beyond is None else feed.decode(query.beyond),
    )


def read_chunks(tx: Transaction, query: CorpusQuery, limits: Limits) -> Iterator[ChunkRow]:
    """The chunks to look at, newest first, one text at a time."""
    if starts_from_sessions(query):
        # a sorter runs to its end before its first row: it carries ids and no texts
        described = ", c.session_id, c.documents, c.text_bytes" if limits.beyond else ""
        statement = chunk_statement(query, limits, f"c.rowid{described}")
        rows = tx.execute(statement.sql, statement.values)
        ids = [row[:1] for row in rows if not limits.beyond or _holds_beyond(limits.beyond, *row[1:])]
        return (ChunkRow(*tx.execute(_ONE_CHUNK, found).fetchone()) for found in ids)
    statement = chunk_statement(query, limits, _CHUNK_COLUMNS)
    return map(ChunkRow._make, tx.execute(statement.sql, statement.values))


def _holds_beyond(position: int, session_id: str, documents: bytes, text_bytes: int) -> bool:
    """Whether a chunk has a document from beyond a position. One that cannot be decoded is for the scan to report."""
    try:
        return any(document.position > position for document in decode_documents(session_id, documents, text_bytes))
    except StoreError:
        return True


def starts_from_sessions(query: CorpusQuery) -> str | None:
    """The index over sessions to begin with, where a query names its sessions; None walks the chunks by time.

    The planner has no statistics and would rather walk every session of the namespace.
    """
    if query.filter.session_ids or query.scope.session_ids is not None:
        return "sqlite_autoindex_sessions_1"
    if query.beyond is not None:
        return "sessions_feed"
    return "sessions_root" if query.filter.roots else None


def chunk_statement(query: CorpusQuery, limits: Limits, columns: str = "c.rowid") -> Condition:
    """The statement that finds the chunks to look at, newest first."""
    conditions = filter_conditions(query.scope, query.filter)
    if limits.as_of is not None:
        conditions.append(Condition("c.first_position <= ?", (limits.as_of,)))
    if limits.beyond:
        conditions.append(Condition("s.feed_position > ?", (limits.beyond,)))
    if limits.older_than is not None:
        conditions.append(Condition("c.oldest_time < ?", (limits.older_than,)))
    return _statement(columns, ("corpus_chunks", "c", "newest_time"), conditions, query)


def read_titles(tx: Transaction, query: CorpusQuery, limits: Limits) -> Iterator[TitleRow]:
    """The titles that are current, or were at the query's `as_of`, newest first."""
    statement = title_statement(query, limits)
    return (TitleRow(*row) for row in tx.execute(statement.sql, statement.values))


def title_statement(query: CorpusQuery, limits: Limits) -> Condition:
    """The statement that finds the rows of the titles to look at, newest first."""
    conditions = filter_conditions(query.scope, query.filter)
    if limits.as_of is None:
        conditions.append(Condition("t.superseded_position IS NULL"))
    else:
        sql = "t.position <= ? AND (t.superseded_position IS NULL OR t.superseded_position > ?)"
        conditions.append(Condition(sql, (limits.as_of, limits.as_of)))
    if limits.beyond:
        conditions.append(Condition("s.feed_position > ? AND t.position > ?", (limits.beyond, limits.beyond)))
    if limits.older_than is not None:
        conditions.append(Condition("t.set_at < ?", (limits.older_than,)))
    columns = "t.set_at, t.session_id, s.root_session_id, t.folded"
    return _statement(columns, ("session_titles", "t", "set_at"), conditions, query)


def _statement(columns: str, table: tuple[str, str, str], conditions: list[Condition], query: CorpusQuery) -> Condition:
    name, alias, time = table
    own, index = f"{name} AS {alias}", starts_from_sessions(query)
    tables = f"sessions AS s INDEXED BY {index} CROSS JOIN {own}" if index else f"{own} CROSS JOIN sessions AS s"
    where = join([Condition(f"{alias}.namespace_id = ?", (query.scope.namespace_id,)), *conditions])
    sql = (
        f"SELECT {columns} FROM {tables} WHERE {alias}.namespace_id = s.namespace_id "
        f"AND {alias}.session_id = s.session_id AND {where.sql} "
        f"ORDER BY {alias}.{time} DESC, {alias}.session_id DESC"
    )
    return Condition(sql, where.values)


def explain(tx: Transaction, statement: Condition) -> tuple[str, ...]:
    """How the engine would run a statement, step by step."""
    return tuple(str(row[3]) for row in tx.execute(f"EXPLAIN QUERY PLAN {statement.sql}", statement.values))


__all__ = [
    "TITLES",
    "ChunkRow",
    "Limits",
    "TitleRow",
    "chunk_statement",
    "explain",
    "limits_of",
    "read_chunks",
    "read_titles",
    "starts_from_sessions",
    "title_statement",
]
