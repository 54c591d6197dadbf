"""The search corpus as chunks: the folded texts of many documents of one session in one value.

New documents go to the session's last chunks, which are merged until they are full; a full chunk is not written again,
except that a document may be marked as superseded, or taken off its list. A superseded document is for scans as of an
older position only; when its chunk is merged it stays while DEAD_BYTES allow, and what does not is noted in `rewrites`.
What describes a document is this module's own compact form, decoded
only when a scan found something in the text.
"""

# ruff: noqa: S608  names in statements are constants of this package; every value is a parameter

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, NamedTuple

import msgspec
from msgspec import structs

from starweaver_host.contract.corpus import SEARCH_SOURCES, DocumentRef
from starweaver_host.contract.errors import StoreError

from . import rewrites
from .database import Transaction

if TYPE_CHECKING:
    from starweaver_host.projection.documents import TextDocument

FULL_BYTES = 256 * 1024
TAIL_MAX = 32
"""Unfilled chunks a session may end with."""
MERGE_FACTOR = 4
"""An unfilled end is rewritten when it is at most this many times what is added."""
DEAD_BYTES = 16 * 1024
"""Most text of superseded documents that a merge keeps."""
SEPARATOR = b"\0"


class ChunkDocument(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """One document of a chunk. `source` indexes SEARCH_SOURCES; `start` and `size` are bytes of the chunk's text.

    `position` is the feed position at which the document became visible, `superseded` the one at which another took
    its place.
    """

    source: Annotated[int, msgspec.Meta(ge=0, lt=len(SEARCH_SOURCES))]
    run_id: str | None
    part: int
    seq: int | None
    time: int
    start: Annotated[int, msgspec.Meta(ge=0)]
    size: Annotated[int, msgspec.Meta(ge=0)]
    position: int
    identity: bytes | None
    superseded: int | None = None

    def ref(self, session_id: str) -> DocumentRef:
        """Where the document's original text lives."""
        source = SEARCH_SOURCES[self.source]
        return DocumentRef(session_id=session_id, source=source, run_id=self.run_id, part=self.part, seq=self.seq)


class _Piece(NamedTuple):
    document: ChunkDocument
    text: bytes


_DECODER = msgspec.msgpack.Decoder(list[ChunkDocument])
_ENCODER = msgspec.msgpack.Encoder()


def decode_documents(session_id: str, data: bytes, text_bytes: int) -> list[ChunkDocument]:
    """What describes the documents of a chunk with so much text, ascending by start; `corrupt` if it is damaged."""
    try:
        documents = _DECODER.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise _damaged(session_id) from error
    if documents and documents[-1].start + documents[-1].size > text_bytes:
        raise _damaged(session_id)
    return documents


def _damaged(session_id: str) -> StoreError:
    return StoreError(
        "corrupt",
        f"a chunk of the corpus of session {session_id!r} was wanted, found damaged",
        hint="other sessions are found; import this session again, or rebuild the corpus",
    )


def append_documents(
    tx: Transaction, namespace_id: str, session_id: str, documents: Iterable[TextDocument], position: int
) -> None:
    """Fold documents and put them at the end of a session's corpus."""
    pieces = [_piece(document, position) for document in documents]
    if not pieces:
        return
    tail = _tail(tx, namespace_id, session_id, sum(len(piece.text) for piece in pieces))
    taken = _take(tx, namespace_id, session_id, tail[-1]) if tail else None
    next_no = tail[-1] if taken is not None else _next_no(tx, namespace_id, session_id)
    pieces = [*_kept(tx, namespace_id, session_id, taken or ()), *pieces]
    rows = [(namespace_id, session_id, *row) for row in _rows(next_no, pieces)]
    tx.connection.executemany("INSERT INTO corpus_chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)


def drop_documents(tx: Transaction, namespace_id: str, session_id: str, refs: Iterable[DocumentRef]) -> None:
    """Take documents off the corpus, superseded ones of the same place too. Looks at all chunks of the session.

    The text stays until its chunk is merged; without a document on the list it matches nothing.
    """
    wanted = set(refs)
    for key in _newest_first(tx, namespace_id, session_id) if wanted else ():
        documents = _documents(tx, key)
        _rewrite_list(tx, key, documents, [each for each in documents if each.ref(session_id) not in wanted])


def supersede_documents(
    tx: Transaction, namespace_id: str, session_id: str, refs: Iterable[DocumentRef], position: int
) -> None:
    """Leave documents to scans as of before `position`.

    Looks from the session's newest chunk on and stops when all were found.
    """
    wanted = set(refs)
    for key in _newest_first(tx, namespace_id, session_id):
        if not wanted:
            return
        documents = _documents(tx, key)
        found = {ref for each in documents if each.superseded is None and (ref := each.ref(session_id)) in wanted}
        marked = [
            structs.replace(each, superseded=position)
            if each.superseded is None and each.ref(session_id) in found
            else each
            for each in documents
        ]
        _rewrite_list(tx, key, documents, marked)
        wanted -= found


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


def _take(tx: Transaction, namespace_id: str, session_id: str, from_no: int) -> list[_Piece] | None:
    """Remove the chunks from `from_no` on and return what is alive in them, in order.

    None, and all of them stay, if one is damaged: it is left for the check to report.
    """
    key = (namespace_id, session_id, from_no)
    rows = tx.execute(
        "SELECT documents, text FROM corpus_chunks WHERE namespace_id = ? AND session_id = ? AND chunk_no >= ? "
        "ORDER BY chunk_no",
        key,
    ).fetchall()
    try:
        alive = [
            _Piece(document, text[document.start : document.start + document.size])
            for documents, text in rows
            for document in decode_documents(session_id, documents, len(text))
        ]
    except StoreError:
        return None
    tx.execute("DELETE FROM corpus_chunks WHERE namespace_id = ? AND session_id = ? AND chunk_no >= ?", key)
    return alive


def _kept(tx: Transaction, namespace_id: str, session_id: str, pieces: Sequence[_Piece]) -> list[_Piece]:
    """The pieces that a merge writes again: what stands, and what was superseded last; the loss of others is noted."""
    dead = [(piece.document.superseded, at) for at, piece in enumerate(pieces) if piece.document.superseded is not None]
    room, lost, forgotten = DEAD_BYTES, 0, set()
    for position, at in sorted(dead, reverse=True):
        room -= len(pieces[at].text)
        if room < 0:
            lost = max(lost, position)
            forgotten.add(at)
    if forgotten:
        rewrites.note(tx, namespace_id, session_id, lost)
    return [piece for at, piece in enumerate(pieces) if at not in forgotten]


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
        document.superseded,
    )


ChunkKey = tuple[str, str, int]
"""(namespace_id, session_id, chunk_no)"""
_WHERE = "WHERE namespace_id = ? AND session_id = ? AND chunk_no = ?"


def _newest_first(tx: Transaction, namespace_id: str, session_id: str) -> list[ChunkKey]:
    rows = tx.execute(
        "SELECT chunk_no FROM corpus_chunks WHERE namespace_id = ? AND session_id = ? ORDER BY chunk_no DESC",
        (namespace_id, session_id),
    ).fetchall()
    return [(namespace_id, session_id, row[0]) for row in rows]


def _documents(tx: Transaction, key: ChunkKey) -> list[ChunkDocument]:
    """A chunk's documents; none of a damaged one: nothing in it is found, so there is nothing to take off."""
    data, text_bytes = tx.execute(f"SELECT documents, text_bytes FROM corpus_chunks {_WHERE}", key).fetchone()
    try:
        return decode_documents(key[1], data, text_bytes)
    except StoreError:
        return []


def _rewrite_list(tx: Transaction, key: ChunkKey, before: list[ChunkDocument], after: list[ChunkDocument]) -> None:
    """Write a chunk's list of documents where it changed; a chunk that lost its last one goes."""
    if before and not after:
        tx.execute(f"DELETE FROM corpus_chunks {_WHERE}", key)
    elif before != after:
        tx.execute(f"UPDATE corpus_chunks SET documents = ? {_WHERE}", (_ENCODER.encode(after), *key))


__all__ = [
    "FULL_BYTES",
    "SEPARATOR",
    "TAIL_MAX",
    "ChunkDocument",
    "append_documents",
    "clear",
    "decode_documents",
    "drop_documents",
    "supersede_documents",
]
