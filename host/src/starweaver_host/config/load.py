"""Read a product's configuration: defaults, the user's file over them, typed values, and what each slot shall hold.

Every problem is gathered with file, line and a hint. Provider keys stay undecoded until the provider is known; then
`Configuration.options` decodes them with the same rules.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, NamedTuple

import msgspec

from starweaver_host.contract.errors import ConfigError, StartupError
from starweaver_host.discovery import Listing

from .decode import Decoder
from .document import Document, Layers, find_text, table_at
from .keys import fields, table_fields
from .model import C, KeyPath, ProductDefinition, ProviderTable, Selection, Slot, TomlTable
from .places import Places, find_places


class Configuration(NamedTuple, Generic[C]):
    """A product's effective configuration. `file` is the user's file that was read, None when there was none."""

    product: ProductDefinition[C]
    value: C
    listings: tuple[Listing, ...]
    selections: tuple[Selection, ...]
    places: Places
    file: Path | None


class Reading(Generic[C]):
    """What reading came to, as far as it got: a report can go on from here although something is wrong.

    `value` is None when the product's own keys are wrong. Decoding provider keys adds to `problems`.
    """

    def __init__(self, product: ProductDefinition[C], places: Places, environ: Mapping[str, str]) -> None:
        self.product = product
        self.places = places
        self.problems: list[ConfigError] = []
        self.value: C | None = None
        self.listings: tuple[Listing, ...] = ()
        self.selections: tuple[Selection, ...] = ()
        self._environ = environ
        self._layers: Layers | None = None

    @property
    def layers(self) -> Layers:
        """The documents; LookupError when one of them could not be parsed."""
        if self._layers is None:
            raise LookupError("the configuration could not be parsed")
        return self._layers

    @property
    def report(self) -> list[ConfigError]:
        """The problems so far, in the order of files and lines."""
        return sorted(self.problems, key=lambda problem: (problem.path or "", problem.line or 0))

    def where(self, path: Sequence[str | int]) -> str:
        """`file:line` of a key."""
        return self.layers.origin(path).where(path)

    def take(self, layers: Layers) -> None:
        """Decode the product's own keys and sort out what each slot shall hold."""
        self._layers = layers
        self.listings = _listings(layers)
        decoder = self._decoder()
        split = _split(layers, decoder)
        self.value = decoder.table(self.product.config, split.own, ())
        self.selections = tuple(_selections(layers, decoder, split))

    def options(self, selection: Selection, cls: type[msgspec.Struct] | None) -> msgspec.Struct | None:
        """Decode a provider's keys into its config class; None for a provider without one, or when they are wrong."""
        own = _own_keys(self.product, selection)
        if cls is None:
            for key in selection.options:
                self._decoder().unknown((*selection.path, key), own)
            return None
        derive = selection.slot.derived
        derived = {} if derive is None or self.value is None else derive(self.value)
        return self._decoder().table(cls, {**derived, **selection.options}, selection.path, beside=own)

    def settled(self) -> Configuration[C]:
        """The configuration; raises StartupError holding every problem found so far."""
        if self.value is None or self.problems:
            raise StartupError(self.product.name, self.report)
        user = self.layers.user
        file = None if user is None else Path(user.name)
        return Configuration(self.product, self.value, self.listings, self.selections, self.places, file)

    def _decoder(self) -> Decoder:
        return Decoder(self.layers, self._environ, self.problems)


def load_config(
    product: ProductDefinition[C],
    file: Path | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    places: Places | None = None,
) -> Configuration[C]:
    """Read the configuration; raises StartupError holding every problem. Provider keys are not looked at."""
    return read_config(product, file, environ=environ, places=places).settled()


def read_config(
    product: ProductDefinition[C],
    file: Path | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    places: Places | None = None,
) -> Reading[C]:
    """Read the configuration, gathering problems. A named file must exist; the product's usual one may be missing."""
    reading = _reading(product, environ, places)
    return _read(reading, lambda: _user(product, file, reading.places))


def read_text_config(
    product: ProductDefinition[C],
    text: str,
    file: Path,
    *,
    environ: Mapping[str, str] | None = None,
    places: Places | None = None,
) -> Reading[C]:
    """The same for the text that `file` holds or is about to hold."""
    return _read(_reading(product, environ, places), lambda: Document(str(file), text, file.absolute().parent))


def _reading(product: ProductDefinition[C], environ: Mapping[str, str] | None, places: Places | None) -> Reading[C]:
    variables = os.environ if environ is None else environ
    return Reading(product, find_places(variables) if places is None else places, variables)


def _read(reading: Reading[C], user: Callable[[], Document | None]) -> Reading[C]:
    product = reading.product
    try:
        layers = Layers(product, _defaults(product, reading.places), user())
    except ConfigError as error:
        reading.problems.append(error)
    else:
        reading.take(layers)
    return reading


def user_file(product: ProductDefinition[Any], places: Places) -> Path:
    """Where the user's file of a product is, existing or not."""
    return places.config.path / product.file_name


def _defaults(product: ProductDefinition[Any], places: Places) -> Document:
    name = f"defaults of {product.name}"
    return Document(name, product.defaults, places.data.path, table=product.defaults_table)


def _user(product: ProductDefinition[Any], file: Path | None, places: Places) -> Document | None:
    if file is not None:
        return Document.read(file)
    usual = user_file(product, places)
    text = find_text(usual)
    return None if text is None else Document(str(usual), text, usual.absolute().parent)


def _listings(layers: Layers) -> tuple[Listing, ...]:
    listed = layers.table.get("plugins", [])
    if not isinstance(listed, list):
        return ()
    document = layers.origin(("plugins",))
    return tuple(
        Listing(name, document.where(("plugins", index))) for index, name in enumerate(listed) if isinstance(name, str)
    )


class _Split(NamedTuple):
    """The product's own keys, and the provider keys by the table they stand in."""

    own: TomlTable
    provider: Mapping[KeyPath, TomlTable]


def _split(layers: Layers, decoder: Decoder) -> _Split:
    own = layers.table
    provider: dict[KeyPath, TomlTable] = {}
    for slot in layers.product.slots:
        table = table_at(own, slot.table)
        known = table_fields(layers.product.config, slot.table)
        rest = {key: value for key, value in table.items() if key not in known}
        if rest:
            own = _without(own, slot.table, rest)
        provider.update(_sub_tables(slot, rest, known, decoder) if slot.many else {slot.table: rest})
    return _Split(own, provider)


def _sub_tables(slot: Slot, rest: TomlTable, known: Mapping[str, object], decoder: Decoder) -> dict[KeyPath, TomlTable]:
    tables: dict[KeyPath, TomlTable] = {}
    for key, value in rest.items():
        if isinstance(value, Mapping):
            tables[*slot.table, key] = value
        else:
            decoder.unknown((*slot.table, key), list(known))
    return tables


def _without(table: TomlTable, path: KeyPath, keys: TomlTable) -> TomlTable:
    if not path:
        return {key: value for key, value in table.items() if key not in keys}
    return {**table, path[0]: _without(table_at(table, path[:1]), path[1:], keys)}


def _selections(layers: Layers, decoder: Decoder, split: _Split) -> list[Selection]:
    found: list[Selection] = []
    for slot in layers.product.slots:
        if slot.many:
            paths = [path for path in split.provider if path[:-1] == slot.table]
            found.extend(_one_of_many(slot, path, split.provider[path], decoder) for path in paths)
        else:
            found.append(_single(slot, table_at(layers.table, slot.table), split.provider[slot.table]))
    return found


def _single(slot: Slot, table: TomlTable, options: TomlTable) -> Selection:
    chosen = table.get(slot.selector)
    provider = chosen if isinstance(chosen, str) and chosen else None
    settings = ProviderTable(enabled=slot.switch is None or table.get(slot.switch, True) is True)
    return Selection(slot=slot, provider=provider, path=slot.table, options=options, settings=settings)


def _one_of_many(slot: Slot, path: KeyPath, table: TomlTable, decoder: Decoder) -> Selection:
    host_keys = fields(ProviderTable)
    settings = decoder.table(ProviderTable, {key: value for key, value in table.items() if key in host_keys}, path)
    options = {key: value for key, value in table.items() if key not in host_keys}
    return Selection(
        slot=slot, provider=path[-1], path=path, options=options, settings=settings or ProviderTable(enabled=False)
    )


def _own_keys(product: ProductDefinition[Any], selection: Selection) -> list[str]:
    if selection.slot.many:
        return list(fields(ProviderTable))
    return list(table_fields(product.config, selection.slot.table))


__all__ = ["Configuration", "Reading", "load_config", "read_config", "read_text_config", "user_file"]
