"""The configuration reference has every key of the product `sw` and of the providers it can use, with its default."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from starweaver_cli.product import DEFAULTS, PRODUCT
from starweaver_host.build import compose
from starweaver_host.config.keys import fields, members, struct_of
from starweaver_host.config.model import ProviderTable
from starweaver_host.config.places import CONFIG_VARIABLE, DATA_VARIABLE, places_in

PAGE = "docs/reference/config.md"


def keys(table: type[msgspec.Struct], path: str = "") -> Iterator[tuple[str, msgspec.structs.FieldInfo]]:
    """Every key below a table's class, dotted."""
    for name, field in fields(table).items():
        below = struct_of(field.type)
        if below is None:
            yield path + name, field
        else:
            yield from keys(below, f"{path}{name}.")


@pytest.fixture
def every_key(tmp_path: Path) -> dict[str, msgspec.structs.FieldInfo]:
    """The product's keys, those of one source, and those of every provider that its plugins offer for its slots."""
    found = dict(keys(PRODUCT.config))
    registry = compose(PRODUCT, places=places_in(tmp_path), environ={}).registry
    assert registry is not None
    for slot in PRODUCT.slots:
        table = ".".join(slot.table) + "." + ("NAME." if slot.many else "")
        if slot.many:
            found.update(keys(ProviderTable, table))
        for offer in registry.offers(slot.kind):
            if offer.registration.config is not None:
                found.update(keys(offer.registration.config, table))
    return found


def default_of(key: str, field: msgspec.structs.FieldInfo) -> str:
    """A default as the page writes it; the plugin list's is in the product's default file."""
    said: Any = tomllib.loads(DEFAULTS)
    for part in key.split("."):
        said = said.get(part) if isinstance(said, Mapping) else None
    value = field.default if said is None else said
    return "none" if value is None else json.dumps(list(value) if isinstance(value, tuple) else value)


def test_config_reference_lists_exactly_the_keys_there_are(page, every_key) -> None:
    """Each key of the product and its providers has a row, and each row a key."""
    documented = {name for name in page(PAGE).rows() if not name.isupper()}

    assert set(every_key) == documented


def test_config_reference_tells_the_defaults(page, every_key) -> None:
    """The default beside a key is the one that holds when nobody says anything."""
    rows = page(PAGE).rows()

    assert {key: default_of(key, field) for key, field in every_key.items()} == {
        key: rows[key][1].strip("`") for key in every_key
    }


def test_config_reference_tells_the_words_a_key_takes(page, every_key) -> None:
    """A key with a closed set of words names all of them."""
    rows = page(PAGE).rows()
    for key, field in every_key.items():
        for word in (word for kind in members(field.type) for word in get_args(kind) if isinstance(word, str)):
            assert json.dumps(word) in rows[key][0]


def test_config_reference_shows_the_default_file(page) -> None:
    """The file shown as the default is the default."""
    assert DEFAULTS in page(PAGE).blocks("toml")


def test_config_reference_names_the_directory_variables(page) -> None:
    """The variables that move the two directories have a row each."""
    assert {CONFIG_VARIABLE, DATA_VARIABLE} <= set(page(PAGE).rows("Environment variables"))
