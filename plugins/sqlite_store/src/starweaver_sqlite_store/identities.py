"""Which sessions hold which message: shared history is owned by the earliest session.

The owner of a message is, of the sessions that hold it, one that is not deleted before one that is, then the one with
the earliest `created_at`, then the smallest id. A session's message count leaves out what another one owns. Counts are
adjusted per message as it arrives or goes and as a holder is deleted, so they come out the same in any order, and a
write costs what it adds. Another session whose count changes has changed: its place in the feed moves.
"""

# ruff: noqa: S608  names in statements are constants of this package; every value is a parameter

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence

import msgspec

from starweaver_host.contract.corpus import Attribution
from starweaver_host.contract.records import AccessScope, SessionHeader
from starweaver_host.projection.documents import identity_hash

from . import feed
from .conditions import join, scope_conditions
from .database import Transaction

Holder = tuple[int, int, str]
"""(1 if deleted else 0, created_at, session_id): the order of ownership."""


def as_integer(identity: bytes) -> int:
    """The stored form of an identity hash."""
    return int.from_bytes(identity, "big", signed=True)


def as_bytes(stored: int) -> bytes:
    """The identity hash of a stored form."""
    return stored.to_bytes(8, "big", signed=True)


def add(tx: Transaction, header: SessionHeader, names: Iterable[str]) -> int:
    """Record that a session holds messages; returns how many it now owns. Those it held already count nothing.

    Sessions that lose a message to this one are recounted.
    """
    wanted = {as_integer(identity_hash(name)) for name in names}
    if not wanted:
        return 0
    holders = _holders(tx, header.namespace_id, wanted)
    me = _living(header)
    added = sorted(identity for identity in wanted if me not in holders.get(identity, ()))
    tx.connection.executemany(
        "INSERT INTO message_identities VALUES (?, ?, ?)",
        [(header.namespace_id, header.session_id, identity) for identity in added],
    )
    changes: Counter[str] = Counter()
    for identity in added:
        before = holders.get(identity, set())
        _pass_on(changes, before, before | {me})
    owned = changes.pop(header.session_id, 0)
    _recount(tx, header.namespace_id, changes)
    return owned


def forget(tx: Transaction, header: SessionHeader) -> None:
    """Remove everything a session holds; what it shared goes to the next earliest holder. Its own count stays."""
    changes: Counter[str] = Counter()
    for holders in _shared(tx, header):
        _pass_on(changes, holders, holders - {_living(header)})
    del changes[header.session_id]
    _recount(tx, header.namespace_id, changes)
    tx.execute(
        "DELETE FROM message_identities WHERE namespace_id = ? AND session_id = ?",
        (header.namespace_id, header.session_id),
    )


def bury(tx: Transaction, header: SessionHeader) -> None:
    """Put a session that is about to be deleted behind the living: what they share with it counts in one of them."""
    me = _living(header)
    changes: Counter[str] = Counter()
    for holders in _shared(tx, header):
        _pass_on(changes, holders, holders - {me} | {(1, *me[1:])})
    _recount(tx, header.namespace_id, changes)


def _living(header: SessionHeader) -> Holder:
    return (0, header.created_at, header.session_id)


def _shared(tx: Transaction, header: SessionHeader) -> Iterable[set[Holder]]:
    """The holders of each message that a session shares with another."""
    rows = tx.execute(
        "SELECT mine.identity FROM message_identities AS mine WHERE mine.namespace_id = ? AND mine.session_id = ? "
        "AND EXISTS (SELECT 1 FROM message_identities AS other WHERE other.namespace_id = mine.namespace_id "
        "AND other.identity = mine.identity AND other.session_id <> mine.session_id)",
        (header.namespace_id, header.session_id),
    ).fetchall()
    return _holders(tx, header.namespace_id, [row[0] for row in rows]).values()


def _pass_on(changes: Counter[str], before: Collection[Holder], after: Collection[Holder]) -> None:
    """Note what a message's new holders mean for the counts of its owners."""
    if before:
        changes[min(before)[2]] -= 1
    if after:
        changes[min(after)[2]] += 1


def attribute(tx: Transaction, scope: AccessScope, identities: Sequence[bytes]) -> tuple[Attribution, ...]:
    """Owners of the identities that more than one session of the scope holds, in the order asked for."""
    wanted = [as_integer(identity) for identity in identities if len(identity) == 8]
    where = join(scope_conditions(scope, tombstones=True))
    rows = tx.execute(
        "SELECT m.identity, s.created_at, s.session_id FROM message_identities AS m "
        "CROSS JOIN sessions AS s ON s.namespace_id = m.namespace_id AND s.session_id = m.session_id "
        f"WHERE m.namespace_id = ? AND m.identity IN (SELECT value FROM json_each(?)) AND {where.sql}",
        (scope.namespace_id, _encode(wanted), *where.values),
    )
    holders: defaultdict[int, list[tuple[int, str]]] = defaultdict(list)
    for identity, created_at, session_id in rows:
        holders[identity].append((created_at, session_id))
    return tuple(
        _attribution(identity, sorted(holders[identity]))
        for identity in dict.fromkeys(wanted)
        if len(holders[identity]) > 1
    )


def _attribution(identity: int, holders: Sequence[tuple[int, str]]) -> Attribution:
    ids = tuple(session_id for _, session_id in holders)
    return Attribution(identity=as_bytes(identity), owner_session_id=ids[0], session_ids=ids)


def _holders(tx: Transaction, namespace_id: str, identities: Iterable[int]) -> dict[int, set[Holder]]:
    rows = tx.execute(
        "SELECT m.identity, s.status = 'deleted', s.created_at, s.session_id FROM json_each(?) AS wanted "
        "CROSS JOIN message_identities AS m ON m.namespace_id = ? AND m.identity = wanted.value "
        "CROSS JOIN sessions AS s ON s.namespace_id = m.namespace_id AND s.session_id = m.session_id",
        (_encode(identities), namespace_id),
    )
    found: defaultdict[int, set[Holder]] = defaultdict(set)
    for identity, *holder in rows:
        found[identity].add((holder[0], holder[1], holder[2]))
    return dict(found)


def _recount(tx: Transaction, namespace_id: str, changes: Counter[str]) -> None:
    for session_id in sorted(session_id for session_id, change in changes.items() if change):
        tx.execute(
            "UPDATE sessions SET messages = messages + ? WHERE namespace_id = ? AND session_id = ?",
            (changes[session_id], namespace_id, session_id),
        )
        feed.touch(tx, namespace_id, session_id)


def _encode(identities: Iterable[int]) -> str:
    return msgspec.json.encode(list(identities)).decode()


__all__ = ["add", "as_bytes", "as_integer", "attribute", "bury", "forget"]
