"""First index, no-change refresh and cold queries: `sw` and other session-search tools over the same home.

Each tool gets HOME set to a copy of the generated home. Give the tools as `name=path/to/command`; known names are
agentsview, mnemo, navcom and sw. Prints CPU seconds first: wall time on a shared machine is only an indication.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
from pathlib import Path

from .processes import median_of, run, size_of

QUERIES = (
    "checkpoint",
    "shadow branch",
    "compact_boundary",
    "cmd/entire/cli",
    "zzqqxxjj",
    "登录",
    "为什么呢",
    "🚀",
    "commit message",
)
FIRST = {
    "agentsview": ["sync"],
    "mnemo": ["index"],
    "navcom": ["--maintain"],
    "sw": ["session", "import"],
}
AGAIN = FIRST
QUERY = {
    "mnemo": lambda text: ["search", text, "--json", "--limit", "50"],
    "navcom": lambda text: [text, "--json"],
    "sw": lambda text: ["session", "search", "--output", "json", "--limit", "50", "--", text],
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The home and the tools."""
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--tool", action="append", required=True, metavar="NAME=COMMAND")
    parser.add_argument("--runs", type=int, default=5)


def main(arguments: argparse.Namespace) -> None:
    """Measure every tool in turn."""
    for tool in arguments.tool:
        name, _, command = tool.partition("=")
        with tempfile.TemporaryDirectory() as folder:
            _measure(name, command, arguments.home, Path(folder) / "home", arguments.runs)


def _measure(name: str, command: str, source: Path, home: Path, runs: int) -> None:
    shutil.copytree(source, home)
    before = size_of(home)
    environ = {
        **os.environ,
        "HOME": str(home),
        "AGENTSVIEW_TELEMETRY_ENABLED": "0",
        "TELEMETRY_ENABLED": "0",
        "AGENTSVIEW_DISABLE_UPDATE_CHECK": "1",
        "AGENTSVIEW_NO_DAEMON": "1",
    }
    first = run([command, *FIRST[name]], environ)
    print(
        f"{name}: first index cpu {first.cpu:.2f} s, wall {first.wall:.2f} s, peak {first.peak_mb:.0f} MB, "
        f"disk {(size_of(home) - before) / before:.1%} of source, exit {first.status}"
    )
    again = median_of([command, *AGAIN[name]], runs, environ)
    print(f"{name}: no change cpu {again.cpu:.3f} s, wall {again.wall:.3f} s, peak {again.peak_mb:.0f} MB")
    for text in QUERIES if name in QUERY else ():
        found = median_of([command, *QUERY[name](text)], runs, environ)
        print(f"{name}: query {text!r} cpu {found.cpu:.3f} s, wall {found.wall:.3f} s, peak {found.peak_mb:.0f} MB")
