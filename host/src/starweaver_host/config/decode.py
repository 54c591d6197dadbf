"""From parsed tables to typed values, gathering every problem with the file and line of its key.

msgspec stops at the first error and, inside a table of free keys, does not say which; so structs, tables and lists
are walked here and msgspec converts the leaves.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar, cast, get_args, get_origin

import msgspec

from starweaver_host.contract.errors import ConfigError
from starweaver_host.contract.registration import Secret
from starweaver_host.wording import quoted, suggestion

from .document import Layers, dotted
from .keys import fields, is_struct, members
from .model import TomlTable

S = TypeVar("S", bound=msgspec.Struct)
Where = tuple[str | int, ...]
_EXPECTED = r"(?s)Expected `(?P<wanted>.+?)`(?:, got `(?P<found>.+?)`)?(?P<rest>.*)"
_SEQUENCES = (tuple, list, set, frozenset, Sequence)


class _Wrong(Exception):  # noqa: N818 - a signal inside this module, not an error that anybody sees
    """A value could not be decoded; the problem has been recorded."""


class Decoder:
    """Decodes the tables of one product's files. `data_dir` is what relative paths in the defaults are relative to."""

    def __init__(self, layers: Layers, environ: Mapping[str, str], problems: list[ConfigError]) -> None:
        self._layers = layers
        self._environ = environ
        self._problems = problems

    def table(self, cls: type[S], table: TomlTable, path: Where, *, beside: Sequence[str] = ()) -> S | None:
        """Decode one table; None when anything in it is wrong, every problem recorded.

        `beside` are keys that stand in the same table and belong to somebody else; they are offered as corrections.
        """
        try:
            return self._struct(cls, table, path, beside)
        except _Wrong:
            return None

    def unknown(self, path: Where, known: Sequence[str]) -> None:
        """Record an unknown key."""
        hint = suggestion(str(path[-1]), known) or (f"known keys: {quoted(known)}" if known else "remove it")
        self._fail(f"unknown key {dotted(path)!r}", path, hint)

    def _struct(self, cls: type[S], table: TomlTable, path: Where, beside: Sequence[str] = ()) -> S:
        known = fields(cls)
        before = len(self._problems)
        values: dict[str, object] = {}
        for key, value in table.items():
            if key not in known:
                self.unknown((*path, key), [*known, *beside])
                continue
            try:
                values[known[key].name] = self._value(known[key].type, value, (*path, key))
            except _Wrong:
                continue
        for key in known:
            if known[key].required and key not in table:
                self._fail(f"key {dotted((*path, key))!r} is missing", path)
        if len(self._problems) > before:
            raise _Wrong
        return self._construct(cls, values, path)

    def _construct(self, cls: type[S], values: Mapping[str, object], path: Where) -> S:
        try:
            return cls(**values)
        except (ValueError, TypeError) as error:
            self._fail(f"table {dotted(path)!r}: {error}" if path else str(error), path)
            raise _Wrong from None

    def _value(self, hint: Any, value: object, path: Where) -> object:
        kinds = members(hint)
        if Secret in kinds:
            return self._secret(value, path)
        struct = next((kind for kind in kinds if is_struct(kind)), None)
        if struct is not None and isinstance(value, Mapping):
            return self._struct(struct, value, path)
        for kind in kinds:
            inner = get_args(kind)
            if get_origin(kind) in {dict, Mapping} and isinstance(value, Mapping):
                return self._each({key: (inner[1], item) for key, item in value.items()}, path)
            if get_origin(kind) in _SEQUENCES and isinstance(value, list):
                items = self._each({index: (inner[0], item) for index, item in enumerate(value)}, path)
                return self._leaf(hint, list(items.values()), path)
        return self._leaf(hint, value, path)

    def _each(self, items: Mapping[Any, tuple[Any, object]], path: Where) -> dict[Any, object]:
        """Decode the items of a table or list, all of them also when one is wrong."""
        done: dict[Any, object] = {}
        for key, (hint, item) in items.items():
            try:
                done[key] = self._value(hint, item, (*path, key))
            except _Wrong:
                continue
        if len(done) < len(items):
            raise _Wrong
        return done

    def _secret(self, value: object, path: Where) -> Secret:
        from .secrets import SecretError, resolve_secret

        try:
            return resolve_secret(value, environ=self._environ, folder=self._layers.origin(path).folder)
        except SecretError as error:
            self._fail(f"key {dotted(path)!r} {error}", path)
            raise _Wrong from None

    def _leaf(self, hint: Any, value: object, path: Where) -> object:
        folder = self._layers.origin(path).folder
        try:
            return msgspec.convert(value, hint, dec_hook=_paths_in(folder))
        except msgspec.ValidationError as error:
            self._fail(f"key {dotted(path)!r} {_fault(str(error))}", path, _choices(hint, value))
            raise _Wrong from None

    def _fail(self, message: str, path: Where, hint: str | None = None) -> None:
        self._problems.append(self._layers.error(message, path, hint=hint))


def _paths_in(folder: Path) -> Callable[[type, Any], Any]:
    """A msgspec hook for paths: `~` is the home directory, relative is relative to `folder`."""

    def decode(wanted: type, value: Any) -> Any:
        if isinstance(value, wanted):
            return value
        if issubclass(wanted, Path) and isinstance(value, str) and value:
            return folder / _expanded(value)
        raise ValueError(f"Expected `{'path' if issubclass(wanted, Path) else wanted.__name__}`, got `{_kind(value)}`")

    return decode


def _expanded(text: str) -> Path:
    if "\0" in text:
        raise ValueError("a path holds no NUL")
    try:
        return Path(text).expanduser()
    except RuntimeError as error:
        raise ValueError(f"nobody's home directory is known as {text.partition('/')[0]!r}") from error


def _kind(value: object) -> str:
    return "empty str" if value == "" else "table" if isinstance(value, dict) else type(value).__name__


def _fault(message: str) -> str:
    """msgspec's sentence in the words of our messages."""
    text = message.partition(" - at `")[0]
    match = re.fullmatch(_EXPECTED, text)
    if match is None:
        return f"is not valid: {text[:1].lower()}{text[1:]}"
    found = f", found {_toml_words(match['found'])}" if match["found"] else ""
    return f"must be {_toml_words(match['wanted'])}{match['rest']}{found}"


def _toml_words(kind: str) -> str:
    """A type as somebody who writes TOML calls it; there is no null in TOML."""
    return kind.removesuffix(" | null").replace("object", "table")


def _choices(hint: Any, value: object) -> str | None:
    words = [word for kind in members(hint) if get_origin(kind) is Literal for word in get_args(kind)]
    if not words:
        return None
    close = suggestion(value, words) if isinstance(value, str) else None
    return close or f"one of {quoted(cast('list[str]', words))}"


__all__ = ["Decoder"]
