"""Which keys a product's configuration may have. Reads types only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Union, get_args, get_origin

import msgspec

from .model import KeyPath, ProductDefinition, ProviderTable


@cache
def fields(table: type[msgspec.Struct]) -> Mapping[str, msgspec.structs.FieldInfo]:
    """Key as written -> field, of one table's class. Resolving annotations is slow, so it happens once."""
    return {field.encode_name: field for field in msgspec.structs.fields(table)}


def table_fields(model: type[msgspec.Struct], path: Sequence[str]) -> Mapping[str, msgspec.structs.FieldInfo]:
    """The fields of the table at `path` of a model. Raises LookupError for a path the model does not have."""
    found = fields(model)
    for part in path:
        below = struct_of(found[part].type) if part in found else None
        if below is None:
            raise LookupError(f"{model.__name__} has no table {'.'.join(path)!r}")
        found = fields(below)
    return found


def struct_of(hint: Any) -> type[msgspec.Struct] | None:
    """The struct class that a hint means, through Annotated and unions; None for other types."""
    return next((member for member in members(hint) if is_struct(member)), None)


def members(hint: Any) -> tuple[Any, ...]:
    """The alternatives of a hint, without Annotated; a plain type is its own only one."""
    import types
    from typing import Annotated

    origin = get_origin(hint)
    if origin is Annotated:
        return members(get_args(hint)[0])
    if origin in {Union, types.UnionType}:
        return tuple(found for member in get_args(hint) for found in members(member))
    return (hint,)


def is_struct(hint: Any) -> bool:
    """Whether a hint is a struct class itself."""
    return isinstance(hint, type) and issubclass(hint, msgspec.Struct)


class KeySpace:
    """The keys of a product, and the provider keys of tables whose provider is known.

    `options` maps the table of a slot (or of one provider of a `many` slot) to the provider's config class.
    """

    def __init__(
        self,
        product: ProductDefinition[Any],
        options: Mapping[KeyPath, type[msgspec.Struct] | None] | None = None,
    ) -> None:
        self.product = product
        self.options = dict(options or {})

    def find(self, path: Sequence[str]) -> Any:
        """The type hint of a key. Raises KeyError of the known keys beside the first unknown part."""
        table: KeyPath = ()
        hint: Any = self.product.config
        for part in path:
            known = self.known(table, hint)
            if part not in known:
                raise UnknownKeyError((*table, part), tuple(known))
            table, hint = (*table, part), known[part]
        return hint

    def known(self, table: KeyPath, hint: Any) -> dict[str, Any]:
        """Key -> hint below a table: its own keys, the provider's, and the names of a `many` slot's providers."""
        struct = struct_of(hint)
        found = {key: field.type for key, field in fields(struct).items()} if struct else _dict_hint(hint)
        provider = self.options.get(table)
        if provider is not None:
            found.update({key: field.type for key, field in fields(provider).items() if key not in found})
        slot = self.product.slot_at(table)
        if slot is not None and slot.many:
            depth = len(table)
            names = {path[depth] for path in self.options if path[:depth] == table and len(path) == depth + 1}
            found.update(dict.fromkeys(names - found.keys(), ProviderTable))
        return found


class UnknownKeyError(LookupError):
    """A key nobody knows; `path` is up to and with it, `known` the keys it could have been."""

    def __init__(self, path: KeyPath, known: tuple[str, ...]) -> None:
        super().__init__(".".join(path))
        self.path = path
        self.known = known


class _AnyKey(dict[str, Any]):
    """The keys of a free table: every one, of one type."""

    def __init__(self, hint: Any) -> None:
        super().__init__()
        self.hint = hint

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str)

    def __missing__(self, key: str) -> Any:
        return self.hint


def _dict_hint(hint: Any) -> dict[str, Any]:
    for member in members(hint):
        if get_origin(member) in {dict, Mapping} and len(get_args(member)) == 2:
            return _AnyKey(get_args(member)[1])
    return {}


__all__ = ["KeySpace", "UnknownKeyError", "fields", "is_struct", "members", "struct_of", "table_fields"]
