"""Scans of the local search provider against ripgrep over the same texts.

`--small` and `--large` are folders made by `python -m bench text`. Prints medians and ratios: a full miss in process
against `rg -iF -j1`, and the newest 20 of a one-per-cent literal at both sizes.
"""

from __future__ import annotations

import argparse
import asyncio
import shutil
import statistics
import time
from pathlib import Path

from starweaver_host.contract.search import SessionSearchQuery, SessionSearchScope
from starweaver_host.testing import provider_context

from .processes import run

MISSES = ("oauth refresh", "zqxjkvw", "несуществующее", "不存在的词")
RUNS = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The two corpora."""
    parser.add_argument("--small", type=Path, required=True)
    parser.add_argument("--large", type=Path, required=True)


def main(arguments: argparse.Namespace) -> None:
    """Measure and print."""
    rg = shutil.which("rg")
    newest = {}
    for name in ("small", "large"):
        folder: Path = getattr(arguments, name)
        newest[name] = asyncio.run(_newest(folder))
        print(f"{name}: newest 20 of onepercent {newest[name] * 1000:.2f} ms")
    print(f"newest 20, large / small: {newest['large'] / newest['small']:.2f}")
    for needle in MISSES:
        ours = asyncio.run(_miss(arguments.large, needle))
        line = f"full miss {needle!r}: {ours * 1000:.0f} ms"
        if rg:
            command = [rg, "-iF", "-j1", "-l", "--no-ignore", "--", needle, str(arguments.large / "files")]
            theirs = statistics.median(run(command).wall for _ in range(RUNS))
            line += f", rg -j1 {theirs * 1000:.0f} ms, ratio {ours / theirs:.2f}"
        print(line)


async def _miss(folder: Path, needle: str) -> float:
    return await _timed(folder, SessionSearchQuery(text=needle, limit=20), empty=True)


async def _newest(folder: Path) -> float:
    query = SessionSearchQuery(text="onepercent", limit=20, sort="updated_desc", granularity="occurrence")
    return await _timed(folder, query, empty=False)


async def _timed(folder: Path, query: SessionSearchQuery, *, empty: bool) -> float:
    import msgspec

    from starweaver_host.runtime import SystemClock
    from starweaver_local_search.config import LocalSearchConfig
    from starweaver_local_search.plugin import open_local_search
    from starweaver_sqlite_store.config import SqliteStoreConfig
    from starweaver_sqlite_store.plugin import open_sqlite_store

    context = msgspec.structs.replace(provider_context(folder), clock=SystemClock())
    config = SqliteStoreConfig(path=folder / "store.sqlite3")
    async with (
        open_sqlite_store(config, context) as store,
        open_local_search(LocalSearchConfig(), msgspec.structs.replace(context, store=store)) as search,
    ):
        taken = []
        for _ in range(RUNS + 1):
            started = time.perf_counter()
            page = await search.search(SessionSearchScope(namespace_id="local"), query)
            taken.append(time.perf_counter() - started)
            if page.coverage.state != "complete" and not page.next_cursor:
                print(f"coverage {page.coverage.state}")
            if empty == bool(page.hits):
                print(f"unexpected: {len(page.hits)} hits for {query.text!r}")
        return statistics.median(taken[1:])
