"""Import one plugin in a process of its own and report what it offers. For `plugins --check`, never for a product.

A plugin that hangs, exits or crashes the interpreter takes that process with it and nothing else.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from typing import NamedTuple

from .contract.errors import PluginError, StarweaverError

TIMEOUT_S = 60
"""Longer than any import we have seen, short enough to wait for."""


class Checkup(NamedTuple):
    """What a plugin offers (`kind name`), and what is wrong with it."""

    offers: tuple[str, ...]
    problems: tuple[StarweaverError, ...]


def check_plugin(plugin: str, *, timeout_s: float = TIMEOUT_S, traceback: bool = False) -> Checkup:
    """Import a plugin in a subprocess. Never raises for what the plugin does.

    With `traceback`, what the plugin writes and the causes of its problems go to standard error.
    """
    command = [sys.executable, "-m", "starweaver_host", "plugins", "--collect", plugin]
    command += ["--traceback"] if traceback else []
    errors = None if traceback else subprocess.DEVNULL
    try:
        done = subprocess.run(  # noqa: S603 - our own module
            command, stdout=subprocess.PIPE, stderr=errors, text=True, timeout=timeout_s, check=False
        )
    except subprocess.TimeoutExpired:
        return _crashed("import_timed_out", plugin, f"did not finish importing in {timeout_s:g} s")
    try:
        answer = json.loads(done.stdout.rpartition("\x1e")[2])
        problems = tuple(PluginError(p["problem"], plugin, p["message"], hint=p["hint"]) for p in answer["problems"])
        return Checkup(tuple(answer["offers"]), problems)
    except (ValueError, KeyError, TypeError):
        return _crashed("import_crashed", plugin, f"ended the interpreter with status {done.returncode}")


def collect_here(plugin: str, *, traceback: bool) -> str:
    """The subprocess's side: import the plugin and describe the outcome as JSON behind a record separator.

    What the plugin prints goes to standard error, so that it cannot be taken for the answer.
    """
    from traceback import print_exception

    from .discovery import Listing, discover
    from .registry import collect

    with contextlib.redirect_stdout(sys.stderr):
        collected = collect([Listing(plugin)], discover())
    for problem in collected.problems if traceback else ():
        print_exception(problem)
    offers = [f"{group.kind} {offer.name}" for group in collected.registry for offer in group]
    problems = [{"problem": p.problem, "message": p.message, "hint": p.hint} for p in collected.problems]
    return "\x1e" + json.dumps({"offers": offers, "problems": problems})


def _crashed(problem: str, plugin: str, fault: str) -> Checkup:
    hint = f"python -c 'import ...' shows it; or remove {plugin!r} from plugins"
    return Checkup((), (PluginError(problem, plugin, f"plugin {plugin!r} {fault}", hint=hint),))


__all__ = ["Checkup", "check_plugin", "collect_here"]
