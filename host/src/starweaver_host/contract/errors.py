"""Every error that crosses a border of the system.

    StarweaverError
    ├── ConfigError              a configuration file or value is wrong
    ├── StartupError             a product cannot be composed; carries every problem found
    ├── StoreError               one class, code from StoreErrorCode
    ├── SearchError              one class, code from SearchErrorCode (Session Search)
    ├── SessionQueryError        one class, code from SessionQueryErrorCode (Session Query)
    ├── AgentSessionError        one class, code from AgentErrorCode
    ├── SourceError              a transcript source cannot be read
    └── UsageError               a person or program called a front end wrongly

Messages are lower case, one statement, without a full stop: what was wanted, what was found, where. The hint stands
apart and is an action. A StarweaverError is expected: front ends print one line and exit with its code's exit status.
Anything else is a bug and keeps its traceback.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

StoreErrorCode = Literal[
    "not_found",
    "already_exists",
    "conflict",
    "stale_fence",
    "idempotency_conflict",
    "quota_exceeded",
    "run_conflict",
    "terminal",
    "unavailable",
    "full",
    "corrupt",
    "unsupported_schema",
    "invalid",
    "failed",
]
SearchErrorCode = Literal[
    "invalid_query", "invalid_cursor", "unsupported", "unavailable", "permission_denied", "failed"
]
SessionQueryErrorCode = Literal[
    "SESSION_QUERY_ABORTED",
    "SESSION_QUERY_EVENT_NOT_FOUND",
    "SESSION_QUERY_INDEX_FAILED",
    "SESSION_QUERY_INVALID_CONFIG",
    "SESSION_QUERY_INVALID_CURSOR",
    "SESSION_QUERY_INVALID_FILTER",
    "SESSION_QUERY_INVALID_LIMIT",
    "SESSION_QUERY_INVALID_LINEAGE",
    "SESSION_QUERY_INVALID_QUERY",
    "SESSION_QUERY_INVALID_SURFACE",
    "SESSION_QUERY_INVALID_WINDOW",
    "SESSION_QUERY_PERSISTENCE_FAILED",
    "SESSION_QUERY_SESSION_NOT_FOUND",
    "SESSION_QUERY_STALE_CURSOR",
    "SESSION_QUERY_SOURCE_CONFLICT",
]
AgentErrorCode = Literal[
    "invalid_query",
    "invalid_command",
    "invalid_cursor",
    "not_found",
    "unsupported",
    "unavailable",
    "permission_denied",
    "approval_required",
    "conflict",
    "idempotency_conflict",
    "run_conflict",
    "not_active",
    "terminal",
    "stale_active",
    "quota_exceeded",
    "failed",
]

STORE_ERROR_CODES: tuple[StoreErrorCode, ...] = get_args(StoreErrorCode)
SEARCH_ERROR_CODES: tuple[SearchErrorCode, ...] = get_args(SearchErrorCode)
SESSION_QUERY_ERROR_CODES: tuple[SessionQueryErrorCode, ...] = get_args(SessionQueryErrorCode)
AGENT_ERROR_CODES: tuple[AgentErrorCode, ...] = get_args(AgentErrorCode)

_RETRYABLE = frozenset({"unavailable"})


class StarweaverError(Exception):
    """An expected failure: `code` for programs, `message` for people, `hint` an action, `retryable` as it says."""

    code: str = "failed"

    def __init__(self, message: str, *, hint: str | None = None, retryable: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.retryable = retryable


class ConfigError(StarweaverError):
    """A configuration file, key or value is wrong. `path` and `line` (1-based) say where, when known."""

    code = "config_invalid"

    def __init__(
        self, message: str, *, path: str | None = None, line: int | None = None, hint: str | None = None
    ) -> None:
        where = "" if path is None else f" ({path}:{line})" if line is not None else f" ({path})"
        super().__init__(message + where, hint=hint)
        self.path = path
        self.line = line


class StartupError(StarweaverError):
    """A product cannot be composed. `problems` holds every one that was found, each an error of its own."""

    code = "startup_refused"

    def __init__(self, product: str, problems: Sequence[StarweaverError]) -> None:
        count = len(problems)
        noun = "problem" if count == 1 else "problems"
        super().__init__(f"product {product!r} cannot start: {count} {noun}")
        self.product = product
        self.problems = tuple(problems)
        for problem in self.problems:
            self.add_note(f"- {problem.message}")  # so that an uncaught one says more than a number


class PluginError(StarweaverError):
    """One plugin cannot be used; `plugin` names it and `problem` is a stable word for the kind of trouble."""

    code = "plugin_invalid"

    def __init__(self, problem: str, plugin: str, message: str, *, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.problem = problem
        self.plugin = plugin


class UsageError(StarweaverError):
    """A front end was called with arguments it cannot serve."""

    code = "usage"


class SourceError(StarweaverError):
    """A transcript source, root or item cannot be read; the rest of an import goes on."""

    code = "source_unreadable"


class StoreError(StarweaverError):
    """A SessionStore operation failed; nothing of it was written. `current_revision` is set on revision conflicts."""

    def __init__(
        self,
        code: StoreErrorCode,
        message: str,
        *,
        hint: str | None = None,
        current_revision: int | None = None,
    ) -> None:
        super().__init__(message, hint=hint, retryable=code in _RETRYABLE)
        self.code: StoreErrorCode = code
        self.current_revision = current_revision


class SearchError(StarweaverError):
    """A search could not be answered. No provider at all is `unsupported`, an unhealthy one `unavailable`."""

    def __init__(self, code: SearchErrorCode, message: str, *, hint: str | None = None) -> None:
        super().__init__(message, hint=hint, retryable=code in _RETRYABLE)
        self.code: SearchErrorCode = code


class SessionQueryError(StarweaverError):
    """A session-query operation failed. `reason` refines a code, for instance `corrupt` for an unreadable log."""

    def __init__(
        self,
        code: SessionQueryErrorCode,
        message: str,
        *,
        reason: str | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.code: SessionQueryErrorCode = code
        self.reason = reason


class AgentSessionError(StarweaverError):
    """What a query or control handle answers instead of a result. Same code, same meaning on every surface."""

    def __init__(
        self,
        code: AgentErrorCode,
        message: str,
        *,
        current_revision: int | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message, hint=hint, retryable=code in _RETRYABLE)
        self.code: AgentErrorCode = code
        self.current_revision = current_revision


__all__ = [
    "AGENT_ERROR_CODES",
    "SEARCH_ERROR_CODES",
    "SESSION_QUERY_ERROR_CODES",
    "STORE_ERROR_CODES",
    "AgentErrorCode",
    "AgentSessionError",
    "ConfigError",
    "PluginError",
    "SearchError",
    "SearchErrorCode",
    "SessionQueryError",
    "SessionQueryErrorCode",
    "SourceError",
    "StartupError",
    "StarweaverError",
    "StoreError",
    "StoreErrorCode",
    "UsageError",
]
