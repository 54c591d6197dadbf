"""Logging: a logger that costs nothing until something is worth saying, and the names of what the host says.

structlog takes 60 ms to import and more beside a large environment, so it is imported by the first event that passes
the threshold. Nothing is configured globally: a library that is embedded leaves its program's logging alone.
"""

from __future__ import annotations

import sys
from typing import Any, Literal, TextIO

Level = Literal["debug", "info", "warning", "error"]
LEVELS: dict[str, int] = {"debug": 10, "info": 20, "warning": 30, "error": 40}

PLUGIN_LOADED = "plugin.loaded"
PRODUCT_COMPOSED = "product.composed"
PROVIDER_OPENED = "provider.opened"
PROVIDER_CLOSED = "provider.closed"
PROVIDER_FAILED = "provider.failed"


class LazyLogger:
    """A structured logger for a product and its providers; `bound` keys stand in every event.

    Events below `level` are dropped before structlog is imported. Text goes to `stream` (standard error, looked up
    when the event happens), one line per event; `as_json` writes JSON lines instead.
    """

    def __init__(
        self, level: Level = "warning", *, stream: TextIO | None = None, as_json: bool = False, **bound: object
    ) -> None:
        self._threshold = LEVELS[level]
        self._level: Level = level
        self._stream = stream
        self._as_json = as_json
        self._bound = bound

    def bind(self, **details: object) -> LazyLogger:
        """The same logger with more keys in every event."""
        return LazyLogger(self._level, stream=self._stream, as_json=self._as_json, **{**self._bound, **details})

    def debug(self, event: str, **details: object) -> None:
        """Something only a developer wants."""
        self._emit("debug", event, details)

    def info(self, event: str, **details: object) -> None:
        """Something that happened as it should."""
        self._emit("info", event, details)

    def warning(self, event: str, **details: object) -> None:
        """Something an operator should know."""
        self._emit("warning", event, details)

    def error(self, event: str, **details: object) -> None:
        """Something failed."""
        self._emit("error", event, details)

    def _emit(self, level: Level, event: str, details: dict[str, object]) -> None:
        if LEVELS[level] < self._threshold:
            return
        stream = sys.stderr if self._stream is None else self._stream
        logger = _structlog_logger(stream, as_json=self._as_json)
        getattr(logger, level)(event, **{**self._bound, **details})


def _structlog_logger(stream: TextIO, *, as_json: bool) -> Any:
    """Cheap once structlog is imported: loggers are values, and nothing here is worth caching."""
    import structlog

    last = (
        structlog.processors.JSONRenderer()
        if as_json
        else structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback)
    )
    processors: list[Any] = [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info if as_json else structlog.processors.StackInfoRenderer(),
        last,
    ]
    return structlog.wrap_logger(structlog.PrintLogger(stream), processors=processors, context_class=dict)


__all__ = [
    "LEVELS",
    "PLUGIN_LOADED",
    "PRODUCT_COMPOSED",
    "PROVIDER_CLOSED",
    "PROVIDER_FAILED",
    "PROVIDER_OPENED",
    "LazyLogger",
    "Level",
]
