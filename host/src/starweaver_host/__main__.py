"""`python -m starweaver_host plugins|config|contract`: what is installed and configured, when nothing starts.

Knows no product and imports no plugin (`plugins --check` does so in processes of their own), so it works when every
plugin is broken and when a configuration file cannot be parsed. Exit status: 0 fine, 1 a plugin has a problem, 2 a
configuration file has one or the command was called wrongly.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from .contract.errors import ConfigError, PluginError, StarweaverError
from .discovery import Candidate, Discovery, discover

Output = tuple[dict[str, object], Iterable[str], int]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; prints to standard output, returns the exit status."""
    options = _parser().parse_args(arguments)
    if options.command == "plugins" and options.collect:
        from .checkup import collect_here

        sys.stdout.write(collect_here(options.collect, traceback=options.traceback))
        return 0
    if options.command == "plugins":
        data, lines, status = _plugins(check=options.check, traceback=options.traceback)
    elif options.command == "config":
        data, lines, status = _config(options.file)
    else:
        data, lines, status = _contract()
    text = json.dumps(data, indent=2, default=str) if options.output == "json" else "\n".join(lines)
    sys.stdout.write(text + "\n")
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m starweaver_host", description="Inspect an installation.")
    commands = parser.add_subparsers(dest="command", required=True)
    plugins = commands.add_parser("plugins", help="list installed plugins without importing them")
    plugins.add_argument("--check", action="store_true", help="import each plugin in a process of its own")
    plugins.add_argument("--traceback", action="store_true", help="with --check, show where an import failed")
    plugins.add_argument("--collect", metavar="PLUGIN", help=argparse.SUPPRESS)
    config = commands.add_parser("config", help="show directories, files and keys")
    config.add_argument("--file", type=Path, help="show this file instead of those in the configuration directory")
    commands.add_parser("contract", help="show the contract's version and the JSON Schema of its values")
    for command in commands.choices.values():
        command.add_argument("--output", choices=("text", "json"), default="text")
    return parser


def _plugins(*, check: bool, traceback: bool) -> Output:
    found = discover()
    problems: list[StarweaverError] = list(_discovery_problems(found))
    offers: dict[str, tuple[str, ...]] = {}
    for plugin in found.names if check else ():
        from .checkup import check_plugin

        checkup = check_plugin(plugin, traceback=traceback)
        offers[plugin] = checkup.offers
        problems.extend(p for p in checkup.problems if not _is_reported(p, problems))
    data: dict[str, object] = {
        "plugins": [_candidate_object(candidate, offers) for candidate in found.candidates],
        "problems": [_problem_object(problem) for problem in problems],
    }
    lines = [*_table(found.candidates), *(f"{name} offers {', '.join(what)}" for name, what in offers.items() if what)]
    return data, [*lines, *_problem_lines(problems)], 1 if problems else 0


def _is_reported(problem: StarweaverError, problems: Iterable[StarweaverError]) -> bool:
    return any(problem.message == known.message for known in problems)


def _discovery_problems(found: Discovery) -> Iterator[PluginError]:
    from .loading import installed_twice

    for plugin in found.doubled:
        yield installed_twice(plugin, found.named(plugin))
    for item in found.unreadable:
        message = f"metadata of {item.distribution!r} cannot be read ({item.location}): {item.reason}"
        yield PluginError("bad_metadata", item.distribution, message, hint=f"reinstall {item.distribution}")


def _candidate_object(candidate: Candidate, offers: dict[str, tuple[str, ...]]) -> dict[str, object]:
    described: dict[str, object] = dict(candidate._asdict())
    return {**described, "offers": list(offers[candidate.plugin])} if candidate.plugin in offers else described


def _table(candidates: Sequence[Candidate]) -> Iterator[str]:
    if not candidates:
        yield "no plugins are installed"
        return
    rows = [
        ("PLUGIN", "DISTRIBUTION", "VERSION", "MODULE"),
        *(candidate[:1] + candidate[2:4] + candidate[1:2] for candidate in candidates),
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _config(file: Path | None) -> Output:
    from .config.document import Document
    from .config.places import find_places
    from .config.show import document_entries

    places = find_places()
    files = [file] if file is not None else sorted(places.config.path.glob("*.toml"))
    problems: list[StarweaverError] = []
    shown: list[dict[str, object]] = []
    lines = [f"{name} directory: {place.path} ({place.reason})" for name, place in places._asdict().items()]
    lines += [] if files else ["no configuration files: every product starts with its defaults"]
    for path in files:
        lines.append(f"{path}:")
        try:
            entries = document_entries(Document.read(path))
        except ConfigError as error:
            problems.append(error)
            continue
        shown.extend({"file": str(path), **entry._asdict()} for entry in entries)
        lines.extend(f"  {entry.key} = {json.dumps(entry.value, default=str)}  ({entry.where})" for entry in entries)
    data: dict[str, object] = {
        "directories": {
            name: {"path": str(place.path), "reason": place.reason} for name, place in places._asdict().items()
        },
        "files": [str(path) for path in files],
        "keys": shown,
        "problems": [_problem_object(problem) for problem in problems],
    }
    return data, [*lines, *_problem_lines(problems)], 2 if problems else 0


def _contract() -> Output:
    from .schema import contract_document

    document = contract_document()
    lines = [f"contract {document['contractVersion']}", *(f"  {name}" for name in document["$defs"])]
    return document, lines, 0


def _problem_object(problem: StarweaverError) -> dict[str, object]:
    told: dict[str, object] = {"code": problem.code, "message": problem.message, "hint": problem.hint}
    if isinstance(problem, PluginError):
        told |= {"plugin": problem.plugin, "problem": problem.problem}
    return told


def _problem_lines(problems: Sequence[StarweaverError]) -> Iterator[str]:
    for problem in problems:
        yield f"problem: {problem.message}"
        if problem.hint:
            yield f"  hint: {problem.hint}"


if __name__ == "__main__":
    sys.exit(main())
