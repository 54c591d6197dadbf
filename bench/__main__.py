"""`python -m bench NAME ...`: each benchmark is a module with `add_arguments(parser)` and `main(arguments)`."""

from __future__ import annotations

import argparse
import importlib
import sys

NAMES = {
    "transcripts": "generate a home directory of transcripts by cloning and perturbing samples",
    "text": "generate a store of synthetic text, and the same text as files",
    "importing": "first import, refresh, size and memory over a generated home",
    "peers": "the same home with other tools, side by side",
    "scan": "full-miss and newest-20 scans against ripgrep",
    "startup": "cold commands against a bare interpreter",
    "fold": "the fold against str.casefold",
}


def main() -> int:
    """Run one benchmark."""
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    commands = parser.add_subparsers(dest="name", required=True)
    for name, summary in NAMES.items():
        command = commands.add_parser(name, help=summary)
        if name in sys.argv[1:2]:
            importlib.import_module(f"bench.{name}").add_arguments(command)
    arguments = parser.parse_args()
    importlib.import_module(f"bench.{arguments.name}").main(arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main())
