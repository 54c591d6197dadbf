"""A configuration as lines of key, value and origin, for people. Values of keys that sound secret are hidden."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from starweaver_host.contract.errors import ConfigError
from starweaver_host.wording import suggestion

from .document import Document, Layers, dotted
from .model import KeyPath, TomlTable

HIDDEN = "****"
_SOUNDS_SECRET = re.compile(r"token|secret|password|passphrase|credential|(?:^|[_-])key$")


class Entry(NamedTuple):
    """One key: its dotted name, its value as TOML shows it, and `file:line` of where it is said."""

    key: str
    value: object
    where: str


def effective_entries(layers: Layers) -> list[Entry]:
    """Every key of a product's effective configuration, in the order of its tables."""
    return [
        Entry(dotted(path), _shown(path, value), layers.origin(path).where(path))
        for path, value in _leaves(layers.table, ())
    ]


def document_entries(document: Document) -> list[Entry]:
    """Every key of one file, with its line."""
    return [
        Entry(dotted(path), _shown(path, value), document.where(path)) for path, value in _leaves(document.table, ())
    ]


def effective_value(layers: Layers, path: KeyPath) -> object:
    """The effective value of a key; ConfigError with the nearest key when nothing says it."""
    value: object = layers.table
    for part in path:
        if not isinstance(value, Mapping) or part not in value:
            known = list(value) if isinstance(value, Mapping) else []
            raise ConfigError(f"key {dotted(path)!r} is not set", hint=suggestion(part, known))
        value = value[part]
    return value if isinstance(value, Mapping) else _shown(path, value)


def _leaves(table: TomlTable, path: KeyPath) -> Iterator[tuple[KeyPath, object]]:
    for key, value in table.items():
        if isinstance(value, Mapping) and value and not _is_reference(value):
            yield from _leaves(value, (*path, key))
        else:
            yield (*path, key), value


def _is_reference(value: TomlTable) -> bool:
    return value.keys() <= {"env", "file"}


def _shown(path: KeyPath, value: object) -> object:
    is_plain = isinstance(value, str) and bool(value)
    return HIDDEN if is_plain and _SOUNDS_SECRET.search(path[-1].lower()) else value


__all__ = ["HIDDEN", "Entry", "document_entries", "effective_entries", "effective_value"]
