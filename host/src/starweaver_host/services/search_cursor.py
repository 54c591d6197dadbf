"""What a search cursor says: where the next page begins, and which search it belongs to.

Sealed by `cursors.CursorCodec`. A cursor binds the query (page size excluded), the scope, provider and generation,
the corpus position of the first page, and the window. It carries hashes of the groups shown so far, so that a group
whose leading document vanished between pages is not shown again; past SHOWN_MAX only the latest are kept.
"""

from __future__ import annotations

import msgspec

from starweaver_host.contract.errors import SearchError

from .cursors import CursorCodec, CursorInvalid
from .search_order import GROUP_HASH_BYTES, TAIL, OrderKey, Recency
from .search_rules import SearchPlan

SHOWN_MAX = 180
"""Groups a cursor remembers: what fits beside the rest under the length cap."""
_VERSION = 1
_HINT = "repeat the search without a cursor"
_ID_PREFIX = "doc1."


class SearchPosition(msgspec.Struct, frozen=True, kw_only=True):
    """Where a page begins. None of it is text.

    `as_of` is the corpus position of the first page. `after` is the key of the last group shown (or of a point between
    documents), `floor` the recency of the window's last document. When browsing, `after_id` completes the place in the
    list of sessions and `floor` is the newest update time of the first page. `shown` holds group hashes, latest last;
    `shown_all` says that none had to be forgotten.
    """

    as_of: str
    after: OrderKey
    floor: Recency
    shown: tuple[bytes, ...] = ()
    shown_all: bool = True
    after_id: str = ""

    @property
    def is_in_tail(self) -> bool:
        """Whether the window is behind it."""
        return self.after[0] == TAIL


class _Body(msgspec.Struct, frozen=True, array_like=True):
    version: int
    query: bytes
    scope: bytes
    provider: bytes
    window: int
    as_of: str
    after: tuple[int, int, int, int, bytes]
    floor: tuple[int, int, bytes]
    shown: bytes
    shown_all: bool
    after_id: str


class SearchCursors(msgspec.Struct, frozen=True, kw_only=True):
    """Encodes and decodes the cursors of one provider over one store.

    `provider` and `generation` are the provider's; `window` is how many matches relevance reorders.
    """

    codec: CursorCodec
    provider: str
    generation: str
    window: int

    def encode(self, plan: SearchPlan, scope_fingerprint: str, position: SearchPosition) -> str:
        """Return the cursor for `position` of this search; the oldest shown groups are forgotten where room is short.

        Raises SearchError `failed` when a session id alone is too long for a cursor.
        """
        room = self.codec.capacity - len(self._body(plan, scope_fingerprint, position, shown=())) - 3
        shown = position.shown[-(room // GROUP_HASH_BYTES) :] if room >= GROUP_HASH_BYTES else ()
        try:
            return self.codec.seal(self._body(plan, scope_fingerprint, position, shown=shown))
        except ValueError as error:
            raise SearchError("failed", str(error)) from None

    def decode(self, plan: SearchPlan, scope_fingerprint: str, cursor: str) -> SearchPosition:
        """Return the position of `cursor`; raises SearchError `invalid_cursor` unless it was made for this search."""
        body = self._open(cursor)
        query, scope, provider = self._bindings(plan, scope_fingerprint)
        self._require(body.version == _VERSION and body.window == self.window, "another version of the search")
        self._require(body.provider == provider, "another provider or generation")
        self._require(body.scope == scope, "another scope")
        self._require(body.query == query, "another query")
        return SearchPosition(
            as_of=body.as_of,
            after=(*body.after[:4], _unpack_id(body.after[4])),
            floor=(*body.floor[:2], _unpack_id(body.floor[2])),
            shown=_cut(body.shown),
            shown_all=body.shown_all,
            after_id=body.after_id,
        )

    def _body(
        self, plan: SearchPlan, scope_fingerprint: str, position: SearchPosition, *, shown: tuple[bytes, ...]
    ) -> bytes:
        query, scope, provider = self._bindings(plan, scope_fingerprint)
        body = _Body(
            version=_VERSION,
            query=query,
            scope=scope,
            provider=provider,
            window=self.window,
            as_of=position.as_of,
            after=(*position.after[:4], _pack_id(position.after[4])),
            floor=(*position.floor[:2], _pack_id(position.floor[2])),
            shown=b"".join(shown),
            shown_all=position.shown_all and len(shown) == len(position.shown),
            after_id=position.after_id,
        )
        return msgspec.msgpack.encode(body)

    def _open(self, cursor: str) -> _Body:
        try:
            return msgspec.msgpack.decode(self.codec.open(cursor), type=_Body)
        except CursorInvalid as error:
            raise SearchError("invalid_cursor", str(error), hint=_HINT) from None
        except msgspec.MsgspecError:
            raise SearchError("invalid_cursor", "cursor has another form", hint=_HINT) from None

    def _require(self, holds: bool, what: str) -> None:  # noqa: FBT001 - reads as an assertion
        if not holds:
            raise SearchError("invalid_cursor", f"cursor belongs to {what}", hint=_HINT)

    def _bindings(self, plan: SearchPlan, scope_fingerprint: str) -> tuple[bytes, bytes, bytes]:
        provider = f"{self.provider}\0{self.generation}".encode()
        return plan.fingerprint()[:16], _digest(scope_fingerprint.encode()), _digest(provider)


def _digest(data: bytes) -> bytes:
    import hashlib

    return hashlib.sha256(data).digest()[:16]


def _pack_id(document_id: str) -> bytes:
    return bytes.fromhex(document_id.removeprefix(_ID_PREFIX))


def _unpack_id(packed: bytes) -> str:
    return _ID_PREFIX + packed.hex() if packed else ""


def _cut(hashes: bytes) -> tuple[bytes, ...]:
    return tuple(hashes[at : at + GROUP_HASH_BYTES] for at in range(0, len(hashes), GROUP_HASH_BYTES))


__all__ = ["SHOWN_MAX", "SearchCursors", "SearchPosition"]
