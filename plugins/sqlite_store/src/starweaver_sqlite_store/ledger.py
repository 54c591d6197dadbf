"""The importers' ledger: what was read of each item, checked by version when it is written."""

# ruff: noqa: S608  names in statements are constants of this package; every value is a parameter

from __future__ import annotations

from typing import Any

import msgspec

from starweaver_host.contract.errors import StoreError
from starweaver_host.contract.transcripts import LedgerEntry

from .database import Transaction

_COLUMNS = "item_key, fingerprint, reader_version, session_ids, skipped_records, complete, note, version"
_SESSION_IDS = msgspec.json.Decoder(tuple[str, ...])


def entries(tx: Transaction, namespace_id: str, source: str) -> dict[str, LedgerEntry]:
    """Item key -> entry without its state."""
    rows = tx.execute(
        f"SELECT {_COLUMNS} FROM import_ledger WHERE namespace_id = ? AND source = ?",
        (namespace_id, source),
    )
    return {row[0]: _entry(row) for row in rows}


def _entry(row: tuple[Any, ...]) -> LedgerEntry:
    """The entry of a row of _COLUMNS. A damaged one is of no reader: its item is read anew, which mends it."""
    entry = LedgerEntry(
        item_key=row[0],
        fingerprint=row[1],
        reader_version=row[2],
        skipped_records=row[4],
        complete=bool(row[5]),
        note=row[6],
        version=row[7],
    )
    try:
        return msgspec.structs.replace(entry, session_ids=_SESSION_IDS.decode(row[3]))
    except msgspec.MsgspecError:
        return msgspec.structs.replace(entry, fingerprint="", reader_version=0, complete=False)


def state(tx: Transaction, namespace_id: str, source: str, item_key: str) -> bytes | None:
    """The resume state of one item."""
    row = tx.execute(
        "SELECT state FROM import_ledger WHERE namespace_id = ? AND source = ? AND item_key = ?",
        (namespace_id, source, item_key),
    ).fetchone()
    return None if row is None else row[0]


def write(tx: Transaction, namespace_id: str, source: str, entry: LedgerEntry) -> int:
    """Write an entry that was read at `entry.version`; returns its new version."""
    key = (namespace_id, source, entry.item_key)
    row = tx.execute(
        "SELECT version FROM import_ledger WHERE namespace_id = ? AND source = ? AND item_key = ?", key
    ).fetchone()
    found = 0 if row is None else int(row[0])
    if found != entry.version:
        raise StoreError(
            "conflict",
            f"ledger version {entry.version} was wanted, found {found} of {entry.item_key!r}",
            hint="another process imported this item: read its entry again",
        )
    tx.execute(
        "INSERT OR REPLACE INTO import_ledger VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *key,
            entry.fingerprint,
            entry.reader_version,
            msgspec.json.encode(entry.session_ids).decode(),
            entry.skipped_records,
            entry.complete,
            entry.note,
            found + 1,
            entry.state,
        ),
    )
    return found + 1


__all__ = ["entries", "state", "write"]
