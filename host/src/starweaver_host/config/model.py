"""What a product's configuration is made of: tables, slots, and the definition that makes a product.

Values only. A product declares one `ProductConfig` subclass for the keys it owns and one `Slot` per provider kind it
uses. A slot's table holds the product's own keys (`provider`, `enabled`, ...) and, beside them, the chosen provider's
keys, which are decoded into that provider's config class once its plugin is loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from starweaver_host.contract.registration import ProviderKind

TomlTable = Mapping[str, object]
KeyPath = tuple[str, ...]


class ConfigTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of every table: frozen, unknown keys are errors, keys are field names as written."""


class ProductConfig(ConfigTable, frozen=True, kw_only=True):
    """What every product's file has. `plugins` lists what is enabled, in order; being installed is not enough."""

    plugins: tuple[str, ...] = ()


C = TypeVar("C", bound=ProductConfig)


class ProviderTable(ConfigTable, frozen=True, kw_only=True):
    """The host's keys of one provider among many (`[sources.claude-code]`); the rest are the provider's own.

    `roots` are extra places for a transcript source to look at.
    """

    enabled: bool = True
    roots: tuple[Path, ...] = ()


class Slot(msgspec.Struct, frozen=True, kw_only=True):
    """One place of a product that a provider fills.

    `name` is the slot of the container and of the open application. `table` is where the configuration has it,
    `selector` the key in it that names the provider, `switch` a boolean key that turns the slot off. A `many` slot
    takes every offer of its kind and reads one sub-table per provider. `services` names container attributes that the
    providers may use. `derived` computes provider keys from the product's own; keys in the slot's table win.
    """

    name: str
    kind: ProviderKind
    table: KeyPath
    selector: str = "provider"
    switch: str | None = None
    required: bool = True
    many: bool = False
    services: tuple[str, ...] = ()
    derived: Callable[[Any], TomlTable] | None = None


class ProductDefinition(msgspec.Struct, Generic[C], frozen=True, kw_only=True):
    """A product: its name, default file, model, slots and container.

    `defaults` is TOML, plugin list included; the user's file overrides it key by key, a list replaces a list.
    `defaults_table` may be the same as a table: a start without a user's file then needs no TOML parser.
    `container` returns the product's container class when it is needed, because importing one is what start-up costs
    most; None means the host's own.
    """

    name: str
    file_name: str
    defaults: str
    config: type[C]
    slots: tuple[Slot, ...]
    defaults_table: TomlTable | None = None
    container: Callable[[], type[Any]] | None = None

    def slot_at(self, path: Sequence[str]) -> Slot | None:
        """The slot whose table `path` is."""
        return next((slot for slot in self.slots if slot.table == tuple(path)), None)


class Selection(msgspec.Struct, frozen=True, kw_only=True):
    """What the configuration says about one slot, or about one provider of a `many` slot.

    `provider` is None where none is named. `options` are the provider's own keys, not yet decoded; `path` is their
    table. `settings.enabled` False means the slot, or this provider of it, is switched off.
    """

    slot: Slot
    provider: str | None
    path: KeyPath
    options: TomlTable = {}
    settings: ProviderTable = ProviderTable()


__all__ = [
    "C",
    "ConfigTable",
    "KeyPath",
    "ProductConfig",
    "ProductDefinition",
    "ProviderTable",
    "Selection",
    "Slot",
    "TomlTable",
]
