"""From a plugin's name to its imported module, or the reason why not. Calls no hook.

Whether a plugin is absent is decided from metadata, never from an ImportError: a plugin that is there and cannot be
imported is another problem, with another remedy.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from types import ModuleType

from .contract.errors import PluginError
from .discovery import Candidate, Discovery, Listing
from .wording import cause, quoted, suggestion

OWN_PLUGINS = frozenset(
    {
        "agent-runtime",
        "agent-tools",
        "cli",
        "fts-search",
        "local-search",
        "mcp",
        "rpc",
        "sqlite-store",
        "transcripts",
    }
)
"""Plugins of this repository; the distribution of `NAME` is `starweaver-NAME`."""


def each_once(listings: Sequence[Listing], problems: list[PluginError]) -> Iterator[Listing]:
    """Every listing whose plugin was not listed before; the others become problems."""
    seen: dict[str, Listing] = {}
    for listing in listings:
        first = seen.setdefault(listing.plugin, listing)
        if first is listing:
            yield listing
        else:
            problems.append(
                PluginError(
                    "doubled_listing",
                    listing.plugin,
                    f"plugin {listing.plugin!r} is listed twice{listing.named}",
                    hint="keep one of the two in plugins",
                )
            )


def choose(listing: Listing, found: Discovery) -> Candidate:
    """The one candidate of that name; raises PluginError `not_installed` or `installed_twice`."""
    candidates = found.named(listing.plugin)
    if len(candidates) == 1:
        return candidates[0]
    if candidates:
        raise installed_twice(listing.plugin, candidates, named=listing.named)
    raise PluginError(
        "not_installed",
        listing.plugin,
        f"plugin {listing.plugin!r} is not installed{listing.named}; installed: {quoted(found.names)}",
        hint=_install_hint(listing.plugin, found),
    )


def installed_twice(plugin: str, candidates: Sequence[Candidate], *, named: str = "") -> PluginError:
    """The problem of a plugin name that more than one distribution offers."""
    offered = ", ".join(f"{candidate.source} as {candidate.module!r}" for candidate in candidates)
    others = " or ".join(sorted({candidate.distribution for candidate in candidates}))
    return PluginError(
        "installed_twice",
        plugin,
        f"plugin {plugin!r} is installed twice{named}: {offered}",
        hint=f"uninstall {others}",
    )


def _install_hint(plugin: str, found: Discovery) -> str:
    if plugin in OWN_PLUGINS:
        return f"install starweaver-{plugin}, or remove it from plugins"
    return suggestion(plugin, {*found.names, *OWN_PLUGINS}) or "install the distribution that offers it"


def import_plugin(candidate: Candidate, listing: Listing) -> ModuleType:
    """The plugin's module; raises PluginError `bad_entry_point` or `import_failed`, the cause kept."""
    if ":" in candidate.module or "[" in candidate.module:
        raise PluginError(
            "bad_entry_point",
            candidate.plugin,
            f"plugin {candidate.plugin!r} ({candidate.source}) must name a module, found {candidate.module!r}",
            hint=f"report this to the authors of {candidate.distribution}",
        )
    try:
        return importlib.import_module(candidate.module)
    except (Exception, SystemExit) as error:
        raise _import_failed(candidate, listing, error) from error


def _import_failed(candidate: Candidate, listing: Listing, error: BaseException) -> PluginError:
    plugin = f"plugin {candidate.plugin!r} ({candidate.source})"
    if not isinstance(error, ModuleNotFoundError) or error.name is None:
        message = f"{plugin} failed to import{listing.named}: {cause(error)}"
        return PluginError("import_failed", candidate.plugin, message, hint="run again with --traceback to see where")
    if candidate.module == error.name or candidate.module.startswith(f"{error.name}."):
        message = f"{plugin} names module {candidate.module!r}, which is not there{listing.named}"
        return PluginError("import_failed", candidate.plugin, message, hint=f"reinstall {candidate.distribution}")
    message = f"{plugin} needs module {error.name!r}, which is not installed{listing.named}"
    return PluginError("import_failed", candidate.plugin, message, hint=f"install what provides {error.name!r}")


__all__ = ["OWN_PLUGINS", "choose", "each_once", "import_plugin", "installed_twice"]
