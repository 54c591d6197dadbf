"""Change one key of a user's file, keeping comments, order and layout. Refuses what the product would not start with.

The only module that imports tomlkit, on the first edit. A change is made on the text in memory, the result is read as
the product would read it, and only then does it replace the file.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, MutableMapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

from starweaver_host.contract.errors import ConfigError
from starweaver_host.contract.registration import Secret
from starweaver_host.wording import quoted, suggestion

from .document import dotted, parse
from .files import write_atomically
from .keys import KeySpace, UnknownKeyError, members, struct_of
from .load import Reading, read_text_config
from .model import KeyPath
from .places import Places
from .reading import read_file

if TYPE_CHECKING:
    from tomlkit import TOMLDocument


def parse_key(text: str) -> KeyPath:
    """A dotted key as TOML writes it (`sources."my.tool".enabled`); ConfigError for anything else."""
    try:
        table: Any = tomllib.loads(f"{text} = 0")
    except tomllib.TOMLDecodeError:
        table = None
    path: list[str] = []
    while isinstance(table, dict) and len(table) == 1:
        ((part, table),) = table.items()
        path.append(part)
    if table != 0 or "\n" in text or not path:
        raise ConfigError(f"key must be words joined by dots, found {text!r}", hint="for instance search.provider")
    return tuple(path)


def set_value(
    file: Path,
    key: str,
    text: str,
    keys: KeySpace,
    *,
    environ: Mapping[str, str] | None = None,
    places: Places | None = None,
) -> object:
    """Set a key and write the file; returns the value as parsed.

    `text` is a TOML value; a key that takes text also takes it without quotes. Raises ConfigError, and writes nothing,
    for a key nobody knows, a value of the wrong type, and anything else the product would refuse to start with.
    """
    path = parse_key(key)
    document = _parse_document(file)
    value = _parse_value(path, text, _known(path, keys))
    _assign(document, path, value)
    _replace(file, document, keys, environ, places)
    return value


def unset_value(
    file: Path,
    key: str,
    keys: KeySpace,
    *,
    environ: Mapping[str, str] | None = None,
    places: Places | None = None,
) -> bool:
    """Remove a key, so that the product's default holds again; False when the file does not say it.

    Unknown keys can be removed: that is how they are repaired. Raises ConfigError when the product could not start
    without the key, and writes nothing then.
    """
    path = parse_key(key)
    document = _parse_document(file)
    table: Any = document
    for part in path[:-1]:
        table = table.get(part) if isinstance(table, MutableMapping) else None
    if not isinstance(table, MutableMapping) or path[-1] not in table:
        return False
    del table[path[-1]]
    _replace(file, document, keys, environ, places)
    return True


def _known(path: KeyPath, keys: KeySpace) -> Any:
    try:
        hint = keys.find(path)
    except UnknownKeyError as error:
        close = suggestion(error.path[-1], error.known)
        known = f"known keys: {quoted(error.known)}" if error.known else None
        raise ConfigError(f"unknown key {dotted(error.path)!r}", hint=close or known) from None
    if struct_of(hint) not in {None, Secret}:
        raise ConfigError(f"{dotted(path)!r} is a table, not a key", hint="set one of its keys")
    return hint


def _parse_value(path: KeyPath, text: str, hint: Any) -> object:
    try:
        value: object = tomllib.loads(f"value = {text}")["value"] if "\n" not in text else text
    except (ValueError, RecursionError):  # no TOML, a number of thousands of digits, thousands of brackets
        value = None
    if _takes_text(hint) and not isinstance(value, str):
        return text
    if value is None:
        raise ConfigError(
            f"value of {dotted(path)!r} must be a TOML value, found {text!r}",
            hint='for instance 20, true, "text", ["a", "b"] or { env = "NAME" }',
        )
    return value


def _takes_text(hint: Any) -> bool:
    return any(
        kind is str
        or (isinstance(kind, type) and issubclass(kind, Path))
        or (get_origin(kind) is Literal and all(isinstance(word, str) for word in get_args(kind)))
        for kind in members(hint)
    )


def _parse_document(file: Path) -> TOMLDocument:
    import tomlkit
    import tomlkit.exceptions

    text = _current_text(file)
    parse(text, str(file))  # knows the line of what the other parser only refuses
    try:
        return tomlkit.parse(text)
    except tomlkit.exceptions.TOMLKitError as error:
        line = getattr(error, "line", None)
        raise ConfigError("configuration is not TOML", path=str(file), line=line, hint="correct the line") from error


def _current_text(file: Path) -> str:
    """The text with its line ends as they are; empty when there is no file."""
    content = read_file(file)
    try:
        return "" if content is None else content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError("configuration cannot be read: not utf-8 text", path=str(file)) from error


def _assign(document: TOMLDocument, path: KeyPath, value: object) -> None:
    import tomlkit

    table: Any = document
    for depth, part in enumerate(path[:-1]):
        if part not in table:
            table[part] = tomlkit.table(is_super_table=depth < len(path) - 2)
        table = table[part]
        if not isinstance(table, MutableMapping):
            raise ConfigError(f"{dotted(path[: depth + 1])!r} is not a table, so {dotted(path)!r} cannot be set")
    table[path[-1]] = _item(value)


def _item(value: object) -> object:
    """A reference to a secret is written on one line; tomlkit would make a table of it."""
    import tomlkit

    if not isinstance(value, dict):
        return value
    inline = tomlkit.inline_table()
    inline.update(value)
    return inline


def _replace(
    file: Path, document: TOMLDocument, keys: KeySpace, environ: Mapping[str, str] | None, places: Places | None
) -> None:
    import tomlkit

    text = tomlkit.dumps(document)
    before = {_sentence(problem) for problem in _problems(_current_text(file), file, keys, environ, places)}
    for problem in _problems(text, file, keys, environ, places):
        if _sentence(problem) not in before:
            raise problem
    write_atomically(file, text)


def _problems(
    text: str, file: Path, keys: KeySpace, environ: Mapping[str, str] | None, places: Places | None
) -> Sequence[ConfigError]:
    reading: Reading[Any] = read_text_config(keys.product, text, file, environ=environ, places=places)
    for selection in reading.selections:
        known = keys.options.get(selection.path)
        if known is not None and selection.provider is not None:
            reading.options(selection, known)
    return reading.problems


def _sentence(problem: ConfigError) -> str:
    """The message without its position, which an edit may move."""
    return problem.message.rpartition(" (")[0]


__all__ = ["parse_key", "set_value", "unset_value"]
