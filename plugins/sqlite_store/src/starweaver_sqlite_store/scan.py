"""Scanning the corpus newest first: chunks and titles as two streams, merged by time, read inside one snapshot.

A filter over few sessions starts from them; any other walks the chunks in the order of their newest document and
looks at each one's session, reading no text of those that are filtered out. What describes documents is carried along
in its stored form and decoded by the consumer's `documents()`, so a miss costs the read of the text.
"""

# ruff: noqa: S608  names in statements are constants of this package; every value is a parameter

from __future__ import annotations

import heapq
import sqlite3
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple

from starweaver_host.contract.corpus import (
    SEARCH_SOURCES,
    CorpusBatch,
    CorpusDocument,
    CorpusQuery,
    DocumentRef,
)

from . import feed
from .chunks import SEPARATOR, decode_documents
from .conditions import Condition, filter_conditions, join, one_of
from .database import Database, Transaction
from .errors import engine_errors

BATCH_BYTES = 128 * 1024
"""Small chunks are joined up to this much text; a larger one is a batch of its own and is not copied."""
FIRST_PAGE_BYTES = 64 * 1024
PAGE_BYTES = 1024 * 1024
"""Text handed over at once, at most one batch more; it grows from the first so that a common word is answered fast."""
TITLES_FIRST, TITLES_MAX = 32, 512

_TITLES = SEARCH_SOURCES.index("session_metadata")


class CorpusScan:
    """One scan: pages of batches until an empty page. Not to be called by two threads at once."""

    def __init__(self, database: Database, query: CorpusQuery) -> None:
        self._database = database
        self._where = str(database.path)
        self._transaction = database.begin_reading()
        self._page_bytes = FIRST_PAGE_BYTES
        try:
            with engine_errors(self._where):
                self._batches = _batches(self._transaction, query)
        except BaseException:
            self.close()
            raise

    def next_page(self) -> list[CorpusBatch]:
        """The next batches; empty when there are no more."""
        page: list[CorpusBatch] = []
        size = 0
        with engine_errors(self._where):
            for batch in self._batches:
                page.append(batch)
                size += len(batch.text)
                if size >= self._page_bytes:
                    break
        self._page_bytes = min(self._page_bytes * 2, PAGE_BYTES)
        return page

    def close(self) -> None:
        """Give the snapshot back."""
        self._batches = iter(())
        self._database.end_reading(self._transaction)


class _Limits(NamedTuple):
    """What a scan leaves out within a chunk. `runs_of` is set when only runs of some statuses count."""

    sources: frozenset[int]
    as_of: int | None
    older_than: int | None
    run_statuses: tuple[str, ...]
    few_sessions: bool


class _Part(NamedTuple):
    """A chunk inside a batch: where its text begins there, whose it is, and its documents as stored."""

    base: int
    session_id: str
    root: str
    documents: bytes
    runs: frozenset[str] | None


def _load(parts: tuple[_Part, ...], limits: _Limits) -> tuple[CorpusDocument, ...]:
    return tuple(document for part in parts for document in _part_documents(part, limits))


def _batches(tx: Transaction, query: CorpusQuery) -> Iterator[CorpusBatch]:
    limits = _limits(query)
    conditions = filter_conditions(query.scope, query.filter)
    streams: list[Iterator[CorpusBatch]] = []
    if _TITLES in limits.sources and not limits.run_statuses:
        streams.append(_title_batches(title_rows(tx, conditions, limits)))
    if limits.sources - {_TITLES}:
        streams.append(_chunk_batches(tx, query, chunk_rows(tx, conditions, limits), limits))
    return heapq.merge(*streams, key=lambda batch: -batch.newest)


def _limits(query: CorpusQuery) -> _Limits:
    wanted = query.filter
    return _Limits(
        sources=frozenset(SEARCH_SOURCES.index(source) for source in wanted.sources or SEARCH_SOURCES),
        as_of=None if query.as_of is None else feed.decode(query.as_of),
        older_than=query.older_than,
        run_statuses=wanted.run_statuses,
        few_sessions=bool(wanted.session_ids or wanted.roots or query.scope.session_ids is not None),
    )


def chunk_rows(
    tx: Transaction, conditions: list[Condition], limits: _Limits
) -> Iterable[tuple[int, str, str, bytes, bytes]]:
    """(newest_time, session_id, root, documents, text) of the chunks to look at, newest first."""
    if not limits.few_sessions:
        statement = chunk_statement(
            "c.newest_time, c.session_id, s.root_session_id, c.documents, c.text", conditions, limits
        )
        return tx.execute(statement.sql, statement.values)
    # the sorter would carry the texts: sort the row ids, then read one text after the other
    statement = chunk_statement("c.rowid, s.root_session_id", conditions, limits)
    return _rows_by_id(tx, tx.execute(statement.sql, statement.values).fetchall())


def _rows_by_id(tx: Transaction, found: list[tuple[int, str]]) -> Iterator[tuple[int, str, str, bytes, bytes]]:
    for rowid, root in found:
        row = tx.execute(
            "SELECT newest_time, session_id, documents, text FROM corpus_chunks WHERE rowid = ?", (rowid,)
        ).fetchone()
        yield row[0], row[1], root, row[2], row[3]


def chunk_statement(columns: str, conditions: list[Condition], limits: _Limits) -> Condition:
    """The statement over chunks and their sessions, and its values."""
    own = list(conditions)
    if limits.as_of is not None:
        own.append(Condition("c.first_position <= ?", (limits.as_of,)))
    if limits.older_than is not None:
        own.append(Condition("c.oldest_time < ?", (limits.older_than,)))
    return _statement(columns, "corpus_chunks AS c", "c", own, "c.newest_time", few_sessions=limits.few_sessions)


def title_rows(tx: Transaction, conditions: list[Condition], limits: _Limits) -> Iterable[tuple[int, str, str, bytes]]:
    """(set_at, session_id, root, folded) of the titles that are current, or were at `as_of`, newest first."""
    statement = title_statement(conditions, limits)
    return tx.execute(statement.sql, statement.values)


def title_statement(conditions: list[Condition], limits: _Limits) -> Condition:
    """The statement over titles and their sessions, and its values."""
    own = list(conditions)
    if limits.as_of is None:
        own.append(Condition("t.superseded_position IS NULL"))
    else:
        sql = "t.position <= ? AND (t.superseded_position IS NULL OR t.superseded_position > ?)"
        own.append(Condition(sql, (limits.as_of, limits.as_of)))
    if limits.older_than is not None:
        own.append(Condition("t.set_at < ?", (limits.older_than,)))
    columns = "t.set_at, t.session_id, s.root_session_id, t.folded"
    return _statement(columns, "session_titles AS t", "t", own, "t.set_at", few_sessions=limits.few_sessions)


def _statement(
    columns: str, table: str, alias: str, conditions: list[Condition], time: str, *, few_sessions: bool
) -> Condition:
    tables = f"sessions AS s CROSS JOIN {table}" if few_sessions else f"{table} CROSS JOIN sessions AS s"
    where = join(conditions)
    sql = (
        f"SELECT {columns} FROM {tables} "
        f"WHERE {alias}.namespace_id = s.namespace_id AND {alias}.session_id = s.session_id AND {where.sql} "
        f"ORDER BY {time} DESC, {alias}.session_id DESC"
    )
    return Condition(sql, where.values)


def _chunk_batches(
    tx: Transaction, query: CorpusQuery, rows: Iterable[tuple[int, str, str, bytes, bytes]], limits: _Limits
) -> Iterator[CorpusBatch]:
    runs = _Runs(tx, query.scope.namespace_id, limits.run_statuses)
    parts: list[_Part] = []
    texts: list[bytes] = []
    size = newest = 0
    for time, session_id, root, documents, text in rows:
        if texts and size + len(text) > BATCH_BYTES:
            yield _batch(newest, texts, parts, limits)
            parts, texts, size = [], [], 0
        if not texts:
            newest = time if limits.older_than is None else min(time, limits.older_than - 1)
        parts.append(_Part(size, session_id, root, documents, runs.of(session_id)))
        texts.append(text)
        size += len(text) + len(SEPARATOR)
    if texts:
        yield _batch(newest, texts, parts, limits)


def _batch(newest: int, texts: list[bytes], parts: list[_Part], limits: _Limits) -> CorpusBatch:
    text = texts[0] if len(texts) == 1 else SEPARATOR.join(texts)
    return CorpusBatch(newest=newest, text=text, load=partial(_load, tuple(parts), limits))


class _Runs:
    """The runs of a session that have one of the wanted statuses; None where every run counts."""

    def __init__(self, tx: Transaction, namespace_id: str, statuses: tuple[str, ...]) -> None:
        self._tx = tx
        self._namespace_id = namespace_id
        self._status = one_of("status", statuses) if statuses else None
        self._last: tuple[str, frozenset[str] | None] = ("", None)

    def of(self, session_id: str) -> frozenset[str] | None:
        if self._status is None or self._last[0] == session_id:
            return self._last[1]
        sql = f"SELECT run_id FROM runs WHERE namespace_id = ? AND session_id = ? AND {self._status.sql}"
        rows = self._tx.execute(sql, (self._namespace_id, session_id, *self._status.values))
        self._last = (session_id, frozenset(row[0] for row in rows))
        return self._last[1]


def _part_documents(part: _Part, limits: _Limits) -> Iterator[CorpusDocument]:
    for document in decode_documents(part.documents):
        if document.source not in limits.sources or (part.runs is not None and document.run_id not in part.runs):
            continue
        if limits.as_of is not None and document.position > limits.as_of:
            continue
        if limits.older_than is not None and document.time >= limits.older_than:
            continue
        start = part.base + document.start
        yield CorpusDocument(
            ref=document.ref(part.session_id),
            root_session_id=part.root,
            time=document.time,
            start=start,
            end=start + document.size,
            identity=document.identity,
        )


def _title_batches(rows: Iterable[tuple[int, str, str, bytes]]) -> Iterator[CorpusBatch]:
    gathered: list[tuple[int, str, str, bytes]] = []
    size = TITLES_FIRST
    for row in rows:
        gathered.append(row)
        if len(gathered) >= size:
            yield _title_batch(gathered)
            gathered, size = [], min(size * 2, TITLES_MAX)
    if gathered:
        yield _title_batch(gathered)


def _title_batch(rows: list[tuple[int, str, str, bytes]]) -> CorpusBatch:
    text = SEPARATOR.join(row[3] for row in rows)
    return CorpusBatch(newest=rows[0][0], text=text, load=partial(_load_titles, tuple(rows)))


def _load_titles(rows: tuple[tuple[int, str, str, bytes], ...]) -> tuple[CorpusDocument, ...]:
    documents = []
    start = 0
    for set_at, session_id, root, folded in rows:
        ref = DocumentRef(session_id=session_id, source="session_metadata")
        end = start + len(folded)
        documents.append(CorpusDocument(ref=ref, root_session_id=root, time=set_at, start=start, end=end))
        start = end + len(SEPARATOR)
    return tuple(documents)


def explain(tx: Transaction, statement: Condition) -> tuple[str, ...]:
    """How the engine would run a statement; for tests and the doctor."""
    rows: sqlite3.Cursor = tx.execute(f"EXPLAIN QUERY PLAN {statement.sql}", statement.values)
    return tuple(_detail(row) for row in rows)


def _detail(row: tuple[Any, ...]) -> str:
    return str(row[3])


__all__ = ["CorpusScan", "chunk_statement", "explain", "title_statement"]
