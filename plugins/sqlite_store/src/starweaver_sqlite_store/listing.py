"""Reading sessions: one, many, pages newest first, and what an abbreviated id may mean.

A page walks one index in the order of the page: the filter's most telling column chooses which. Where several values
or two columns may match, one walk per value is merged, so that the cost stays the page's.
"""

# ruff: noqa: S608  names in statements are constants of this package; every value is a parameter

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from starweaver_host.contract.corpus import CorpusFilter
from starweaver_host.contract.errors import StoreError
from starweaver_host.contract.records import AccessScope, Session
from starweaver_host.contract.store import PAGE_MAX, SessionListQuery, SessionPage

from .conditions import TOP, Condition, beginning_with, filter_conditions, join, one_of, scope_conditions, unfolded
from .database import Transaction
from .session_rows import SESSION_COLUMNS, readable_sessions, visible_session

MERGED_WALKS_MAX = 16
"""Beyond this many values a filter is checked row by row along the general order."""
_S_COLUMNS = ", ".join(f"s.{column.strip()}" for column in SESSION_COLUMNS.split(","))


def get_session(tx: Transaction, scope: AccessScope, session_id: str) -> Session:
    """One session, or `not_found`."""
    return visible_session(tx, scope, session_id)


def get_sessions(tx: Transaction, scope: AccessScope, session_ids: Sequence[str]) -> tuple[Session, ...]:
    """Those that the scope shows and that can be read, in the order asked for."""
    if not session_ids:
        return ()
    statement = sessions_statement(scope, session_ids)
    rows = tx.execute(statement.sql, statement.values)
    found = {session.header.session_id: session for session in readable_sessions(rows)}
    return tuple(found[session_id] for session_id in session_ids if session_id in found)


def sessions_statement(scope: AccessScope, session_ids: Sequence[str]) -> Condition:
    """The statement that reads sessions by id, in no order."""
    where = join([*scope_conditions(scope, tombstones=True), one_of("s.session_id", set(session_ids))])
    return Condition(f"SELECT {_S_COLUMNS} FROM sessions AS s WHERE {where.sql}", where.values)


def list_sessions(tx: Transaction, scope: AccessScope, query: SessionListQuery) -> SessionPage:
    """A keyset page by (updated_at, session_id), both descending."""
    check_limit(query.limit)
    keys = page_statement(scope, query)
    rows = tx.execute(keys.sql, keys.values).fetchall()
    page = rows[: query.limit]
    sessions = get_sessions(tx, scope, [session_id for _, session_id in page])
    return SessionPage(sessions=sessions, after=page[-1] if len(rows) > query.limit else None)


def check_limit(limit: int) -> None:
    """Refuse a page limit outside 1 to PAGE_MAX."""
    if not 1 <= limit <= PAGE_MAX:
        raise StoreError("invalid", f"a limit from 1 to {PAGE_MAX} was wanted, found {limit}")


def page_statement(scope: AccessScope, query: SessionListQuery) -> Condition:
    """The statement that finds the (updated_at, session_id) of a page and one more, and its values."""
    conditions = filter_conditions(scope, query.filter, folding=False)
    if query.after is not None:
        conditions.append(Condition("(s.updated_at, s.session_id) < (?, ?)", query.after))
    walks = [
        _walk(index, [*walk, *folded, *conditions])
        for index, folded in _folded(scope, query.filter)
        for walk in _walks(query.filter)
    ]
    keys = " UNION ".join(walk.sql for walk in walks)
    values = tuple(value for walk in walks for value in walk.values)
    return Condition(f"{keys} ORDER BY 1 DESC, 2 DESC LIMIT ?", (*values, query.limit + 1))


def _walk(index: str, conditions: list[Condition]) -> Condition:
    where = join(conditions)
    return Condition(f"SELECT s.updated_at, s.session_id FROM sessions AS s{index} WHERE {where.sql}", where.values)


def _folded(scope: AccessScope, wanted: CorpusFilter) -> list[tuple[str, list[Condition]]]:
    """The index to be used, and what is asked besides: where children are left out, those of hidden roots are apart.

    They are few: their walk begins from the roots, and the other one keeps its own index.
    """
    if wanted.include_children:
        return [("", [])]
    return [("", [TOP]), (" INDEXED BY sessions_root", [unfolded(scope, wanted)])]


def _walks(wanted: CorpusFilter) -> list[list[Condition]]:
    """What each walk adds: an equality of the filter's most telling column, or nothing for the general order."""
    columns: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
        (("s.root_session_id",), wanted.roots),
        (("s.workspace_id", "s.workspace_label"), wanted.workspaces),
        (("s.profile",), wanted.profiles),
        (("s.source",), wanted.agents),
        (("s.status",), wanted.statuses),
    )
    for names, values in columns:
        if 0 < len(names) * len(values) <= MERGED_WALKS_MAX:
            return [[Condition(f"{name} = ?", (value,))] for value in values for name in names]
    return [[]]


def resolve_session(tx: Transaction, scope: AccessScope, text: str, limit: int) -> tuple[str, ...]:
    """The exact id alone if the scope shows it, else ids and native ids beginning with `text`, by id."""
    if not text:
        return ()
    scoped = scope_conditions(scope, tombstones=True)
    if _ids(tx, [*scoped, Condition("s.session_id = ?", (text,))], 1):
        return (text,)
    found = {
        session_id
        for column in ("s.session_id", "s.native_id")
        for session_id in _ids(tx, [*scoped, beginning_with(column, text)], limit)
    }
    return tuple(sorted(found))[:limit]


def _ids(tx: Transaction, conditions: list[Condition], limit: int) -> list[str]:
    where = join(conditions)
    sql = f"SELECT s.session_id FROM sessions AS s WHERE {where.sql} ORDER BY s.session_id LIMIT ?"
    return [row[0] for row in tx.execute(sql, (*where.values, limit))]


def encode_metadata(metadata: Any) -> str:
    """Metadata as it is stored."""
    return msgspec.json.encode(dict(metadata), order="deterministic").decode()


__all__ = [
    "check_limit",
    "encode_metadata",
    "get_session",
    "get_sessions",
    "list_sessions",
    "page_statement",
    "resolve_session",
    "sessions_statement",
]
