"""The logger costs nothing below its threshold and configures nothing that is not its own."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from typing import Any

import pytest

from starweaver_host import logs
from starweaver_host.contract.registration import Logger
from starweaver_host.logs import LazyLogger
from starweaver_host.runtime import SystemClock, inline_offload, thread_offload


def test_logger_below_its_threshold_writes_and_imports_nothing() -> None:
    """Debug and info of a quiet product do not load structlog; a warning does."""
    code = (
        "import sys; from starweaver_host.logs import LazyLogger; log = LazyLogger()\n"
        "log.debug('x.y', a=1); log.info('x.y'); assert 'structlog' not in sys.modules\n"
        "log.warning('x.y', a=1); assert 'structlog' in sys.modules\n"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.count("x.y") == 1


def test_logger_writes_event_details_and_bound_keys_as_json() -> None:
    """One line per event, keys kept apart from the event's name."""
    stream = io.StringIO()

    LazyLogger("info", stream=stream, as_json=True, product="desk").bind(store="a").info(logs.PROVIDER_OPENED, slot="s")

    entry = json.loads(stream.getvalue())
    assert entry.pop("timestamp").endswith("Z")
    assert entry == {"event": "provider.opened", "level": "info", "product": "desk", "slot": "s", "store": "a"}


@pytest.mark.parametrize("level", list(logs.LEVELS))
def test_logger_keeps_what_reaches_its_level(level: Any) -> None:
    """A threshold keeps itself and everything above."""
    stream = io.StringIO()
    logger = LazyLogger(level, stream=stream)

    for name in logs.LEVELS:
        getattr(logger, name)(f"event.{name}")

    kept = [name for name in logs.LEVELS if f"event.{name}" in stream.getvalue()]
    assert kept == list(logs.LEVELS)[list(logs.LEVELS).index(level) :]


def test_logger_leaves_the_programs_structlog_alone() -> None:
    """An embedding program's configuration is not touched."""
    import structlog

    LazyLogger(stream=io.StringIO()).error("x.y")

    assert not structlog.is_configured()


def test_logger_is_the_contracts_logger() -> None:
    """What providers get is what the contract promises."""
    promised: Logger = LazyLogger()

    assert {name for name in vars(Logger) if not name.startswith("_")} <= set(dir(promised))


def test_event_names_are_nouns_and_verbs() -> None:
    """One grammar for every event of the host."""
    names = [value for name, value in vars(logs).items() if name.isupper() and isinstance(value, str)]

    assert names
    assert all(name.count(".") == 1 and name.islower() for name in names)


def test_offload_runs_here_or_on_another_thread(run: Any) -> None:
    """A one-shot command pays for no thread; a server's loop goes on."""
    import threading

    async def identities() -> tuple[int, int, int]:
        return (
            threading.get_ident(),
            await inline_offload(threading.get_ident),
            await thread_offload(threading.get_ident),
        )

    here, inline, thread = run(identities())
    assert here == inline != thread


def test_clock_counts_microseconds() -> None:
    """The clock's unit is the contract's."""
    import time

    before = time.time_ns() // 1000
    now = SystemClock().now()

    assert before <= now <= time.time_ns() // 1000
