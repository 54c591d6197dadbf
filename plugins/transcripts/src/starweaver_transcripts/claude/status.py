"""Small readings of rows that stay raw: what a system row says, and which subagent a tool result came from."""

from __future__ import annotations

from typing import Literal

import msgspec

from starweaver_host.contract.events import StatusDetail
from starweaver_transcripts.emit import clean

from .rows import Row

_SILENT = frozenset(
    {"turn_duration", "stop_hook_summary", "session_start", "microcompact_boundary", "local_command", "away_summary"}
)
Level = Literal["info", "warning", "error"]
_LEVELS: dict[str | None, Level] = {"warning": "warning", "error": "error"}


class _Inner(msgspec.Struct, gc=False):
    message: str | None = None
    error: _Inner | None = None


class _Error(msgspec.Struct, gc=False):
    formatted: str | None = None
    message: str | None = None
    error: _Inner | None = None


class _Result(msgspec.Struct, gc=False):
    agent_id: str | None = msgspec.field(default=None, name="agentId")


_TEXT = msgspec.json.Decoder(str)
_ERRORS = msgspec.json.Decoder(_Error | str | None)
_RESULTS = msgspec.json.Decoder(_Result)


def status_detail(row: Row) -> StatusDetail | None:
    """What a system row tells a reader; None for bookkeeping."""
    if row.subtype in _SILENT or row.is_meta:
        return None
    text = error_text(row.error) or _plain_text(row.content)
    if not text:
        return None
    failed = bool(row.error) and row.subtype in ("api_error", "error")
    return StatusDetail(level="error" if failed else _LEVELS.get(row.level, "info"), text=clean(text))


def error_text(raw: msgspec.Raw) -> str:
    """The message of an error object in any of its nestings; empty when there is none."""
    if not raw:
        return ""
    try:
        error = _ERRORS.decode(raw)
    except msgspec.MsgspecError:
        return ""
    if error is None or isinstance(error, str):
        return error or ""
    inner, text = error.error, error.formatted or error.message
    while not text and inner is not None:
        text, inner = inner.message, inner.error
    return text or ""


def subagent_of(row: Row) -> str | None:
    """The id of the subagent whose answer a tool result is. Looks before it decodes: the field is large."""
    raw = row.tool_use_result
    if not raw or b'"agentId"' not in bytes(raw):
        return None
    try:
        return _RESULTS.decode(raw).agent_id
    except msgspec.MsgspecError:
        return None


def _plain_text(raw: msgspec.Raw) -> str:
    try:
        return _TEXT.decode(raw) if raw else ""
    except msgspec.MsgspecError:
        return ""


__all__ = ["error_text", "status_detail", "subagent_of"]
