"""Sessions in the tables of OpenCode's Go ancestor and of Crush, which it became: a database in each project.

Looked for only where a person said so. A message is a row whose parts are a JSON list; results come as rows of their
own.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any

import msgspec

from starweaver_host.contract.errors import SourceError
from starweaver_host.contract.events import (
    AssistantMessage,
    MessageBlock,
    Payload,
    ReasoningBlock,
    TextBlock,
    ToolCall,
    ToolCallBlock,
    ToolResult,
    UserMessage,
)
from starweaver_transcripts.emit import clean, epoch_ms, tool_result, whole
from starweaver_transcripts.jsonrows import RowDecoder

from .database import columns
from .spoken import Candidate, Ending, Spoken, StoredSession
from .tables import as_bytes, candidate_of

_SECONDS_BELOW = 100_000_000_000
"""Times below this are seconds: as milliseconds they would lie before 1974."""
_REASONS = {"max_tokens": "max-tokens", "canceled": "cancelled", "error": "failed", "permission_denied": "cancelled"}


class _Part(msgspec.Struct):
    type: str
    data: dict[str, Any] = {}

    def text(self, key: str) -> str:
        value = self.data.get(key)
        return clean(value) if isinstance(value, str) else ""


class AncestorTables:
    """The tables `sessions` and `messages`."""

    number = 4

    def is_in(self, connection: sqlite3.Connection) -> bool:
        """Tell whether both are there, with the columns that are read."""
        wanted = {"id", "session_id", "role", "parts", "created_at", "updated_at"}
        return bool(columns(connection, "sessions")) and wanted <= columns(connection, "messages")

    def candidates(self, connection: sqlite3.Connection) -> Iterator[Candidate]:
        """Sessions with the newest time and the number of their messages."""
        rows = connection.execute(
            "SELECT s.id, s.updated_at, m.newest, m.n FROM sessions s LEFT JOIN (SELECT session_id, "
            "max(updated_at) newest, count(*) n FROM messages GROUP BY session_id) m ON m.session_id = s.id"
        )
        for session_id, updated, newest, count in rows:
            yield candidate_of(self.number, session_id, (_millis(updated), _millis(newest)), (count,))

    def describe(self, connection: sqlite3.Connection, session_id: str) -> StoredSession:
        """A session's row."""
        row = connection.execute(
            "SELECT parent_session_id, title, created_at, updated_at FROM sessions WHERE id = ?", (session_id,)
        ).fetchone()
        if row is None:
            raise SourceError(f"session {session_id!r} must be in table 'sessions', it is gone")
        parent, title, created, updated = row
        return StoredSession(
            id=session_id, parent_id=parent, title=title, created=_millis(created), updated=_millis(updated)
        )

    def spoken(
        self, connection: sqlite3.Connection, session_id: str, *, user_source: str, max_bytes: int
    ) -> Iterator[Spoken]:
        """Rows by time, in the order they were written."""
        decoder = RowDecoder(list[_Part])
        have = columns(connection, "messages")
        model = "model" if "model" in have else "NULL"
        rows = connection.execute(
            f"SELECT id, role, parts, {model}, created_at FROM messages WHERE session_id = ? "  # noqa: S608  # a column
            "ORDER BY created_at, rowid",
            (session_id,),
        )
        for message_id, role, parts, name, created in rows:
            time = _millis(created)
            try:
                found = decoder.decode(as_bytes(parts))
            except ValueError as error:
                yield Spoken(message_id, "other", time, error=str(error))
                continue
            if role == "user":
                yield _prompt(message_id, found, time, user_source)
            else:
                yield _answer(message_id, found, time, name, max_bytes)


def _prompt(message_id: str, parts: list[_Part], time: int | None, source: str) -> Spoken:
    blocks = tuple(TextBlock(text=part.text("text")) for part in parts if part.type == "text" and part.text("text"))
    message = UserMessage(content=blocks, source=source, message_id=clean(message_id))
    return Spoken(message_id, "prompt" if blocks else "other", time, ((message, time),) if blocks else ())


def _answer(message_id: str, parts: list[_Part], time: int | None, model: str | None, max_bytes: int) -> Spoken:
    blocks = tuple(block for part in parts for block in _blocks(part))
    payloads: list[Payload] = []
    if blocks:
        payloads.append(AssistantMessage(content=blocks, message_id=clean(message_id), model=model))
    for part in parts:
        if part.type == "tool_call":
            payloads.append(
                ToolCall(call_id=part.text("id"), name=part.text("name"), arguments=part.text("input") or "{}")
            )
        elif part.type == "tool_result":
            payloads.append(_result(part, max_bytes))
    finish = next((part for part in parts if part.type == "finish"), None)
    is_whole = finish is not None or not blocks
    timed = tuple((payload, time) for payload in payloads)
    return Spoken(message_id, "answer" if blocks else "other", time, timed, is_whole=is_whole, ending=_ending(finish))


def _blocks(part: _Part) -> Iterator[MessageBlock]:
    if part.type == "text" and part.text("text"):
        yield TextBlock(text=part.text("text"))
    elif part.type == "reasoning" and part.text("thinking"):
        yield ReasoningBlock(text=part.text("thinking"))
    elif part.type == "tool_call":
        yield ToolCallBlock(id=part.text("id"), name=part.text("name"))


def _result(part: _Part, max_bytes: int) -> ToolResult:
    return tool_result(
        part.text("tool_call_id"),
        part.text("content"),
        max_bytes=max_bytes,
        name=part.text("name") or None,
        is_error=part.data.get("is_error") is True,
    )


def _ending(finish: _Part | None) -> Ending | None:
    reason = _REASONS.get(finish.text("reason")) if finish is not None else None
    if reason is None or finish is None:
        return None
    message = finish.text("message") or finish.text("details") or None
    return Ending(reason, finish.text("reason"), message) if reason == "failed" else Ending(reason)


def _millis(value: float | None) -> int | None:
    found = whole(value)
    return found if found is None else epoch_ms(found * 1000 if found < _SECONDS_BELOW else found)


__all__ = ["AncestorTables"]
