"""The fold against `str.casefold`, on texts of several kinds; and what a snippet costs.

`str.casefold` folds no white space and composes nothing: the ratio is the price of exactness. Medians of alternating
rounds, so that a busy machine slows both sides alike.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from statistics import median
from time import perf_counter

from starweaver_host.projection.folding import fold
from starweaver_host.projection.snippets import make_snippet

LINE = "The quick brown Fox jumps over the lazy dog, and goes on until the end of this line of prose is reached"
KINDS = {
    "ascii, line breaks": LINE + "\n",
    "ascii, paragraphs": LINE + "\n\n",
    "ascii, indented": "    " + LINE + "\n",
    "a tenth not ascii": (LINE + "\n") * 9 + LINE.replace("quick", "“quick”") + "\n",
    "all not ascii": LINE.replace("quick", "“quick”") + "\n",
    "cyrillic": "Быстрая лисица прыгает через ленивую собаку и бежит дальше\n",
    "cjk": "今日は天気がいいですね、東京タワーに行きましょう。\n",
    "emoji": LINE.replace("Fox", "🦊") + "\n",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this benchmark."""
    parser.add_argument("--megabytes", type=float, default=2.0, help="size of each text (default 2)")
    parser.add_argument("--rounds", type=int, default=5, help="rounds per text (default 5)")


def main(arguments: argparse.Namespace) -> None:
    """Print a table of the fold, and one of snippets."""
    size = int(arguments.megabytes * 1e6)
    print(f"{'text':20} {'fold MB/s':>10} {'casefold MB/s':>14} {'ratio':>6}")
    for name, pattern in KINDS.items():
        text = pattern * max(1, size // len(pattern.encode()))
        folding, casefolding = _seconds([fold, str.casefold], text, arguments.rounds)
        megabytes = len(text.encode()) / 1e6
        ratio = folding / casefolding
        print(f"{name:20} {megabytes / folding:10.0f} {megabytes / casefolding:14.0f} {ratio:6.1f}")
    _snippets(arguments.rounds)


def _snippets(rounds: int) -> None:
    print(f"\n{'snippet of 8 KB':20} {'µs':>10} {'ratio to its fold':>21}")
    for name, pattern in KINDS.items():
        text = pattern * (4096 // len(pattern.encode())) + "needle" + pattern * (4096 // len(pattern.encode()))
        cutting, folding = _seconds([lambda text: make_snippet(text, "needle"), fold], text, rounds * 10)
        print(f"{name:20} {cutting * 1e6:10.0f} {cutting / folding:21.1f}")


def _seconds(functions: list[Callable[[str], object]], text: str, rounds: int) -> list[float]:
    """Median seconds of each function over `text`, called in turn."""
    times: list[list[float]] = [[] for _ in functions]
    for _ in range(rounds):
        for function, spent in zip(functions, times, strict=True):
            start = perf_counter()
            function(text)
            spent.append(perf_counter() - start)
    return [median(spent) for spent in times]
