"""Exit statuses of `sw` and the error codes behind them.

0 ok (also zero hits), 1 failed, 2 usage (also a bad query, cursor or configuration), 3 not found, 4 unsupported,
5 unavailable (retry may help), 6 conflict, 130 interrupted.
"""

from __future__ import annotations

OK = 0
FAILED = 1
USAGE = 2
NOT_FOUND = 3
UNSUPPORTED = 4
UNAVAILABLE = 5
CONFLICT = 6
INTERRUPTED = 130

EXIT_OF_CODE = {
    "usage": USAGE,
    "invalid": USAGE,
    "invalid_query": USAGE,
    "invalid_cursor": USAGE,
    "config_invalid": USAGE,
    "plugin_invalid": USAGE,
    "startup_refused": USAGE,
    "ambiguous": USAGE,
    "not_found": NOT_FOUND,
    "unsupported": UNSUPPORTED,
    "unsupported_schema": UNSUPPORTED,
    "unavailable": UNAVAILABLE,
    "conflict": CONFLICT,
    "already_exists": CONFLICT,
    "run_conflict": CONFLICT,
    "stale_fence": CONFLICT,
    "terminal": CONFLICT,
    "idempotency_conflict": CONFLICT,
}
"""Error code -> exit status; every other code is FAILED."""


def exit_status(code: str) -> int:
    """The exit status of an error code."""
    return EXIT_OF_CODE.get(code, FAILED)


__all__ = [
    "CONFLICT",
    "EXIT_OF_CODE",
    "FAILED",
    "INTERRUPTED",
    "NOT_FOUND",
    "OK",
    "UNAVAILABLE",
    "UNSUPPORTED",
    "USAGE",
    "exit_status",
]
