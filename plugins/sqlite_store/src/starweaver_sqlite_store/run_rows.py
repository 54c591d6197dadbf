"""Runs as rows, and what a written run means for its session: counts, head, active slot and documents."""

# ruff: noqa: S608  names in statements are constants of this package; every value is a parameter

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import msgspec

from starweaver_host.contract.corpus import DocumentRef
from starweaver_host.contract.errors import StoreError
from starweaver_host.contract.records import Cause, InputPart, Run, RunKey, TerminalError
from starweaver_host.projection.documents import NO_IDENTITIES, RunIdentities, TextDocument, run_documents

from . import chunks
from .database import Transaction
from .packing import pack, unpack

RUN_COLUMNS = (
    "namespace_id, session_id, run_id, sequence_no, status, trigger, error_code, error_message, "
    "profile, parent_run_id, caused_by, revision, created_at, started_at, ended_at, updated_at, texts_codec, texts"
)
ACTIVE = "('queued', 'starting', 'running', 'waiting')"
_ALL_COLUMNS = [*(column.strip() for column in RUN_COLUMNS.split(",")), "input_identity", "output_identity"]
_UPSERT = (
    f"INSERT INTO runs ({', '.join(_ALL_COLUMNS)}) VALUES ({', '.join('?' * len(_ALL_COLUMNS))}) "
    "ON CONFLICT (namespace_id, session_id, run_id) DO UPDATE SET "
    + ", ".join(f"{column} = excluded.{column}" for column in _ALL_COLUMNS[3:])
)
_TEXTS = msgspec.json.Decoder(tuple[tuple[InputPart, ...], str | None])


class StoredRun(NamedTuple):
    """A run with the identity hashes of its input and output messages."""

    run: Run
    identities: RunIdentities = NO_IDENTITIES


def run_from_row(row: tuple[Any, ...]) -> Run:
    """The Run of a row of RUN_COLUMNS; `corrupt` names session and run if it is damaged."""
    try:
        cause = None if row[10] is None else msgspec.json.decode(row[10], type=Cause)
        parts, output_preview = _TEXTS.decode(unpack(row[16], row[17]))
    except (zlib.error, msgspec.MsgspecError, UnicodeDecodeError) as damage:
        raise StoreError(
            "corrupt",
            f"run {row[2]!r} of session {row[1]!r} was wanted, found damaged",
            hint="other runs can be read; restore the file from a backup, or import this session again",
        ) from damage
    error = None if row[6] is None else TerminalError(code=row[6], message=row[7])
    return Run(
        namespace_id=row[0],
        session_id=row[1],
        run_id=row[2],
        sequence_no=row[3],
        status=row[4],
        trigger=row[5],
        output_preview=output_preview,
        terminal_error=error,
        profile=row[8],
        parent_run_id=row[9],
        caused_by=cause,
        revision=row[11],
        created_at=row[12],
        started_at=row[13],
        ended_at=row[14],
        updated_at=row[15],
        input=parts,
    )


def readable_runs(rows: Iterable[tuple[Any, ...]]) -> Iterator[Run]:
    """The runs of rows of RUN_COLUMNS, without the damaged ones: one must not hide the others."""
    for row in rows:
        try:
            yield run_from_row(row)
        except StoreError:
            continue


def find_run(tx: Transaction, key: RunKey) -> StoredRun | None:
    """A run by identity."""
    row = tx.execute(
        f"SELECT {RUN_COLUMNS}, input_identity, output_identity FROM runs "
        "WHERE namespace_id = ? AND session_id = ? AND run_id = ?",
        (key.namespace_id, key.session_id, key.run_id),
    ).fetchone()
    return None if row is None else StoredRun(run_from_row(row[:-2]), RunIdentities(*row[-2:]))


def run_not_found(key: RunKey) -> StoreError:
    """The error for a run that is absent or outside the scope."""
    return StoreError("not_found", f"run {key.run_id!r} of session {key.session_id!r} was wanted, found none")


def write_run(tx: Transaction, stored: StoredRun) -> None:
    """Insert a run, or replace the row of the same run."""
    run = stored.run
    error, cause = run.terminal_error, run.caused_by
    values = (
        run.namespace_id,
        run.session_id,
        run.run_id,
        run.sequence_no,
        run.status,
        run.trigger,
        error.code if error else None,
        error.message if error else None,
        run.profile,
        run.parent_run_id,
        msgspec.json.encode(cause).decode() if cause else None,
        run.revision,
        run.created_at,
        run.started_at,
        run.ended_at,
        run.updated_at,
        *pack(msgspec.json.encode((run.input, run.output_preview))),
        *stored.identities,
    )
    tx.execute(_UPSERT, values)


class DocumentChange(NamedTuple):
    """What a change of runs puts on the corpus, and takes off it: for good, or from the scans to come."""

    replaced: list[DocumentRef]
    pruned: list[DocumentRef]
    added: list[TextDocument]

    def apply(self, tx: Transaction, namespace_id: str, session_id: str, position: int) -> None:
        """Write the change."""
        chunks.supersede_documents(tx, namespace_id, session_id, self.replaced, position)
        chunks.drop_documents(tx, namespace_id, session_id, self.pruned)
        chunks.append_documents(tx, namespace_id, session_id, self.added, position)


def document_change(pairs: Iterable[tuple[StoredRun | None, StoredRun | None]]) -> DocumentChange:
    """The difference between runs as they were and as they are; a document that stays the same is not rewritten."""
    change = DocumentChange([], [], [])
    for before, after in pairs:
        old = {} if before is None else {document.ref: document for document in run_documents(*before)}
        new = {} if after is None else {document.ref: document for document in run_documents(*after)}
        gone = change.pruned if after is None else change.replaced
        gone.extend(ref for ref, document in old.items() if new.get(ref) != document)
        change.added.extend(document for ref, document in new.items() if old.get(ref) != document)
    return change


__all__ = [
    "ACTIVE",
    "RUN_COLUMNS",
    "DocumentChange",
    "StoredRun",
    "document_change",
    "find_run",
    "readable_runs",
    "run_from_row",
    "run_not_found",
    "write_run",
]
