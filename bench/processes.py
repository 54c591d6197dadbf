"""Run a process and account for it: wall and CPU seconds, peak memory, exit status."""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple


class Figures(NamedTuple):
    """One run. CPU is user plus system of the process and its waited-for children; memory is the largest process."""

    wall: float
    cpu: float
    peak_mb: float
    status: int
    stdout: bytes


def run(command: Sequence[str], environ: Mapping[str, str] | None = None, cwd: Path | None = None) -> Figures:
    """Run to the end with no standard input."""
    started = time.perf_counter()
    with subprocess.Popen(
        command, env=environ, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - started
    return Figures(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, process.returncode, output)


def median_of(command: Sequence[str], runs: int, environ: Mapping[str, str] | None = None) -> Figures:
    """The median wall, CPU and memory of several runs after one that is not counted."""
    run(command, environ)
    taken = [run(command, environ) for _ in range(runs)]
    return Figures(
        statistics.median(figures.wall for figures in taken),
        statistics.median(figures.cpu for figures in taken),
        statistics.median(figures.peak_mb for figures in taken),
        taken[-1].status,
        taken[-1].stdout,
    )


def size_of(folder: Path) -> int:
    """Bytes of all regular files below a folder."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
