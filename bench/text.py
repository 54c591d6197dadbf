"""Generate a store of synthetic text, and the same texts as files for a grep.

Vocabulary by a Zipf law, one document in ten with Cyrillic, CJK or emoji words, log-normal lengths (median about 300
bytes). Markers of known frequency: `onepercent` in 1 % of the documents, `onepermille` in 0.1 %, `needlerare` in three.
Deterministic for a size.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import random
from collections.abc import Iterator
from pathlib import Path

from starweaver_host.contract.events import (
    AssistantMessage,
    NewEvent,
    TextBlock,
    TurnEnd,
    TurnStart,
    UserMessage,
    new_event,
)
from starweaver_host.contract.records import Run, SessionHeader
from starweaver_host.contract.transcripts import ImportBatch, LedgerEntry
from starweaver_host.projection.runs import RunFold
from starweaver_host.testing import provider_context

_LETTERS = "etaoinshrdlucmfwypvbgkjqxz"
_OTHER = ["проверка", "сессия", "журнал", "登录", "会话", "为什么", "期限", "🚀", "👩‍👩‍👧", "ошибка", "検索", "검색"]
_DAY = 86_400_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Size and destination."""
    parser.add_argument("--mb", type=float, default=100)
    parser.add_argument("--out", type=Path, required=True, help="folder for store.sqlite3 and files/")


def main(arguments: argparse.Namespace) -> None:
    """Write store and files."""
    arguments.out.mkdir(parents=True, exist_ok=True)
    asyncio.run(_fill(arguments.out, int(arguments.mb * 1e6)))


async def _fill(out: Path, size: int) -> None:
    from starweaver_sqlite_store.config import SqliteStoreConfig
    from starweaver_sqlite_store.plugin import open_sqlite_store

    files = out / "files"
    files.mkdir(exist_ok=True)
    config = SqliteStoreConfig(path=out / "store.sqlite3")
    texts = _texts(random.Random(7))
    written = number = 0
    async with open_sqlite_store(config, provider_context(out)) as store:
        while written < size:
            session = [next(texts) for _ in range(60)]
            await store.import_batch(_batch(number, session))
            body = "\n".join(session)
            (files / f"{number:06d}.txt").write_text(body, encoding="utf-8")
            written += len(body.encode())
            number += 1
    print(f"{number} sessions, {written / 1e6:.1f} MB of text in {out}")


def _texts(random_: random.Random) -> Iterator[str]:
    words = [
        "".join(random_.choices(_LETTERS, weights=range(26, 0, -1), k=random_.randint(2, 9))) for _ in range(30_000)
    ]
    weights = list(itertools.accumulate(1 / (rank + 3) for rank in range(len(words))))
    for number in itertools.count():
        length = max(4, int(random_.lognormvariate(3.9, 1.1)))
        chosen = random_.choices(words, cum_weights=weights, k=min(length, 8_000))
        if number % 10 == 0:
            chosen[:: max(2, length // 6)] = random_.choices(_OTHER, k=len(chosen[:: max(2, length // 6)]))
        if number % 100 == 50:
            chosen.insert(length // 2, "onepercent")
        if number % 1000 == 500:
            chosen.insert(length // 2, "onepermille")
        if number in {1_000, 2_000, 3_000}:
            chosen.insert(0, "needlerare")
        yield " ".join(chosen)


def _batch(number: int, texts: list[str]) -> ImportBatch:
    start = 1_700_000_000_000 + number * 60_000
    session_id = f"bench:{number:07d}"
    events = list(_events(texts, start))
    header = SessionHeader(namespace_id="local", session_id=session_id, created_at=start * 1000, origin="import")
    return ImportBatch(
        namespace_id="local",
        source="bench",
        session=header,
        events=tuple(events),
        runs=_runs(session_id, events),
        updated_at=events[-1].time * 1000,
        ledger=LedgerEntry(item_key=session_id, fingerprint="1", reader_version=1, session_ids=(session_id,)),
    )


def _runs(session_id: str, events: list[NewEvent]) -> tuple[Run, ...]:
    fold = RunFold("local", session_id)
    for event in events:
        fold.apply(event)
    return fold.take()


def _events(texts: list[str], start: int) -> Iterator[NewEvent]:
    """One prompt, then answers; the last answer is short, so that the output preview doubles little."""
    yield new_event(TurnStart(turn=1), time=start, run_id="turn-1")
    for index, text in enumerate(texts):
        block = (TextBlock(text=text),)
        payload = UserMessage(content=block) if index == 0 else AssistantMessage(content=block, message_id=str(index))
        yield new_event(payload, time=start + index * 1000, run_id="turn-1")
    yield new_event(TurnEnd(turn=1, reason="completed"), time=start + 60_000, run_id="turn-1")
