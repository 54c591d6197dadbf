"""First import, refreshes, size and memory over a generated home.

Every figure is of a process of its own, in a copy of `--home` that holds nothing but the transcripts. CPU seconds come
first: wall time on a shared machine is only an indication. With `--small-home`, the peak memory of both is compared:
it must not grow with what is imported.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from .processes import Figures, median_of, run, size_of

SOURCES = (".claude", ".codex", ".gemini", ".pi", ".local/share/opencode")
"""Where the tools keep their transcripts, relative to a home."""
IMPORT = ("session", "import")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The homes and the command."""
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--small-home", type=Path, help="a second, smaller home to compare memory with")
    parser.add_argument("--command", default="sw")
    parser.add_argument("--runs", type=int, default=5, help="refreshes to take the median of (default 5)")


def main(arguments: argparse.Namespace) -> None:
    """Measure and print."""
    with _copied(arguments.home) as home:
        first = _first(arguments.command, home)
        _refreshes(arguments.command, home, arguments.runs)
    if arguments.small_home is not None:
        with _copied(arguments.small_home) as home:
            small = _first(arguments.command, home)
        print(f"peak memory, large / small: {first.peak_mb / small.peak_mb:.2f}")


@contextmanager
def _copied(source: Path) -> Iterator[Path]:
    """A home with the transcripts alone."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        home.mkdir()
        for name in SOURCES:
            if (source / name).is_dir():
                shutil.copytree(source / name, home / name)
        yield home


def _first(command: str, home: Path) -> Figures:
    source = size_of(home)
    figures = run([command, *IMPORT], _environ(home))
    stored = size_of(home) - source
    print(
        f"first import of {source / 1e6:.0f} MB: {_told(figures)}, "
        f"disk {stored / 1e6:.1f} MB = {stored / source:.1%}, exit {figures.status}"
    )
    return figures


def _refreshes(command: str, home: Path, runs: int) -> None:
    environ = _environ(home)
    print(f"refresh, nothing changed: {_told(median_of([command, *IMPORT], runs, environ))}")
    changed = _append(home)
    figures = run([command, *IMPORT, "--output", "json"], environ)
    print(f"refresh after one line was appended to {changed.name}: {_told(figures)}, exit {figures.status}")
    extended = sum(root["extended"] for root in json.loads(figures.stdout)["roots"])
    if extended != 1:
        print(f"unexpected: {extended} items extended")


def _append(home: Path) -> Path:
    """Say one more thing in the newest transcript of Claude Code."""
    path = max((home / ".claude").rglob("*.jsonl"), key=lambda found: found.stat().st_mtime_ns)
    row = {
        "type": "user",
        "uuid": "00000000-0000-4000-8000-000000000001",
        "parentUuid": None,
        "sessionId": path.stem,
        "timestamp": "2026-11-20T12:00:00.000Z",
        "message": {"role": "user", "content": "one more line"},
    }
    with path.open("ab") as file:
        file.write(json.dumps(row).encode() + b"\n")
    return path


def _environ(home: Path) -> Mapping[str, str]:
    """The caller's environment with another home, and nothing that leads out of it."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "STARWEAVER_"))}
    return {**kept, "HOME": str(home)}


def _told(figures: Figures) -> str:
    return f"cpu {figures.cpu:.3f} s, wall {figures.wall:.3f} s, peak {figures.peak_mb:.0f} MB"
