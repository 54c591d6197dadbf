"""Scopes and corpus filters as SQL conditions over the typed columns of `sessions`.

A condition is text with `?` and its values. A list of values is one JSON parameter, so that the text of a statement
does not depend on how many there are.
"""

# ruff: noqa: S608  names in statements are constants of this package; every value is a parameter

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

import msgspec

from starweaver_host.contract.corpus import CorpusFilter, TimeRange
from starweaver_host.contract.records import AccessScope


class Condition(NamedTuple):
    """SQL that is true for what is wanted, and its parameters in order."""

    sql: str
    values: tuple[Any, ...] = ()


def join(conditions: Collection[Condition]) -> Condition:
    """All of them at once."""
    sql = " AND ".join(condition.sql for condition in conditions)
    return Condition(sql, tuple(value for condition in conditions for value in condition.values))


def one_of(column: str, values: Collection[str]) -> Condition:
    """The column equals one of the values."""
    if len(values) == 1:
        return Condition(f"{column} = ?", tuple(values))
    encoded = msgspec.json.encode(sorted(values)).decode()
    return Condition(f"{column} IN (SELECT value FROM json_each(?))", (encoded,))


def below(column: str, folder: str) -> Condition:
    """The column is the folder or a path below it; compared as ranges, so that no character is special."""
    base = folder.rstrip("/\\")
    ranges = [(base + sep, base + chr(ord(sep) + 1)) for sep in "/\\"]
    sql = f"({column} = ? OR ({column} >= ? AND {column} < ?) OR ({column} >= ? AND {column} < ?))"
    return Condition(sql, (base or folder, *ranges[0], *ranges[1]))


def beginning_with(column: str, text: str) -> Condition:
    """The column begins with the text."""
    return Condition(f"({column} >= ? AND {column} < ?)", (text, text + "\U0010ffff"))


def scope_conditions(scope: AccessScope, *, tombstones: bool) -> list[Condition]:
    """What the scope allows. Tombstones need both the scope's permission and that they were asked for."""
    found = [Condition("s.namespace_id = ?", (scope.namespace_id,))]
    if scope.owner_id is not None:
        found.append(Condition("s.owner_id = ?", (scope.owner_id,)))
    if scope.session_ids is not None:
        found.append(one_of("s.session_id", scope.session_ids))
    if not (tombstones and scope.include_deleted):
        found.append(Condition("s.status <> 'deleted'"))
    return found


TOP = Condition("(s.parent_session_id IS NULL OR s.origin = 'fork')")
"""Nobody's child."""


def unfolded(scope: AccessScope, wanted: CorpusFilter) -> Condition:
    """A child whose root is stored and not seen: it is shown for itself."""
    hidden = []
    if scope.owner_id is not None:
        hidden.append(Condition("r.owner_id IS NOT ?", (scope.owner_id,)))
    if scope.session_ids is not None:
        allowed = one_of("r.session_id", scope.session_ids)
        hidden.append(Condition(f"NOT {allowed.sql}", allowed.values))
    if not (scope.include_deleted and "deleted" in wanted.statuses):
        hidden.append(Condition("r.status = 'deleted'"))
    values = (scope.namespace_id, *(value for each in hidden for value in each.values))
    sql = " OR ".join(each.sql for each in hidden) or "0"
    roots = f"SELECT r.session_id FROM sessions AS r WHERE r.namespace_id = ? AND ({sql})"
    return Condition(
        f"(s.parent_session_id IS NOT NULL AND s.origin <> 'fork' AND s.root_session_id IN ({roots}))", values
    )


def filter_conditions(scope: AccessScope, wanted: CorpusFilter, *, folding: bool = True) -> list[Condition]:
    """What scope and filter ask of a session, as conditions on `sessions AS s`.

    `folding` False leaves out `include_children`, for a statement that says it otherwise.
    """
    found = scope_conditions(scope, tombstones="deleted" in wanted.statuses)
    columns = (
        ("s.status", wanted.statuses),
        ("s.profile", wanted.profiles),
        ("s.session_id", wanted.session_ids),
        ("s.source", wanted.agents),
        ("s.root_session_id", wanted.roots),
    )
    found += [one_of(column, values) for column, values in columns if values]
    if wanted.workspaces:
        by_id, by_label = (one_of(f"s.workspace_{name}", wanted.workspaces) for name in ("id", "label"))
        found.append(Condition(f"({by_id.sql} OR {by_label.sql})", by_id.values + by_label.values))
    if wanted.cwd_prefix is not None:
        found.append(below("s.cwd", wanted.cwd_prefix))
    if folding and not wanted.include_children:
        alone = unfolded(scope, wanted)
        found.append(Condition(f"({TOP.sql} OR {alone.sql})", alone.values))
    found += _range("s.created_at", wanted.created) + _range("s.updated_at", wanted.updated)
    if wanted.run_statuses:
        found.append(_has_run(wanted.run_statuses))
    return found


def _range(column: str, wanted: TimeRange) -> list[Condition]:
    found = []
    if wanted.start is not None:
        found.append(Condition(f"{column} >= ?", (wanted.start,)))
    if wanted.until is not None:
        found.append(Condition(f"{column} < ?", (wanted.until,)))
    return found


def _has_run(statuses: tuple[str, ...]) -> Condition:
    status = one_of("r.status", statuses)
    sql = (
        "EXISTS (SELECT 1 FROM runs AS r WHERE r.namespace_id = s.namespace_id AND r.session_id = s.session_id "
        f"AND {status.sql})"
    )
    return Condition(sql, status.values)


__all__ = [
    "TOP",
    "Condition",
    "beginning_with",
    "below",
    "filter_conditions",
    "join",
    "one_of",
    "scope_conditions",
    "unfolded",
]
