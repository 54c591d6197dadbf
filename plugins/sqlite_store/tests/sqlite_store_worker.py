"""A process of its own for tests of death and of races: `python sqlite_store_worker.py COMMAND FOLDER ...`.

Prints one line per acknowledged commit, flushed, so that the parent knows what must survive.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from starweaver_host.contract.errors import StoreError
from starweaver_host.contract.events import AssistantMessage, NewEvent, TextBlock, new_event
from starweaver_host.contract.records import RunKey, SessionHeader
from starweaver_host.contract.registration import ProviderContext
from starweaver_host.contract.store import RunAdmission
from starweaver_host.contract.transcripts import ImportBatch, LedgerEntry
from starweaver_sqlite_store.config import SqliteStoreConfig
from starweaver_sqlite_store.plugin import open_sqlite_store
from starweaver_sqlite_store.store import SqliteSessionStore

BATCHES = 40


class SystemClock:
    def now(self) -> int:
        return time.time_ns() // 1000

    def monotonic(self) -> float:
        return time.monotonic()


async def inline(function: Callable[..., Any], /, *args: Any) -> Any:
    return function(*args)


def event(number: int) -> NewEvent:
    text = f"message {number} " + "word " * 300
    return new_event(AssistantMessage(content=(TextBlock(text=text),)), time=number, identity=f"m{number}")


def batch(session_id: str, number: int) -> ImportBatch:
    header = SessionHeader(namespace_id="local", session_id=session_id, created_at=1)
    entry = LedgerEntry(item_key=session_id, fingerprint=str(number), reader_version=1, version=number)
    events = tuple(event(number * 50 + place) for place in range(50))
    return ImportBatch(
        namespace_id="local", source="test", session=header, expected_next_seq=number * 50, events=events, ledger=entry
    )


def say(*words: object) -> None:
    print(*words, flush=True)


async def append_forever(store: SqliteSessionStore, session_id: str) -> None:
    key = SessionHeader(namespace_id="local", session_id=session_id, created_at=1).key
    number = 0
    while True:
        result = await store.append(key, [event(number)])
        say("committed", result.next_seq)
        number += 1


async def append_some(store: SqliteSessionStore, session_id: str, count: str) -> None:
    key = SessionHeader(namespace_id="local", session_id=session_id, created_at=1).key
    for number in range(int(count)):
        await store.append(key, [event(number)])


async def import_all(store: SqliteSessionStore, session_id: str) -> None:
    ledger = await store.ledger("local", "test")
    first = ledger[session_id].version if session_id in ledger else 0
    for number in range(first, BATCHES):
        receipt = await store.import_batch(batch(session_id, number))
        say("committed", receipt.next_seq)


async def admit(store: SqliteSessionStore, session_id: str, host: str, rounds: str) -> None:
    for number in range(int(rounds)):
        key = RunKey(namespace_id="local", session_id=f"{session_id}{number}", run_id=f"r-{host}")
        try:
            await store.admit_run(RunAdmission(key=key, admission_id=host, host_instance_id=host))
        except StoreError as error:
            say("refused", number, error.code)
        else:
            say("admitted", number)


COMMANDS = {"append": append_forever, "append_some": append_some, "import": import_all, "admit": admit}


async def main(command: str, folder: str, *args: str) -> None:
    place = Path(folder)
    logger: Any = None  # nothing here logs
    context = ProviderContext(
        product="worker", data_dir=place, config_dir=place, clock=SystemClock(), logger=logger, offload=inline
    )
    async with open_sqlite_store(SqliteStoreConfig(busy_timeout_ms=20_000), context) as store:
        say("open")
        sys.stdin.readline()
        await COMMANDS[command](store, *args)  # type: ignore[operator]
    say("done")


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
