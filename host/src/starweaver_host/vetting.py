"""Whether what a hook yielded is a registration the host can use. Judges values; calls no factory, imports no plugin.

msgspec checks types when it decodes, not when a plugin constructs a value, so every field the host relies on is
checked here, by hand: a registration holds functions and classes, which no decoder describes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from .contract.errors import PluginError
from .contract.registration import (
    CommandRegistration,
    FrontEndRegistration,
    Registration,
    RpcMethodRegistration,
)
from .contract.version import CONTRACT_VERSION, is_compatible
from .discovery import Candidate

_NAME = re.compile(r"[a-z0-9]+(?:[-_.][a-z0-9]+)*")
_CALLABLES = {CommandRegistration: ("load",), FrontEndRegistration: ("main",), RpcMethodRegistration: ("handler",)}


def vet(item: object, expected: type[Registration], plugin: Candidate, hook: str) -> Iterator[PluginError]:
    """Yield what is wrong with one yielded item; nothing when it is usable."""
    if not isinstance(item, expected):
        found = type(item).__name__
        yield _bad(plugin, f"hook {hook!r} yielded {found}, wanted {expected.__name__}")
        return
    (name,) = _fields(item, "name")
    label = repr(name) if isinstance(name, str) else f"of hook {hook!r}"
    for fault in _faults(item):
        yield _bad(plugin, f"registration {label}: {fault}")
    yield from _version_faults(item, label, plugin)


def _faults(item: Registration) -> Iterator[str]:
    name, summary, config, capabilities = _fields(item, "name", "summary", "config", "capabilities")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        yield f"name must be lower-case words joined by '-', found {name!r}"
    if not isinstance(summary, str) or not summary.strip() or "\n" in summary:
        yield "summary must be one line of text"
    if config is not None and not _is_struct(config):
        yield "config must be a msgspec.Struct class or None"
    if not isinstance(capabilities, frozenset) or not all(isinstance(word, str) for word in capabilities):
        yield "capabilities must be a frozenset of words"
    for field in _CALLABLES.get(type(item), ("factory",)):
        if not callable(getattr(item, field, None)):
            yield f"{field} must be callable"
    yield from _shape_faults(item)


def _shape_faults(item: Registration) -> Iterator[str]:
    if isinstance(item, CommandRegistration):
        (path,) = _fields(item, "path")
        if not (isinstance(path, tuple) and path and all(isinstance(word, str) and word for word in path)):
            yield "path must be a tuple of words"
    if isinstance(item, RpcMethodRegistration):
        method, scope, params, result = _fields(item, "method", "scope", "params", "result")
        if not (isinstance(method, str) and method and isinstance(scope, str) and scope):
            yield "method and scope must be names"
        if not (_is_struct(params) and _is_struct(result)):
            yield "params and result must be msgspec.Struct classes"


def _fields(item: Registration, *names: str) -> tuple[object, ...]:
    """The fields as what they may really be: a plugin can put anything in them."""
    return tuple(getattr(item, name) for name in names)


def _version_faults(item: Registration, label: str, plugin: Candidate) -> Iterator[PluginError]:
    try:
        fits = is_compatible(item.contract)
    except (ValueError, AttributeError):
        yield _bad(plugin, f"registration {label}: contract must be 'major.minor', found {item.contract!r}")
        return
    if not fits:
        yield PluginError(
            "contract_mismatch",
            plugin.plugin,
            f"provider {label} of plugin {plugin.plugin!r} ({plugin.source}) is built for contract {item.contract}, "
            f"this host offers {CONTRACT_VERSION}",
            hint=f"install a version of {plugin.distribution} for contract {CONTRACT_VERSION}",
        )


def _bad(plugin: Candidate, fault: str) -> PluginError:
    return PluginError(
        "bad_registration",
        plugin.plugin,
        f"plugin {plugin.plugin!r} ({plugin.source}): {fault}",
        hint=f"report this to the authors of {plugin.distribution}",
    )


def _is_struct(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, msgspec.Struct)


__all__ = ["vet"]
