"""Scans of the local search provider against ripgrep over the same texts.

`--small` and `--large` are folders made by `python -m bench text`. Prints CPU seconds first, of this process and of
ripgrep: the least of several runs, because a busy machine only ever adds. A full miss in process against
`rg -iF -j1`, as the command line scans (inline) and as a server does (on threads), and the newest 20 of a one-per-cent
literal at both sizes.
"""

from __future__ import annotations

import argparse
import asyncio
import shutil
import time
from pathlib import Path
from typing import NamedTuple

import msgspec

from starweaver_host.contract.registration import Offload
from starweaver_host.contract.search import SessionSearchQuery, SessionSearchScope
from starweaver_host.runtime import SystemClock, inline_offload, thread_offload
from starweaver_host.testing import provider_context
from starweaver_local_search.config import LocalSearchConfig
from starweaver_local_search.plugin import open_local_search
from starweaver_sqlite_store.config import SqliteStoreConfig
from starweaver_sqlite_store.plugin import open_sqlite_store

from .processes import run

MISSES = ("oauth refresh", "zqxjkvw", "несуществующее", "不存在的词")
NEWEST = SessionSearchQuery(text="onepercent", limit=20, sort="updated_desc", granularity="occurrence")
SCOPE = SessionSearchScope(namespace_id="local")


class Taken(NamedTuple):
    """Seconds: of CPU and of wall."""

    cpu: float
    wall: float

    def __str__(self) -> str:
        return f"cpu {self.cpu * 1000:.1f} ms, wall {self.wall * 1000:.1f} ms"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The two corpora."""
    parser.add_argument("--small", type=Path, required=True)
    parser.add_argument("--large", type=Path, required=True)
    parser.add_argument("--runs", type=int, default=5, help="counted runs of each, after one that is not (default 5)")


def main(arguments: argparse.Namespace) -> None:
    """Measure and print."""
    _compare_sizes(arguments.small, arguments.large, arguments.runs)
    for needle in MISSES:
        query = SessionSearchQuery(text=needle, limit=20)
        theirs = _ripgrep(needle, arguments.large / "files", arguments.runs)
        if theirs is not None:
            print(f"{needle!r}, rg -iF -j1: {theirs}")
        for name, offload in (("inline", inline_offload), ("threads", thread_offload)):
            ours = asyncio.run(_timed(arguments.large, query, offload, arguments.runs))
            ratio = "" if theirs is None else f", {ours.cpu / theirs.cpu:.2f} x CPU of rg, {_wall(ours, theirs)}"
            print(f"{needle!r}, full miss {name}: {ours}{ratio}")


def _wall(ours: Taken, theirs: Taken) -> str:
    return f"{ours.wall / theirs.wall:.2f} x its wall"


def _compare_sizes(small: Path, large: Path, runs: int) -> None:
    taken = [asyncio.run(_timed(folder, NEWEST, inline_offload, 4 * runs)) for folder in (small, large)]
    for name, each in zip(("small", "large"), taken, strict=True):
        print(f"newest 20 of 'onepercent', {name}: {each}")
    print(f"newest 20, large / small: {taken[1].cpu / taken[0].cpu:.2f}")


def _ripgrep(needle: str, folder: Path, runs: int) -> Taken | None:
    rg = shutil.which("rg")
    if rg is None:
        return None
    command = [rg, "-iF", "-j1", "-l", "--no-ignore", "--", needle, str(folder)]
    figures = [run(command) for _ in range(runs + 1)][1:]
    return Taken(min(each.cpu for each in figures), min(each.wall for each in figures))


async def _timed(folder: Path, query: SessionSearchQuery, offload: Offload, runs: int) -> Taken:
    """The least of `runs` searches in one process, the store warm; says so when an answer is not what was wanted."""
    context = msgspec.structs.replace(provider_context(folder), clock=SystemClock(), offload=offload)
    store_config = SqliteStoreConfig(path=folder / "store.sqlite3")
    unbounded = LocalSearchConfig(scan_timeout_ms=600_000, max_scan_bytes=1 << 40)
    taken = []
    async with (
        open_sqlite_store(store_config, context) as store,
        open_local_search(unbounded, msgspec.structs.replace(context, store=store)) as search,
    ):
        for _ in range(runs + 1):
            wall, cpu = time.perf_counter(), time.process_time()
            page = await search.search(SCOPE, query)
            taken.append(Taken(time.process_time() - cpu, time.perf_counter() - wall))
            if page.coverage.state != "complete" or len(page.hits) not in (0, 20):
                print(f"unexpected: {len(page.hits)} hits, {page.coverage.state}, for {query.text!r}")
    return Taken(min(each.cpu for each in taken[1:]), min(each.wall for each in taken[1:]))
