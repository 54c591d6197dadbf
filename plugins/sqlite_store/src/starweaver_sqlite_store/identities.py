"""Which sessions hold which message: shared history is owned by the earliest session (decision 18).

The owner of a message is the session with the earliest `created_at`, then the smallest id, of those that hold it. A
session's message count leaves out what an earlier one owns. Counts are adjusted per message as it arrives or goes, so
they come out the same in any order of import, and a write costs what it adds.
"""

# ruff: noqa: S608  names in statements are constants of this package; every value is a parameter

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import msgspec

from starweaver_host.contract.corpus import Attribution
from starweaver_host.contract.records import AccessScope, SessionHeader
from starweaver_host.projection.documents import identity_hash

from .conditions import join, scope_conditions
from .database import Transaction

Holder = tuple[int, str]
"""(created_at, session_id): the order of ownership."""


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
    me = (header.created_at, header.session_id)
    added = sorted(identity for identity in wanted if me not in holders.get(identity, ()))
    tx.connection.executemany(
        "INSERT INTO message_identities VALUES (?, ?, ?)",
        [(header.namespace_id, header.session_id, identity) for identity in added],
    )
    owned = len(added)
    for identity in added:
        if identity in holders:
            owner = min(holders[identity])
            if owner < me:
                owned -= 1
            else:
                _recount(tx, header.namespace_id, owner[1], -1)
    return owned


def forget(tx: Transaction, header: SessionHeader) -> None:
    """Remove everything a session holds; what it shared goes to the next earliest holder."""
    rows = tx.execute(
        "SELECT mine.identity FROM message_identities AS mine WHERE mine.namespace_id = ? AND mine.session_id = ? "
        "AND EXISTS (SELECT 1 FROM message_identities AS other WHERE other.namespace_id = mine.namespace_id "
        "AND other.identity = mine.identity AND other.session_id <> mine.session_id)",
        (header.namespace_id, header.session_id),
    ).fetchall()
    me = (header.created_at, header.session_id)
    for holders in _holders(tx, header.namespace_id, [row[0] for row in rows]).values():
        heir = min(holder for holder in holders if holder != me)
        if me < heir:
            _recount(tx, header.namespace_id, heir[1], 1)
    tx.execute(
        "DELETE FROM message_identities WHERE namespace_id = ? AND session_id = ?",
        (header.namespace_id, header.session_id),
    )


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
    holders: defaultdict[int, list[Holder]] = defaultdict(list)
    for identity, created_at, session_id in rows:
        holders[identity].append((created_at, session_id))
    return tuple(
        _attribution(identity, sorted(holders[identity]))
        for identity in dict.fromkeys(wanted)
        if len(holders[identity]) > 1
    )


def _attribution(identity: int, holders: Sequence[Holder]) -> Attribution:
    ids = tuple(session_id for _, session_id in holders)
    return Attribution(identity=as_bytes(identity), owner_session_id=ids[0], session_ids=ids)


def _holders(tx: Transaction, namespace_id: str, identities: Iterable[int]) -> dict[int, set[Holder]]:
    rows = tx.execute(
        "SELECT m.identity, s.created_at, s.session_id FROM json_each(?) AS wanted "
        "CROSS JOIN message_identities AS m ON m.namespace_id = ? AND m.identity = wanted.value "
        "CROSS JOIN sessions AS s ON s.namespace_id = m.namespace_id AND s.session_id = m.session_id",
        (_encode(identities), namespace_id),
    )
    found: defaultdict[int, set[Holder]] = defaultdict(set)
    for identity, created_at, session_id in rows:
        found[identity].add((created_at, session_id))
    return dict(found)


def _recount(tx: Transaction, namespace_id: str, session_id: str, change: int) -> None:
    tx.execute(
        "UPDATE sessions SET messages = messages + ? WHERE namespace_id = ? AND session_id = ?",
        (change, namespace_id, session_id),
    )


def _encode(identities: Iterable[int]) -> str:
    return msgspec.json.encode(list(identities)).decode()


__all__ = ["add", "as_bytes", "as_integer", "attribute", "forget"]
