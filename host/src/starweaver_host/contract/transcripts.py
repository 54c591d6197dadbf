"""Importers: how a foreign transcript becomes sessions and events, and what the store keeps about it.

A `TranscriptSource` knows one tool's storage. It lists roots, finds items (a file, or one session inside a shared
database), and reads an item into steps, from the start or from where it stopped. It is synchronous, opens everything
read-only, follows no link out of its root and holds no file in memory. The importing service drives it, folds runs out
of its events and stores them in batches.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

from .events import NewEvent
from .records import Run, SessionHeader, TitleSource
from .values import Value

TOOL_RESULT_MAX_BYTES = 64 * 1024
"""Default bound of a stored tool result; its original size is always recorded."""


class SourceEnvironment(Value, frozen=True, kw_only=True):
    """Where a source may look: the home directory, the environment, and roots a person added for this source.

    `tool_result_max_bytes` bounds what is kept of one tool result.
    """

    home: Path
    environ: Mapping[str, str]
    extra_roots: tuple[Path, ...] = ()
    tool_result_max_bytes: int = TOOL_RESULT_MAX_BYTES


class SourceRoot(Value, frozen=True, kw_only=True):
    """One place a source looks at. `reason` says why it is looked at (default, variable, configured)."""

    path: Path
    exists: bool
    reason: str
    warning: str | None = None


class SourceItem(Value, frozen=True, kw_only=True):
    """One thing to read: `key` is stable and unique within the source, `fingerprint` changes when it changes.

    Finding an item costs a stat (or, in a shared database, a row), never a read. `newest` orders imports: UTC
    microseconds of the last change as far as a stat tells. `size_bytes` is for progress.
    """

    key: str
    path: Path
    fingerprint: str
    newest: int
    size_bytes: int


class LedgerEntry(Value, frozen=True, kw_only=True):
    """What the store remembers of an item. `version` counts writes of the entry; `state` is the reader's own.

    `reader_version` is the source's version at that reading; another one means read the item again from the start.
    """

    item_key: str
    fingerprint: str
    reader_version: int
    session_ids: tuple[str, ...] = ()
    skipped_records: int = 0
    complete: bool = True
    note: str | None = None
    state: bytes | None = None
    version: int = 0


class SessionSeen(Value, frozen=True, kw_only=True):
    """A reader's step: the events that follow belong to this session; header and title as known so far.

    `mode` `append` goes on with the log the ledger knows, `replace` begins a new incarnation (the item was rewritten),
    and for a session the store does not hold both begin it. `updated_at` is the transcript's own newest time.
    """

    header: SessionHeader
    mode: Literal["append", "replace"]
    title: str | None = None
    title_source: TitleSource | None = None
    updated_at: int | None = None


class EventsRead(Value, frozen=True, kw_only=True):
    """A reader's step: events of the session seen last, in log order. Turn boundaries are `turn/start`, `turn/end`.

    `next_seq` of the session plus the count so far gives their seqs, so a reader can compute `Replace` ranges.
    """

    events: tuple[NewEvent, ...]


class RecordSkipped(Value, frozen=True, kw_only=True):
    """A reader's step: a record could not be understood; the rest goes on. `where` names line and byte, not content."""

    where: str
    reason: str


class ReadPoint(Value, frozen=True, kw_only=True):
    """A reader's step: everything up to here is whole; reading may stop and go on later from `state`."""

    state: bytes


class ItemDone(Value, frozen=True, kw_only=True):
    """A reader's last step. `note` says what was seen but not read, if anything (a missing decompressor, say)."""

    state: bytes | None = None
    complete: bool = True
    note: str | None = None


ReadStep = SessionSeen | EventsRead | RecordSkipped | ReadPoint | ItemDone


@runtime_checkable
class TranscriptSource(Protocol):
    """One tool's transcripts."""

    name: str
    """Stable id prefix of its sessions (`claude-code`)."""
    reader_version: int
    """Raised when the same bytes would be read differently."""

    def roots(self, env: SourceEnvironment) -> Sequence[SourceRoot]:
        """Every root it looks at in this environment, existing or not, most specific first."""
        ...

    def items(self, env: SourceEnvironment, root: SourceRoot) -> Iterator[SourceItem]:
        """The items below a root, any order. Raises SourceError for a root that cannot be listed."""
        ...

    def read(self, env: SourceEnvironment, item: SourceItem, state: bytes | None) -> Iterator[ReadStep]:
        """Read an item from its start, or from `state` of an earlier reading if the item was only extended since.

        The reader decides that itself and answers with `mode="replace"` when the bytes before were rewritten. Ends
        with one ItemDone. Raises SourceError when the item cannot be read at all.
        """
        ...

    def resume_command(self, native_id: str, cwd: str | None) -> str | None:
        """The shell command that resumes the session in the tool that wrote it, if there is one."""
        ...


class ImportBatch(Value, frozen=True, kw_only=True):
    """What the importing service gives the store in one transaction.

    `replace` begins a new incarnation of the session's log. `expected_next_seq` is checked when appending. `runs` are
    the whole current state of the runs the events touch (upserted by id). `ledger.version` is the version the item was
    read against, 0 for a new entry. `session` None writes the ledger entry alone.
    """

    namespace_id: str
    source: str
    session: SessionHeader | None = None
    replace: bool = False
    title: str | None = None
    title_source: TitleSource | None = None
    updated_at: int | None = None
    expected_next_seq: int = 0
    events: tuple[NewEvent, ...] = ()
    runs: tuple[Run, ...] = ()
    ledger: LedgerEntry


class ImportReceipt(Value, frozen=True, kw_only=True):
    """What became of a batch. `skipped_tombstone`: the session was deleted here and stays deleted."""

    session_id: str | None
    next_seq: int
    incarnation: int
    ledger_version: int
    created: bool = False
    skipped_tombstone: bool = False


__all__ = [
    "TOOL_RESULT_MAX_BYTES",
    "EventsRead",
    "ImportBatch",
    "ImportReceipt",
    "ItemDone",
    "LedgerEntry",
    "ReadPoint",
    "ReadStep",
    "RecordSkipped",
    "SessionSeen",
    "SourceEnvironment",
    "SourceItem",
    "SourceRoot",
    "TranscriptSource",
]
