"""TOML documents, a product's defaults and the user's file over them, and where each key came from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from starweaver_host.contract.errors import ConfigError

from .lines import find_line, index_lines
from .model import KeyPath, ProductDefinition, Slot, TomlTable
from .reading import read_file

MAX_DEPTH = 64
_BARE = r"[A-Za-z0-9_-]+"
_AT_LINE = r"\s*\(at (?:line (\d+), column \d+|end of document)\)$"


class Document:
    """One parsed document. `name` is what messages call it; `folder` is what relative paths in it are relative to.

    `table` is what `text` holds, where that is known without parsing it.
    """

    def __init__(self, name: str, text: str, folder: Path, *, table: TomlTable | None = None) -> None:
        self.name = name
        self.text = text
        self.folder = folder
        self.table: TomlTable = parse(text, name) if table is None else table

    @classmethod
    def read(cls, path: Path) -> Document:
        """Read a file; ConfigError when it cannot be read or is not TOML, with the line."""
        return cls(str(path), read_text(path), path.absolute().parent)

    def has(self, path: Sequence[str | int]) -> bool:
        """Whether the document itself says this key."""
        value: object = self.table
        for part in path:
            value = _below(value, part)
            if value is None:
                return False
        return True

    def where(self, path: Sequence[str | int]) -> str:
        """`file:line` of a key."""
        line = self.line(path)
        return self.name if line is None else f"{self.name}:{line}"

    def line(self, path: Sequence[str | int]) -> int | None:
        """The line of a key, or of the nearest table around it."""
        return find_line(self._lines, path)

    @cached_property
    def _lines(self) -> Mapping[tuple[str | int, ...], int]:
        return index_lines(self.text)


class Layers:
    """A product's defaults with the user's document over them. `table` is the result; the parts stay as they were."""

    def __init__(self, product: ProductDefinition[Any], defaults: Document, user: Document | None) -> None:
        self.product = product
        self.defaults = defaults
        self.user = user
        self.table = defaults.table if user is None else self._over(defaults.table, user.table)

    def origin(self, path: Sequence[str | int]) -> Document:
        """The document that says a key, or the nearest table around it that one of them says."""
        if self.user is not None:
            for length in range(len(path), 0, -1):
                if self.user.has(path[:length]):
                    return self.user
                if self.defaults.has(path[:length]):
                    return self.defaults
        return self.defaults if self.user is None else self.user

    def error(self, message: str, path: Sequence[str | int], *, hint: str | None = None) -> ConfigError:
        """A ConfigError that names the file and line of a key."""
        document = self.origin(path)
        return ConfigError(message, path=document.name, line=document.line(path), hint=hint)

    def _over(self, defaults: TomlTable, user: TomlTable) -> TomlTable:
        base = defaults
        for slot in self.product.slots:
            if _chooses_another(slot, defaults, user):
                base = _replaced(base, slot.table, self._own_keys(slot, table_at(base, slot.table)))
        return merge(base, user)

    def _own_keys(self, slot: Slot, table: TomlTable) -> TomlTable:
        """A slot's default table without the default provider's keys, which would mean nothing to another one."""
        from .keys import table_fields

        own = table_fields(self.product.config, slot.table)
        return {key: value for key, value in table.items() if key in own}


def _below(value: object, part: str | int) -> object:
    """What stands below a value; None for nothing, which TOML cannot say."""
    if isinstance(value, Mapping):
        return value.get(part)
    return value[part] if isinstance(value, list) and isinstance(part, int) and part < len(value) else None


def _chooses_another(slot: Slot, defaults: TomlTable, user: TomlTable) -> bool:
    chosen = table_at(user, slot.table).get(slot.selector)
    return not slot.many and chosen is not None and chosen != table_at(defaults, slot.table).get(slot.selector)


def merge(base: TomlTable, over: TomlTable) -> TomlTable:
    """Tables key by key; anything else, lists included, is replaced."""
    result = dict(base)
    for key, value in over.items():
        below = result.get(key)
        both = isinstance(below, Mapping) and isinstance(value, Mapping)
        result[key] = merge(cast("TomlTable", below), cast("TomlTable", value)) if both else value
    return result


def table_at(table: TomlTable, path: Sequence[str]) -> TomlTable:
    """The table at `path`, empty when there is none."""
    for part in path:
        below = table.get(part)
        if not isinstance(below, Mapping):
            return {}
        table = below
    return table


def _replaced(table: TomlTable, path: KeyPath, value: TomlTable) -> TomlTable:
    head, rest = path[0], path[1:]
    return {**table, head: _replaced(table_at(table, (head,)), rest, value) if rest else value}


def parse(text: str, name: str) -> TomlTable:
    """Parse TOML; ConfigError names the line."""
    import tomllib

    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        problem = str(error)
        match = re.search(_AT_LINE, problem)
        line = text.count("\n") + 1 if match is None or match[1] is None else int(match[1])
        message = re.sub(_AT_LINE, "", problem)
        raise ConfigError(
            f"configuration is not TOML: {message[:1].lower()}{message[1:]}",
            path=name,
            line=line,
            hint="correct the line, or move the file away to start with the defaults",
        ) from error
    except RecursionError as error:
        raise ConfigError("configuration is nested too deeply", path=name) from error
    except ValueError as error:  # a number of thousands of digits
        raise ConfigError(f"configuration holds a value that cannot be read: {error}", path=name) from error
    if _depth(table) > MAX_DEPTH:
        raise ConfigError(f"configuration is nested too deeply, at most {MAX_DEPTH} levels are read", path=name)
    return table


def _depth(table: TomlTable) -> int:
    """How many tables and lists lie in each other."""
    depth, level = 0, [cast("object", table)]
    while level:
        depth += 1
        held = [each for value in level for each in _members(value)]
        level = [each for each in held if isinstance(each, (Mapping, list))]
    return depth


def _members(value: object) -> Iterable[object]:
    return value.values() if isinstance(value, Mapping) else cast("list[object]", value)


def read_text(path: Path) -> str:
    """A configuration file's text (UTF-8, a byte order mark is tolerated); ConfigError when it cannot be read."""
    text = find_text(path)
    if text is None:
        raise ConfigError("configuration cannot be read: no such file or directory", path=str(path))
    return text


def find_text(path: Path) -> str | None:
    """The same; None when there is no file."""
    content = read_file(path)
    try:
        return None if content is None else content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise ConfigError("configuration is not UTF-8 text", path=str(path)) from error


def dotted(path: Sequence[str | int]) -> str:
    """A path as a person would write it: `sources.claude-code.roots[0]`."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            word = part if re.fullmatch(_BARE, part) else f'"{part}"'
            text += f".{word}" if text else word
    return text


__all__ = ["Document", "Layers", "dotted", "find_text", "merge", "parse", "read_text", "table_at"]
