"""The order of search results: one rule for scanning, ranking, paging and cursors, shared by every provider.

Matches are documents. *Recency* sorts them newest first; equal times by source, then by a stable identity. `relevance`
takes the newest W matches (the *window*) out of that order and sorts them by source (title, input, output preview,
display), whole word before inside a word, then recency; older matches (the *tail*) follow by recency. `updated_desc`
is the same rule with W = 0. Groups (sessions, runs) stand where their best match stands.
"""

from __future__ import annotations

import unicodedata

import msgspec

from starweaver_host.contract.corpus import SEARCH_SOURCES, DocumentRef
from starweaver_host.contract.search import Granularity

DEFAULT_WINDOW = 500
"""How many of the newest matches `relevance` reorders."""
GROUP_HASH_BYTES = 6
OCCURRENCES_LOOKED_AT = 64

SOURCE_RANK = {source: rank for rank, source in enumerate(SEARCH_SOURCES)}

Recency = tuple[int, int, str]
"""(-time in microseconds, source rank, document id): ascending is newest first."""
OrderKey = tuple[int, int, int, int, str]
"""(section, tier, *recency): ascending is page order. Section 0 is the window, 1 the tail, where tier is 0."""

WINDOW, TAIL = 0, 1
_TIERS = 2 * len(SEARCH_SOURCES)


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """Of a match outside the canonical corpus: its text, which no store can give, and who wrote it."""

    text: str
    run_id: str
    sequence: int
    agent_id: str | None = None


class Match(msgspec.Struct, kw_only=True, gc=False):
    """A document that contains the needle. `also_in`: other sessions that hold the same message."""

    ref: DocumentRef
    root_session_id: str
    time: int
    identity: bytes | None = None
    is_inside_word: bool = False
    also_in: tuple[str, ...] = ()
    origin: Origin | None = None
    document_id: str = ""
    known_recency: Recency | None = None

    @property
    def recency(self) -> Recency:
        """Its place among all matches, newest first; computed on first use."""
        if self.known_recency is None:
            self.known_recency = (-self.time, SOURCE_RANK[self.ref.source], self.stable_id)
        return self.known_recency

    @property
    def stable_id(self) -> str:
        """The document's id, computed on first use."""
        if not self.document_id:
            from starweaver_host.projection.documents import document_id

            self.document_id = document_id(self.ref)
        return self.document_id


def window_key(match: Match) -> OrderKey:
    """The place of a match inside the window."""
    return _window_key(match, match.recency)


def tail_key(match: Match) -> OrderKey:
    """The place of a match behind the window."""
    return (TAIL, 0, *match.recency)


def key_of(match: Match, floor: Recency) -> OrderKey:
    """The place of a match when `floor` is the recency of the window's last document."""
    recency = match.recency
    return _window_key(match, recency) if recency <= floor else (TAIL, 0, *recency)


def _window_key(match: Match, recency: Recency) -> OrderKey:
    return (WINDOW, 2 * SOURCE_RANK[match.ref.source] + match.is_inside_word, *recency)


def before(time: int) -> Recency:
    """The recency that stands before every document of `time` and after every newer one."""
    return (-time, -1, "")


def score(key: OrderKey) -> float:
    """A score in (0, 1] that never rises along a page: above a half in the window, a half behind it."""
    return 0.5 if key[0] == TAIL else 1.0 - key[1] / (2 * _TIERS)


def group_of(match: Match, granularity: Granularity, *, fold_subagents: bool) -> str:
    """The identity of the group a match is shown in. A title belongs to no run and forms a run group of its own."""
    if granularity == "occurrence":
        return match.stable_id
    if granularity == "run":
        return f"{match.ref.session_id}\0{match.ref.run_id or ''}"
    return match.root_session_id if fold_subagents else match.ref.session_id


def group_hash(group: str) -> bytes:
    """A short hash of a group, for cursors; two of a few hundred groups collide about once in ten billion searches."""
    from hashlib import blake2b

    return blake2b(group.encode("utf-8", "surrogatepass"), digest_size=GROUP_HASH_BYTES).digest()


def is_inside_word(text: bytes, needle: bytes, start: int, end: int) -> bool:
    """Tell whether no occurrence of `needle` in the folded `text[start:end]` stands between word boundaries.

    Letters, digits, marks and `_` are word characters; an end of the text is a boundary. Only the first
    OCCURRENCES_LOOKED_AT count, so that a one-letter needle in a long text costs no more than another.
    """
    at = text.find(needle, start, end)
    for _ in range(OCCURRENCES_LOOKED_AT):
        if at < 0:
            break
        stop = at + len(needle)
        if _is_boundary(text, at, start, end) and _is_boundary(text, stop, start, end):
            return False
        at = text.find(needle, at + 1, end)
    return True


def _is_boundary(text: bytes, at: int, start: int, end: int) -> bool:
    left = text[max(start, at - 4) : at].decode("utf-8", "ignore")[-1:]
    right = text[at : min(end, at + 4)].decode("utf-8", "ignore")[:1]
    return not (_is_word(left) and _is_word(right))


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_" or (char != "" and unicodedata.category(char)[0] == "M")


__all__ = [
    "DEFAULT_WINDOW",
    "GROUP_HASH_BYTES",
    "OCCURRENCES_LOOKED_AT",
    "SOURCE_RANK",
    "TAIL",
    "WINDOW",
    "Match",
    "OrderKey",
    "Origin",
    "Recency",
    "before",
    "group_hash",
    "group_of",
    "is_inside_word",
    "key_of",
    "score",
    "tail_key",
    "window_key",
]
