"""What the corpus no longer has: the latest position at which documents of a session were lost to older scans.

A document that is replaced stays in its chunk for scans as of before (`chunks`), but not for ever, and a log that is
replaced as a whole takes its documents along. Whoever pages through an older moment asks here what that cost.
"""

# ruff: noqa: S608  names in statements are constants of this package; every value is a parameter

from __future__ import annotations

from starweaver_host.contract.corpus import CorpusQuery

from . import feed
from .conditions import Condition, filter_conditions, join
from .database import Transaction


def note(tx: Transaction, namespace_id: str, session_id: str, position: int) -> None:
    """Say that documents which stood until `position` are gone."""
    tx.execute(
        "INSERT INTO corpus_rewrites VALUES (?, ?, ?) "
        "ON CONFLICT DO UPDATE SET position = max(position, excluded.position)",
        (namespace_id, session_id, position),
    )


def count(tx: Transaction, query: CorpusQuery) -> int:
    """How many sessions of a query lost documents after its `as_of`; 0 without one. Cost: the sessions that did."""
    if query.as_of is None:
        return 0
    since = Condition(
        "w.namespace_id = ? AND w.position > ? AND s.namespace_id = w.namespace_id AND s.session_id = w.session_id",
        (query.scope.namespace_id, feed.decode(query.as_of)),
    )
    where = join([since, *filter_conditions(query.scope, query.filter)])
    sql = f"SELECT count(*) FROM corpus_rewrites AS w CROSS JOIN sessions AS s WHERE {where.sql}"
    return int(tx.execute(sql, where.values).fetchone()[0])


__all__ = ["count", "note"]
