"""The search corpus of a store: folded documents in batches, newest first.

A document is one searchable text of a session: its title, a text part of a run's input, a run's output preview, or a
display message. The corpus keeps the *folded* text (`projection.folding`), so that a scan is a byte search; originals
are read with `read_texts`, only for the hits that are shown.

Every document has an immutable time (UTC microseconds): a title's is when it was set, an input's when the run was made,
an output's the run's end, a display message's its own.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Literal, get_args

from .records import AccessScope, SessionStatus
from .values import Value

SearchSource = Literal["session_metadata", "run_input", "run_output_preview", "display_message"]
SEARCH_SOURCES: tuple[SearchSource, ...] = get_args(SearchSource)


class DocumentRef(Value, frozen=True, kw_only=True, order=True):
    """Where a document's original text lives. `part` indexes a run's input parts; `seq` is a display event's."""

    session_id: str
    source: SearchSource
    run_id: str | None = None
    part: int = 0
    seq: int | None = None


class CorpusDocument(Value, frozen=True, kw_only=True, gc=False):
    """One document of a batch. Its folded text is `batch.text[start:end]` (UTF-8 byte offsets).

    `identity` is the stable hash of the message it came from, where copies of it may exist in other sessions.
    """

    ref: DocumentRef
    root_session_id: str
    time: int
    start: int
    end: int
    identity: bytes | None = None


class CorpusBatch(Value, frozen=True, kw_only=True, gc=False):
    """Folded texts of some documents. No document of this or a later batch is newer than `newest`.

    `text` is UTF-8; a NUL byte stands between documents, and no folded text or needle contains one, so a byte match
    never spans two. `load` returns the documents ascending by `start`; it needs nothing but memory and may be called
    after the scan was closed. Consumers call `documents()`, and only when the text matched: a miss must cost no
    decoding. Text that belongs to no listed document was filtered out and is not a match.

    A store that can tell single documents sets `locate` too: given ascending byte offsets of `text`, the documents that
    hold one, in order, each once. Without it all documents are loaded for that.

    A part of the batch whose documents cannot be decoded is left out, and the others are not: `damaged` counts such
    parts. A store that may meet some sets `damage`, which answers how many decoding has met until now.
    """

    newest: int
    text: bytes
    load: Callable[[], tuple[CorpusDocument, ...]]
    locate: Callable[[Sequence[int]], tuple[CorpusDocument, ...]] | None = None
    damage: Callable[[], int] | None = None

    @property
    def damaged(self) -> int:
        """Parts that were left out, each counted once: ask after `documents()` or `documents_at()`, 0 before."""
        return 0 if self.damage is None else self.damage()

    def documents(self) -> tuple[CorpusDocument, ...]:
        """Decode the documents of the batch."""
        return self.load()

    def documents_at(self, places: Sequence[int]) -> tuple[CorpusDocument, ...]:
        """Decode the documents that hold these ascending byte offsets of `text`: what a match costs."""
        return self.locate(places) if self.locate is not None else _located(self.documents(), places)


class TimeRange(Value, frozen=True, kw_only=True):
    """UTC microseconds, `start` inclusive, `until` exclusive; None leaves a side open."""

    start: int | None = None
    until: int | None = None


class CorpusFilter(Value, frozen=True, kw_only=True):
    """Which sessions, runs and documents a scan sees. All conditions are ANDed, values within one ORed.

    Empty tuples and None mean no constraint. `workspaces` match a workspace's id or label; `cwd_prefix` is a
    directory: itself and everything below. `include_children` False leaves out sessions that are folded under another
    (`SessionHeader.folds_under`), unless their root is hidden: outside the scope, or a tombstone not asked for.
    `agents` are external source names. `roots` select sessions whose root is one of them. Without `statuses`,
    tombstones are never seen; with `deleted` in it they are if the scope allows it.
    """

    statuses: tuple[SessionStatus, ...] = ()
    run_statuses: tuple[str, ...] = ()
    profiles: tuple[str, ...] = ()
    workspaces: tuple[str, ...] = ()
    cwd_prefix: str | None = None
    session_ids: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    roots: tuple[str, ...] = ()
    include_children: bool = True
    created: TimeRange = TimeRange()
    updated: TimeRange = TimeRange()
    sources: tuple[SearchSource, ...] = SEARCH_SOURCES


class CorpusQuery(Value, frozen=True, kw_only=True):
    """One scan; all conditions are ANDed.

    `as_of` limits it to what the corpus held at that position, `older_than` to documents before a time, and `beyond`
    to documents that became visible after that position: what an index that reached it has not seen. A rewritten
    document (a new title, a run that grew) became visible when it was rewritten. `beyond` past the head is `invalid`,
    as `changes` has it; its cost is that of the sessions that changed.
    """

    scope: AccessScope
    filter: CorpusFilter = CorpusFilter()
    as_of: str | None = None
    beyond: str | None = None
    older_than: int | None = None


class Attribution(Value, frozen=True, kw_only=True):
    """Who owns a message identity: the session with the earliest `created_at` (then id), and all that share it."""

    identity: bytes
    owner_session_id: str
    session_ids: tuple[str, ...]


class StoreIdentity(Value, frozen=True, kw_only=True):
    """What a generation is derived from. `epoch` is random per store file; the versions change with the code."""

    epoch: str
    schema_version: int
    fold_version: int
    projection_version: int


class FeedRow(Value, frozen=True, kw_only=True):
    """The latest change of one session: everything an index needs to work out a difference.

    `source_revision` grows with every change of the session, whatever kind it is; it orders the mutations made of its
    rows, and is compared only within one session and epoch.
    """

    session_id: str
    position: str
    source_revision: int
    revision: int
    activity_revision: int
    incarnation: int
    last_seq: int
    tombstone: bool


class FeedPage(Value, frozen=True, kw_only=True):
    """Feed rows ascending by position, and the position to ask from next. Empty rows: nothing newer.

    Positions belong to one `epoch` (`StoreIdentity.epoch`). A reader keeps both; another epoch, or a position that is
    `invalid` because it is past the head, means that the store was replaced or set back, and that the reader starts
    anew with an empty index: rows it holds may be of sessions that are no more.
    """

    rows: tuple[FeedRow, ...]
    position: str
    epoch: str


def _located(documents: Sequence[CorpusDocument], places: Sequence[int]) -> tuple[CorpusDocument, ...]:
    starts = [document.start for document in documents]
    begun = ((bisect_right(starts, place) - 1, place) for place in places)
    found = dict.fromkeys(at for at, place in begun if at >= 0 and place < documents[at].end)
    return tuple(documents[at] for at in found)


__all__ = [
    "SEARCH_SOURCES",
    "Attribution",
    "CorpusBatch",
    "CorpusDocument",
    "CorpusFilter",
    "CorpusQuery",
    "DocumentRef",
    "FeedPage",
    "FeedRow",
    "SearchSource",
    "StoreIdentity",
    "TimeRange",
]
