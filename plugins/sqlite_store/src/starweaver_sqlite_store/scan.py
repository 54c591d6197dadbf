"""Scanning the corpus newest first: chunks and titles as two streams, merged by time, read inside one snapshot.

What describes documents is carried along in its stored form and decoded by the consumer's `documents()`, so a miss
costs the read of the text.
"""

# ruff: noqa: S608  names in statements are constants of this package; every value is a parameter

from __future__ import annotations

import heapq
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from threading import Lock
from typing import NamedTuple

from starweaver_host.contract.corpus import CorpusBatch, CorpusDocument, CorpusQuery, DocumentRef
from starweaver_host.contract.errors import StoreError

from . import feed
from .chunks import SEPARATOR, ChunkDocument, decode_documents
from .conditions import one_of
from .database import Database, Transaction
from .errors import engine_errors
from .scan_rows import TITLES, Limits, TitleRow, limits_of, read_chunks, read_titles

BATCH_BYTES = 32 * 1024
"""Small chunks are joined until they are this much text; beyond it, handing a chunk on costs less than copying it."""
FIRST_PAGE_BYTES = 64 * 1024
PAGE_BYTES = 1024 * 1024
"""Text handed over at once, at most one batch more; it grows from the first so that a common word is answered fast."""
TITLES_FIRST, TITLES_MAX = 32, 512


class CorpusScan:
    """One scan: pages of batches until an empty page. Its snapshot begins with the first page.

    Pages are asked for one at a time. `close` may come while one is being read on another thread, as it does when the
    consumer is cancelled: the connection is then handed back by that thread when it is done, never under its hands.
    """

    def __init__(self, database: Database, query: CorpusQuery) -> None:
        self._database = database
        self._query = query
        self._lock = Lock()
        self._is_reading = self._is_closed = False
        self._transaction: Transaction | None = None
        self._batches: Iterator[CorpusBatch] = iter(())
        self._page_bytes = FIRST_PAGE_BYTES

    def next_page(self) -> list[CorpusBatch]:
        """The next batches; empty when there are no more, and after `close`."""
        with self._lock:
            if self._is_closed:
                return []
            self._is_reading = True
        try:
            with engine_errors(str(self._database.path)):
                return self._read_page()
        finally:
            self._end_page()

    def close(self) -> None:
        """Give the snapshot back, or leave that to the page that is being read. Waits for nothing."""
        with self._lock:
            self._is_closed = True
            if not self._is_reading:
                self._give_back()

    def _read_page(self) -> list[CorpusBatch]:
        if self._transaction is None:
            self._transaction = self._database.begin_reading()
            self._batches = _batches(self._transaction, self._query)
        page: list[CorpusBatch] = []
        size = 0
        for batch in self._batches:
            page.append(batch)
            size += len(batch.text)
            if size >= self._page_bytes or self._is_closed:
                break
        self._page_bytes = min(self._page_bytes * 2, PAGE_BYTES)
        return page

    def _end_page(self) -> None:
        with self._lock:
            self._is_reading = False
            if self._is_closed:
                self._give_back()

    def _give_back(self) -> None:
        self._batches = iter(())
        if self._transaction is not None:
            self._database.end_reading(self._transaction)
            self._transaction = None


class _Part(NamedTuple):
    """A chunk inside a batch: where its text begins there and how long it is, whose, and its documents as stored.

    `hidden_runs` are those whose documents do not count.
    """

    base: int
    size: int
    session_id: str
    root: str
    documents: bytes
    hidden_runs: frozenset[str | None]


def _batches(tx: Transaction, query: CorpusQuery) -> Iterator[CorpusBatch]:
    limits = limits_of(query)
    if query.beyond is not None:
        feed.reached(query.beyond, feed.current(tx, query.scope.namespace_id))
    streams: list[Iterator[CorpusBatch]] = []
    if TITLES in limits.sources:
        streams.append(_title_batches(read_titles(tx, query, limits)))
    if limits.sources - {TITLES}:
        streams.append(_chunk_batches(tx, query, limits))
    return heapq.merge(*streams, key=lambda batch: -batch.newest)


def _chunk_batches(tx: Transaction, query: CorpusQuery, limits: Limits) -> Iterator[CorpusBatch]:
    hidden = _HiddenRuns(tx, query.scope.namespace_id, limits.run_statuses)
    parts: list[_Part] = []
    texts: list[bytes] = []
    size = newest = 0
    for newest_time, session_id, root, documents, text in read_chunks(tx, query, limits):
        if texts and max(size, len(text)) >= BATCH_BYTES:
            yield _batch(newest, texts, parts, limits)
            parts, texts, size = [], [], 0
        if not texts:
            newest = newest_time if limits.older_than is None else min(newest_time, limits.older_than - 1)
        parts.append(_Part(size, len(text), session_id, root, documents, hidden.of(session_id)))
        texts.append(text)
        size += len(text) + len(SEPARATOR)
    if texts:
        yield _batch(newest, texts, parts, limits)


def _batch(newest: int, texts: list[bytes], parts: list[_Part], limits: Limits) -> CorpusBatch:
    text = texts[0] if len(texts) == 1 else SEPARATOR.join(texts)
    held, damaged = tuple(parts), set[int]()
    return CorpusBatch(
        newest=newest,
        text=text,
        load=partial(_load, held, limits, damaged),
        locate=partial(_locate, held, limits, damaged),
        damage=damaged.__len__,
    )


class _HiddenRuns:
    """Runs of a session that have none of the wanted statuses; keeps the answer for the session asked for last."""

    def __init__(self, tx: Transaction, namespace_id: str, statuses: tuple[str, ...]) -> None:
        self._tx = tx
        self._namespace_id = namespace_id
        self._status = one_of("status", statuses) if statuses else None
        self._last: tuple[str, frozenset[str | None]] = ("", frozenset())

    def of(self, session_id: str) -> frozenset[str | None]:
        """The run ids. What belongs to no run is never hidden."""
        if self._status is not None and self._last[0] != session_id:
            sql = f"SELECT run_id FROM runs WHERE namespace_id = ? AND session_id = ? AND NOT {self._status.sql}"
            rows = self._tx.execute(sql, (self._namespace_id, session_id, *self._status.values))
            self._last = (session_id, frozenset(row[0] for row in rows))
        return self._last[1]


def _load(parts: tuple[_Part, ...], limits: Limits, damaged: set[int]) -> tuple[CorpusDocument, ...]:
    return tuple(document for part in parts for document in _part_documents(part, limits, damaged))


def _locate(
    parts: tuple[_Part, ...], limits: Limits, damaged: set[int], places: Sequence[int]
) -> tuple[CorpusDocument, ...]:
    """The documents at some places; of a chunk without any, nothing is decoded."""
    found: list[CorpusDocument] = []
    bases = [part.base for part in parts[1:]]
    ends = [*(bisect_left(places, base) for base in bases), len(places)]
    for part, first, end in zip(parts, [0, *ends], ends, strict=False):
        if first < end:
            found += _part_documents_at(part, limits, damaged, places[first:end])
    return tuple(found)


def _decoded(part: _Part, damaged: set[int]) -> list[ChunkDocument]:
    """A part's documents. One that cannot be read is noted and has none: it must not hide its neighbours."""
    try:
        return decode_documents(part.session_id, part.documents, part.size)
    except StoreError:
        damaged.add(part.base)
        return []


def _part_documents(part: _Part, limits: Limits, damaged: set[int]) -> Iterator[CorpusDocument]:
    for document in _decoded(part, damaged):
        if _is_seen(document, part, limits):
            yield _document(document, part)


def _part_documents_at(
    part: _Part, limits: Limits, damaged: set[int], places: Sequence[int]
) -> Iterator[CorpusDocument]:
    documents = _decoded(part, damaged)
    starts = [document.start for document in documents]
    last = -1
    for place in places:
        at = bisect_right(starts, place - part.base) - 1
        if at <= last:  # also where nothing begins before the place
            continue
        last, document = at, documents[at]
        if place - part.base < document.start + document.size and _is_seen(document, part, limits):
            yield _document(document, part)


def _is_seen(document: ChunkDocument, part: _Part, limits: Limits) -> bool:
    if document.source not in limits.sources or document.run_id in part.hidden_runs:
        return False
    if document.superseded is not None and (limits.as_of is None or document.superseded <= limits.as_of):
        return False
    if document.position <= limits.beyond or (limits.as_of is not None and document.position > limits.as_of):
        return False
    return limits.older_than is None or document.time < limits.older_than


def _document(document: ChunkDocument, part: _Part) -> CorpusDocument:
    start = part.base + document.start
    return CorpusDocument(
        ref=document.ref(part.session_id),
        root_session_id=part.root,
        time=document.time,
        start=start,
        end=start + document.size,
        identity=document.identity,
    )


def _title_batches(rows: Iterable[TitleRow]) -> Iterator[CorpusBatch]:
    gathered: list[TitleRow] = []
    size = TITLES_FIRST
    for row in rows:
        gathered.append(row)
        if len(gathered) >= size:
            yield _title_batch(gathered)
            gathered, size = [], min(size * 2, TITLES_MAX)
    if gathered:
        yield _title_batch(gathered)


def _title_batch(rows: list[TitleRow]) -> CorpusBatch:
    text = SEPARATOR.join(row.folded for row in rows)
    return CorpusBatch(newest=rows[0].set_at, text=text, load=partial(_load_titles, tuple(rows)))


def _load_titles(rows: tuple[TitleRow, ...]) -> tuple[CorpusDocument, ...]:
    documents = []
    start = 0
    for row in rows:
        ref = DocumentRef(session_id=row.session_id, source="session_metadata")
        end = start + len(row.folded)
        documents.append(CorpusDocument(ref=ref, root_session_id=row.root, time=row.set_at, start=start, end=end))
        start = end + len(SEPARATOR)
    return tuple(documents)


__all__ = ["CorpusScan"]
