"""The contract as data: its version and the JSON Schema of every value that crosses a wire. Loads no plugin."""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path
from typing import Any

import msgspec

from . import contract
from .contract.values import Input, Value
from .contract.version import CONTRACT_VERSION

_NOT_WIRE = frozenset({"commands", "errors", "frontend", "registration", "transcripts", "values", "version"})
"""Modules whose values stay inside a process: functions, classes, importer steps."""


def wire_values() -> list[type[msgspec.Struct]]:
    """Every value class of the contract that has a wire form, by module and name."""
    found: list[type[msgspec.Struct]] = []
    for info in pkgutil.iter_modules(contract.__path__):
        if info.name not in _NOT_WIRE:
            module = importlib.import_module(f"{contract.__name__}.{info.name}")
            found.extend(value for _, value in sorted(vars(module).items()) if _is_own_value(value, module.__name__))
    return found


def contract_document() -> dict[str, Any]:
    """Contract version and JSON Schema (2020-12) definitions; where two modules use a name, both carry their module."""
    _, definitions = msgspec.json.schema_components(wire_values(), schema_hook=_foreign, ref_template="#/$defs/{name}")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "contractVersion": CONTRACT_VERSION,
        "$defs": dict(sorted(definitions.items())),
    }


def _is_own_value(value: object, module: str) -> bool:
    return (
        isinstance(value, type)
        and issubclass(value, Value | Input)
        and value.__module__ == module
        and not value.__name__.startswith("_")
    )


def _foreign(kind: type) -> dict[str, Any]:
    if issubclass(kind, Path):
        return {"type": "string", "format": "path"}
    return {"type": "object", "description": kind.__name__}


__all__ = ["contract_document", "wire_values"]
