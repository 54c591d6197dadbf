"""Sessions in OpenCode's tables: those of 1.x (sessions, messages, parts) and of 2.x (sessions, rows of messages).

One query lists the sessions of a generation with what changes when they do; opening one reads its rows alone.
"""

# ruff: noqa: S608  names in statements are constants or columns of the schema; every value is a parameter

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any, Protocol

import msgspec

from starweaver_host.contract.errors import SourceError
from starweaver_transcripts.emit import epoch_ms

from .database import columns, pick
from .first import FirstDecoder
from .records import Revert
from .second import SecondDecoder
from .spoken import Candidate, Spoken, StoredSession

SESSION_COLUMNS = (
    "id", "parent_id", "fork_session_id", "directory", "title", "version", "time_created", "time_updated", "revert",
)  # fmt: skip


class Generation(Protocol):
    """How one generation keeps sessions in a database."""

    number: int

    def is_in(self, connection: sqlite3.Connection) -> bool:
        """Tell whether the database has its tables."""
        ...

    def candidates(self, connection: sqlite3.Connection) -> Iterator[Candidate]:
        """Its sessions, from one query."""
        ...

    def describe(self, connection: sqlite3.Connection, session_id: str) -> StoredSession:
        """A session's description. Raises SourceError when it is gone."""
        ...

    def spoken(
        self, connection: sqlite3.Connection, session_id: str, *, user_source: str, max_bytes: int
    ) -> Iterator[Spoken]:
        """A session's messages, in order."""
        ...


class FirstTables:
    """The tables of 1.x."""

    number = 2

    def is_in(self, connection: sqlite3.Connection) -> bool:
        """Tell whether sessions, messages and parts are there."""
        return all(columns(connection, table) for table in ("session", "message", "part"))

    def candidates(self, connection: sqlite3.Connection) -> Iterator[Candidate]:
        """Sessions with the newest time and the number of their messages and parts."""
        rows = connection.execute(
            "SELECT s.id, s.time_updated, m.newest, m.n, p.newest, p.n FROM session s "
            "LEFT JOIN (SELECT session_id, max(time_updated) newest, count(*) n FROM message GROUP BY session_id) m "
            "ON m.session_id = s.id LEFT JOIN (SELECT session_id, max(time_updated) newest, count(*) n "
            "FROM part GROUP BY session_id) p ON p.session_id = s.id"
        )
        for session_id, updated, message_newest, messages, part_newest, parts in rows:
            yield candidate_of(self.number, session_id, (updated, message_newest, part_newest), (messages, parts))

    def describe(self, connection: sqlite3.Connection, session_id: str) -> StoredSession:
        """A session's row."""
        return _described(connection, "session", session_id)

    def spoken(
        self, connection: sqlite3.Connection, session_id: str, *, user_source: str, max_bytes: int
    ) -> Iterator[Spoken]:
        """Messages by time and id, the parts of each by id."""
        decoder = FirstDecoder(user_source=user_source, tool_result_max_bytes=max_bytes)
        messages = connection.execute(
            "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id", (session_id,)
        )
        for message_id, data in messages:
            try:
                info = decoder.message(as_bytes(data))
            except ValueError as error:
                yield Spoken(message_id, "other", None, error=str(error))
                continue
            parts = connection.execute("SELECT data FROM part WHERE message_id = ? ORDER BY id", (message_id,))
            yield from decoder.spoken(message_id, info, (as_bytes(row[0]) for row in parts))


class SecondTables:
    """The tables of 2.x."""

    number = 3

    def is_in(self, connection: sqlite3.Connection) -> bool:
        """Tell whether sessions and rows are there."""
        return all(columns(connection, table) for table in ("session_v2", "session_message"))

    def candidates(self, connection: sqlite3.Connection) -> Iterator[Candidate]:
        """Sessions with the newest time and the number of their rows."""
        rows = connection.execute(
            "SELECT s.id, s.time_updated, m.newest, m.n FROM session_v2 s LEFT JOIN "
            "(SELECT session_id, max(time_updated) newest, count(*) n FROM session_message GROUP BY session_id) m "
            "ON m.session_id = s.id"
        )
        for session_id, updated, newest, count in rows:
            yield candidate_of(self.number, session_id, (updated, newest), (count,))

    def describe(self, connection: sqlite3.Connection, session_id: str) -> StoredSession:
        """A session's row."""
        return _described(connection, "session_v2", session_id)

    def spoken(
        self, connection: sqlite3.Connection, session_id: str, *, user_source: str, max_bytes: int
    ) -> Iterator[Spoken]:
        """Rows by their sequence."""
        decoder = SecondDecoder(user_source=user_source, tool_result_max_bytes=max_bytes)
        rows = connection.execute(
            "SELECT id, type, time_created, data FROM session_message WHERE session_id = ? "
            "ORDER BY seq, time_created, id",
            (session_id,),
        )
        for row_id, kind, time, data in rows:
            yield decoder.spoken(row_id, kind, epoch_ms(time), as_bytes(data))


def candidate_of(
    number: int, session_id: str, times: tuple[int | None, ...], counts: tuple[int | None, ...]
) -> Candidate:
    """A session by the newest of its times and the numbers of its rows, the first of them its messages.

    `size_bytes` counts rows here: their share of the file is worked out where the file is known.
    """
    newest = max(epoch_ms(time) or 0 for time in times)
    tail = ":".join(str(value or 0) for value in (*times, *counts))
    return Candidate(
        session_id=session_id,
        generation=number,
        has_messages=bool(counts[0]),
        newest=newest,
        fingerprint=f"{number}:{tail}",
        size_bytes=1 + sum(count or 0 for count in counts),
    )


def _described(connection: sqlite3.Connection, table: str, session_id: str) -> StoredSession:
    have = columns(connection, table)
    row = connection.execute(
        f"SELECT {pick(have, *SESSION_COLUMNS)} FROM {table} s WHERE s.id = ?", (session_id,)
    ).fetchone()
    if row is None:
        raise SourceError(f"session {session_id!r} must be in table {table!r}, it is gone")
    found: dict[str, Any] = dict(zip(SESSION_COLUMNS, row, strict=True))
    revert = _revert(found["revert"])
    return StoredSession(
        id=session_id,
        parent_id=found["parent_id"],
        fork_of=found["fork_session_id"],
        directory=found["directory"],
        title=found["title"],
        version=found["version"],
        created=epoch_ms(found["time_created"]),
        updated=epoch_ms(found["time_updated"]),
        revert_to=revert.message_id,
        keeps_revert=revert.part_id is not None,
    )


def _revert(text: str | None) -> Revert:
    try:
        return msgspec.json.decode(text, type=Revert) if text else Revert()
    except msgspec.MsgspecError:
        return Revert()


def as_bytes(data: str | bytes | None) -> bytes:
    return data if isinstance(data, bytes) else (data or "").encode("utf-8", "surrogatepass")


__all__ = ["FirstTables", "Generation", "SecondTables", "as_bytes", "candidate_of"]
