"""The search corpus as chunks: the folded texts of many documents of one session in one value.

New documents go to the session's last chunks, which are merged until they are full; a full chunk is not written again,
except that a document may be taken off its list. What describes a document is this module's own compact form, decoded
only when a scan found something in the text.
"""

# ruff: noqa: S608  names in statements are constants of this package; every value is a parameter

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from starweaver_host.contract.corpus import SEARCH_SOURCES, DocumentRef

from .database import Transaction

if TYPE_CHECKING:
    from starweaver_host.projection.documents import TextDocument

FULL_BYTES = 256 * 1024
TAIL_MAX = 32
"""Unfilled chunks a session may end with."""
MERGE_FACTOR = 4
"""An unfilled end is rewritten when it is at most this many times what is added."""
SEPARATOR = b"\0"


class ChunkDocument(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """One document of a chunk. `source` indexes SEARCH_SOURCES; `start` and `size` are bytes of the chunk's text.

    `position` is the feed position at which the document became visible.
    """

    source: int
    run_id: str | None
    part: int
    seq: int | None
    time: int
    start: int
    size: int
    position: int
    identity: bytes | None

    def ref(self, session_id: str) -> DocumentRef:
        """Where the document's original text lives."""
        source = SEARCH_SOURCES[self.source]
        return DocumentRef(session_id=session_id, source=source, run_id=self.run_id, part=self.part, seq=self.seq)


class _Piece(NamedTuple):
    document: ChunkDocument
    text: bytes


_DECODER = msgspec.msgpack.Decoder(list[ChunkDocument])
_ENCODER = msgspec.msgpack.Encoder()


def decode_documents(data: bytes) -> list[ChunkDocument]:
    """What describes the documents of a chunk, ascending by start."""
    return _DECODER.decode(data)


def append_documents(
    tx: Transaction, namespace_id: str, session_id: str, documents: Iterable[TextDocument], position: int
) -> None:
    """Fold documents and put them at the end of a session's corpus."""
    pieces = [_piece(document, position) for document in documents]
    if not pieces:
        return
    tail = _tail(tx, namespace_id, session_id, sum(len(piece.text) for piece in pieces))
    next_no = tail[-1] if tail else _next_no(tx, namespace_id, session_id)
    if tail:
        pieces = [*_take(tx, namespace_id, session_id, next_no), *pieces]
    rows = [(namespace_id, session_id, *row) for row in _rows(next_no, pieces)]
    tx.connection.executemany("INSERT INTO corpus_chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)


def drop_documents(tx: Transaction, namespace_id: str, session_id: str, refs: Iterable[DocumentRef]) -> None:
    """Take documents off the corpus. Looks from the session's newest chunk on and stops when all were found.

    The text stays until its chunk is merged; without a document on the list it matches nothing.
    """
    wanted = set(refs)
    if not wanted:
        return
    numbers = tx.execute(
        "SELECT chunk_no FROM corpus_chunks WHERE namespace_id = ? AND session_id = ? ORDER BY chunk_no DESC",
        (namespace_id, session_id),
    ).fetchall()
    for (chunk_no,) in numbers:
        wanted -= _drop_from(tx, (namespace_id, session_id, chunk_no), wanted)
        if not wanted:
            return


def clear(tx: Transaction, namespace_id: str, session_id: str) -> None:
    """Remove a session's corpus."""
    tx.execute("DELETE FROM corpus_chunks WHERE namespace_id = ? AND session_id = ?", (namespace_id, session_id))


def _piece(document: TextDocument, position: int) -> _Piece:
    from starweaver_host.projection.folding import fold

    ref, text = document.ref, fold(document.text).encode()
    place = ChunkDocument(
        SEARCH_SOURCES.index(ref.source),
        ref.run_id,
        ref.part,
        ref.seq,
        document.time,
        0,
        len(text),
        position,
        document.identity,
    )
    return _Piece(place, text)


def _tail(tx: Transaction, namespace_id: str, session_id: str, added_bytes: int) -> list[int]:
    """Numbers of the unfilled chunks to rewrite, descending; none while they are few and long against the addition."""
    rows = tx.execute(
        "SELECT chunk_no, text_bytes FROM corpus_chunks WHERE namespace_id = ? AND session_id = ? "
        "ORDER BY chunk_no DESC LIMIT ?",
        (namespace_id, session_id, TAIL_MAX),
    ).fetchall()
    unfilled = []
    for chunk_no, text_bytes in rows:
        if text_bytes * 4 > FULL_BYTES * 3:
            break
        unfilled.append((chunk_no, text_bytes))
    if len(unfilled) < TAIL_MAX - 1 and sum(row[1] for row in unfilled) > MERGE_FACTOR * added_bytes:
        return []
    return [row[0] for row in unfilled]


def _next_no(tx: Transaction, namespace_id: str, session_id: str) -> int:
    row = tx.execute(
        "SELECT max(chunk_no) FROM corpus_chunks WHERE namespace_id = ? AND session_id = ?",
        (namespace_id, session_id),
    ).fetchone()
    return 0 if row[0] is None else int(row[0]) + 1


def _take(tx: Transaction, namespace_id: str, session_id: str, from_no: int) -> list[_Piece]:
    """Remove the chunks from `from_no` on and return what is alive in them, in order."""
    key = (namespace_id, session_id, from_no)
    rows = tx.execute(
        "SELECT documents, text FROM corpus_chunks WHERE namespace_id = ? AND session_id = ? AND chunk_no >= ? "
        "ORDER BY chunk_no",
        key,
    ).fetchall()
    tx.execute("DELETE FROM corpus_chunks WHERE namespace_id = ? AND session_id = ? AND chunk_no >= ?", key)
    return [
        _Piece(document, text[document.start : document.start + document.size])
        for documents, text in rows
        for document in decode_documents(documents)
    ]


def _rows(chunk_no: int, pieces: Sequence[_Piece]) -> Iterator[tuple[int, int, int, int, int, bytes, bytes]]:
    gathered: list[_Piece] = []
    size = 0
    for piece in pieces:
        if gathered and size + len(piece.text) > FULL_BYTES:
            yield _row(chunk_no, gathered)
            chunk_no, gathered, size = chunk_no + 1, [], 0
        gathered.append(piece)
        size += len(piece.text) + 1
    yield _row(chunk_no, gathered)


def _row(chunk_no: int, pieces: Sequence[_Piece]) -> tuple[int, int, int, int, int, bytes, bytes]:
    documents = []
    start = 0
    for document, text in pieces:
        documents.append(_moved(document, start))
        start += len(text) + 1
    times = [document.time for document in documents]
    text = SEPARATOR.join(piece.text for piece in pieces)
    first_position = min(document.position for document in documents)
    return (chunk_no, max(times), min(times), first_position, len(text), _ENCODER.encode(documents), text)


def _moved(document: ChunkDocument, start: int) -> ChunkDocument:
    return ChunkDocument(
        document.source,
        document.run_id,
        document.part,
        document.seq,
        document.time,
        start,
        document.size,
        document.position,
        document.identity,
    )


def _drop_from(tx: Transaction, key: tuple[str, str, int], wanted: set[DocumentRef]) -> set[DocumentRef]:
    where = "WHERE namespace_id = ? AND session_id = ? AND chunk_no = ?"
    data = tx.execute(f"SELECT documents FROM corpus_chunks {where}", key).fetchone()[0]
    documents = decode_documents(data)
    kept = [document for document in documents if document.ref(key[1]) not in wanted]
    if not kept:
        tx.execute(f"DELETE FROM corpus_chunks {where}", key)
    elif len(kept) < len(documents):
        tx.execute(f"UPDATE corpus_chunks SET documents = ? {where}", (_ENCODER.encode(kept), *key))
    return wanted.intersection(document.ref(key[1]) for document in documents)


__all__ = [
    "FULL_BYTES",
    "SEPARATOR",
    "TAIL_MAX",
    "ChunkDocument",
    "append_documents",
    "clear",
    "decode_documents",
    "drop_documents",
]
