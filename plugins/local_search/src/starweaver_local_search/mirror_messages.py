"""Reads the messages of a display mirror that may be searched: public assistant text and terminal previews.

Not reasoning, native payloads or file metadata, whatever the mirror calls them; never a payload. A message that is
not understood is skipped; a file that is not understood is malformed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, cast

import msgspec

KINDS = frozenset(
    {
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_END",
        "RUN_FINISHED",
        "RUN_ERROR",
        "RUN_CANCELLED",
    }
)
HIDDEN_PARTS = frozenset({"thinking", "reasoning", "native_payload", "file_metadata"})
SNAPSHOT_SCHEMA = "starweaver.stream.replay_snapshot"
SNAPSHOT_VERSION = 1


class MirrorMalformed(ValueError):  # noqa: N818 - a state of one file
    """The file is no mirror."""


class MirrorMessage(msgspec.Struct, frozen=True, kw_only=True):
    """One searchable message. `time` is UTC microseconds; `run_id` the run that wrote it."""

    run_id: str
    agent_id: str | None
    sequence: int
    time: int
    text: str


def parse_mirror(data: bytes, session_id: str) -> Iterator[MirrorMessage]:
    """Yield the searchable messages of a mirror of `session_id`, in file order; raises MirrorMalformed at once."""
    return _searchable(_messages(_decode(data)), session_id)


def _decode(data: bytes) -> object:
    try:
        return msgspec.json.decode(data)
    except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
        raise MirrorMalformed("a display mirror is no JSON") from error


def _messages(body: object) -> list[object]:
    """The message list of a bare array, a snapshot, or an enveloped snapshot."""
    if isinstance(body, dict) and ("schema" in body or "version" in body):
        if body.get("schema") != SNAPSHOT_SCHEMA or body.get("version") != SNAPSHOT_VERSION:
            raise MirrorMalformed("a display mirror has an unknown schema or version")
        body = body.get("payload")
    if isinstance(body, dict):
        body = body.get("display_messages", [])
    if not isinstance(body, list):
        raise MirrorMalformed("a display mirror holds no list of messages")
    return cast("list[object]", body)


def _searchable(messages: list[object], session_id: str) -> Iterator[MirrorMessage]:
    for message in messages:
        if isinstance(message, dict) and _is_eligible(message, session_id) and (found := _message(message)):
            yield found


def _is_eligible(message: Mapping[str, Any], session_id: str) -> bool:
    return (
        message.get("session_id") == session_id
        and message.get("visibility", "public") == "public"
        and message.get("type") in KINDS
        and not _is_hidden(message)
    )


def _is_hidden(message: Mapping[str, Any]) -> bool:
    metadata, payload = message.get("metadata"), message.get("payload")
    if isinstance(metadata, dict) and (metadata.get("reasoning") or metadata.get("part_kind") in HIDDEN_PARTS):
        return True
    return isinstance(payload, dict) and payload.get("part_kind") in HIDDEN_PARTS


def _message(message: Mapping[str, Any]) -> MirrorMessage | None:
    text, sequence, run_id = message.get("preview"), message.get("sequence"), message.get("run_id")
    time = _time(message.get("timestamp"))
    if not isinstance(text, str) or not isinstance(sequence, int) or not isinstance(run_id, str) or time is None:
        return None
    agent_id = message.get("agent_id")
    return MirrorMessage(
        run_id=run_id,
        agent_id=agent_id if isinstance(agent_id, str) else None,
        sequence=sequence,
        time=time,
        text=text,
    )


def _time(value: object) -> int | None:
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return None
    known = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    delta = known - datetime(1970, 1, 1, tzinfo=UTC)
    return (delta.days * 86_400 + delta.seconds) * 1_000_000 + delta.microseconds


__all__ = ["MirrorMalformed", "MirrorMessage", "parse_mirror"]
