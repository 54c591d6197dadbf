"""Cold commands against a bare interpreter, and the same beside many distributions that have nothing to do with `sw`.

Everything is a multiple of P: the time of `python -c pass` of the same interpreter, measured in turn with the commands
so that a busy machine weighs on all of them alike. Nothing is imported in between: the home must be up to date, which
a first search sees to. The minimum is what a command costs, the median what it felt like just now.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from .processes import Figures, run

BARE = ("-c", "pass")
COMMANDS = (
    ("--version",),
    ("--help",),
    ("session", "search", "zzqqxxjj", "--no-refresh", "--output", "json"),
    ("session", "search", "zzqqxxjj", "--output", "json"),
    ("session", "search", "checkpoint", "--output", "json"),
    ("session", "search", "登录", "--output", "json"),
)
_START = "from starweaver_cli.main import console; console()"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The interpreter that has the CLI set installed, and the home to search."""
    parser.add_argument("--python", type=Path, required=True, help="an interpreter whose environment holds the CLI set")
    parser.add_argument("--home", type=Path, required=True, help="a home with transcripts, imported or not")
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--unrelated", type=int, default=100, help="how many distributions to put beside it")


def main(arguments: argparse.Namespace) -> None:
    """Measure alone, then beside unrelated distributions."""
    environ = {**os.environ, "HOME": str(arguments.home.absolute())}
    for command in COMMANDS:
        _checked(run([str(arguments.python), "-c", _START, *command], environ), command)
    _measure("alone", arguments.python, environ, arguments.runs)
    with unrelated_distributions(arguments.unrelated) as folder:
        crowded = {**environ, "PYTHONPATH": str(folder)}
        _measure(f"beside {arguments.unrelated} unrelated distributions", arguments.python, crowded, arguments.runs)


@contextmanager
def unrelated_distributions(count: int) -> Iterator[Path]:
    """A folder with the metadata of so many distributions, half of them with entry points of other groups."""
    with tempfile.TemporaryDirectory() as name:
        for number in range(count):
            info = Path(name) / f"unrelated_{number}-1.{number}.dist-info"
            info.mkdir()
            text = f"Metadata-Version: 2.1\nName: unrelated-{number}\nVersion: 1.{number}\n"
            (info / "METADATA").write_text(text, encoding="utf-8")
            if number % 2:
                text = f"[console_scripts]\nunrelated-{number} = unrelated_{number}:main\n"
                (info / "entry_points.txt").write_text(text, encoding="utf-8")
        yield Path(name)


def _measure(title: str, python: Path, environ: Mapping[str, str], runs: int) -> None:
    lines = [[str(python), *BARE], *([str(python), "-c", _START, *command] for command in COMMANDS)]
    taken: list[list[Figures]] = [[] for _ in lines]
    for _ in range(runs):
        for line, figures in zip(lines, taken, strict=True):
            figures.append(run(line, environ))
    bare, *commands = taken
    print(f"{title}: P is {_least(bare, 'cpu') * 1000:.1f} ms CPU, {_least(bare, 'wall') * 1000:.1f} ms wall")
    print(f"{'CPU min':>8} {'median':>8} {'wall min':>9} {'median':>8}   command")
    for command, figures in zip(COMMANDS, commands, strict=True):
        shares = [of(figures, part) / of(bare, part) for part in ("cpu", "wall") for of in (_least, _median)]
        print("{:7.2f}P {:7.2f}P {:8.2f}P {:7.2f}P   sw ".format(*shares) + " ".join(command))


def _least(figures: Sequence[Figures], part: str) -> float:
    return min(_parts(figures, part))


def _median(figures: Sequence[Figures], part: str) -> float:
    return statistics.median(_parts(figures, part))


def _parts(figures: Sequence[Figures], part: str) -> list[float]:
    return [each.cpu if part == "cpu" else each.wall for each in figures]


def _checked(figures: Figures, command: Sequence[str]) -> None:
    if figures.status:
        raise SystemExit(f"`sw {' '.join(command)}` failed with status {figures.status}")
