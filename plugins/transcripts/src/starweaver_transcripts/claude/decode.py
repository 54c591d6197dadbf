"""Bytes of a line to rows. Passes over what is not read before any JSON is decoded.

Two record types make up two fifths of real files and carry nothing that is kept: file snapshots, and progress reports,
of which only the place in the conversation tree is taken, by looking for it in the bytes.
"""

from __future__ import annotations

import json
import re

import msgspec

from starweaver_host.contract.transcripts import RecordSkipped
from starweaver_transcripts.emit import clean
from starweaver_transcripts.lines import Line

from .rows import READ_TYPES, Link, Row

_SNAPSHOT = b'{"type":"file-history-snapshot"'
_PROGRESS = b'"type":"progress","data":{'
_HEAD_BYTES = 2048
_ROWS = msgspec.json.Decoder(Row)
_SHAPES = msgspec.json.Decoder(dict[str, msgspec.Raw])
_TYPE = msgspec.json.Decoder(str)
_BAD = (msgspec.MsgspecError, RecursionError)
_TEXT = re.compile(r"\S")

Decoded = Row | Link | RecordSkipped


def decode_line(line: Line) -> list[Decoded]:
    """The rows of a line: usually one; none for a type that is not read; several where writers glued objects together.

    What cannot be understood comes out as RecordSkipped with its place.
    """
    data = line.data
    if data.startswith(_SNAPSHOT) or not data or data.isspace():
        return []
    if _is_progress(data):
        return [_link(data)]
    try:
        row = _ROWS.decode(data)
    except _BAD as error:
        return _decode_odd(line, error)
    if row.type in READ_TYPES:
        return [row]
    return [] if row.type else [RecordSkipped(where=line.where(), reason="a record without a type")]


def is_whole(line: Line) -> bool:
    """Tell whether a line without a newline is a whole JSON object all the same."""
    if line.terminated:
        return True
    try:
        _SHAPES.decode(line.data)
    except _BAD:
        return False
    return True


def _decode_odd(line: Line, error: Exception) -> list[Decoded]:
    """A line that is no row: of a type that is not read, badly encoded, several objects, or damaged."""
    kind = _type_of(line.data)
    if kind is not None:
        wanted = kind in READ_TYPES or not kind
        return [RecordSkipped(where=line.where(), reason=str(error))] if wanted else []
    parts = _objects(line)
    if parts and parts[0].data != line.data:
        return [decoded for part in parts for decoded in decode_line(part)]
    return [RecordSkipped(where=line.where(), reason="no JSON object")]


def _type_of(data: bytes) -> str | None:
    """The type of a valid JSON object, `""` if it has none; None for anything else."""
    try:
        return _TYPE.decode(_SHAPES.decode(data).get("type", b'""'))
    except _BAD:
        return None


def _objects(line: Line) -> list[Line]:
    """The JSON values of a line, their encoding repaired, as lines; the damaged rest as the last. Linear."""
    text = line.data.decode("utf-8", "replace")
    decoder, parts, at = json.JSONDecoder(), [], 0
    while at < len(text):
        try:
            value, end = decoder.raw_decode(text, at)
            part = clean(json.dumps(value, ensure_ascii=False)) if isinstance(value, dict) else text[at:end]
        except (ValueError, RecursionError):
            part, end = text[at:], len(text)
        parts.append(Line(line.offset, line.number, part.encode("utf-8", "replace"), True))
        found = _TEXT.search(text, end)
        at = len(text) if found is None else found.start()
    return parts


def _is_progress(data: bytes) -> bool:
    at = data.find(_PROGRESS, 0, _HEAD_BYTES)
    return at >= 0 and data.find(b'"message":', 0, at) < 0


def _link(data: bytes) -> Link:
    agent = _last(data, b'"agentId":"') if b'"agent_progress"' in data else None
    return Link(
        uuid=_last(data, b'"uuid":"'),
        parent_uuid=_first(data, b'"parentUuid":"'),
        agent_id=agent,
        call_id=_last(data, b'"parentToolUseID":"') if agent else None,
    )


def _first(data: bytes, key: bytes) -> str | None:
    at = data.find(key, 0, _HEAD_BYTES)
    return None if at < 0 else _value(data, at + len(key))


def _last(data: bytes, key: bytes) -> str | None:
    at = data.rfind(key)
    return None if at < 0 else _value(data, at + len(key))


def _value(data: bytes, start: int) -> str:
    return data[start : data.find(b'"', start, start + 256)].decode("ascii", "replace")


__all__ = ["Decoded", "decode_line", "is_whole"]
