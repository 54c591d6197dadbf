"""The event reference has every type, payload field, block and surface operation."""

from __future__ import annotations

from typing import get_args

import msgspec
import pytest

from starweaver_host.contract import events, query
from starweaver_host.contract.events import PAYLOAD_TYPES, Event, MessageBlock, SurfaceOp

PAGE = "docs/reference/events.md"


def wire_fields(value: type[msgspec.Struct]) -> list[str]:
    """The names of a value's fields on the wire."""
    return [field.encode_name for field in msgspec.structs.fields(value)]


def test_event_reference_lists_exactly_the_types_there_are(page) -> None:
    """Each event type has a row, in the contract's order."""
    rows = page(PAGE).section("Event types").partition("`content` is a list")[0]
    found = [line.split("`")[1] for line in rows.splitlines() if line.startswith("| `")]

    assert list(PAYLOAD_TYPES) == found


@pytest.mark.parametrize("name", PAYLOAD_TYPES)
def test_event_reference_lists_the_fields_of_a_payload(page, name: str) -> None:
    """Beside a type stand the fields of its payload as they are written."""
    written = page(PAGE).rows("Event types")[name][0]

    assert wire_fields(PAYLOAD_TYPES[name]) == [field.strip("` ") for field in written.split(",")]


def test_event_reference_lists_the_blocks_of_messages(page) -> None:
    """Each kind of block has a row with its fields."""
    rows = page(PAGE).rows("Event types")
    for block in get_args(MessageBlock):
        written = rows[block.__struct_config__.tag][0]

        assert wire_fields(block) == [field.strip("` ") for field in written.split(",")]


def test_event_reference_lists_the_fields_of_an_event(page) -> None:
    """The table of an event's fields is complete."""
    table = page(PAGE).prose.partition("## Event types")[0]
    found = [line.split("`")[1] for line in table.splitlines() if line.startswith("| `")]

    assert wire_fields(Event) == found


def test_event_reference_lists_surface_operations_and_classifications(page) -> None:
    """Each operation and each classification of the surface has a row."""
    words = [word for kind in get_args(SurfaceOp) for word in get_args(kind) if isinstance(word, str)]
    rows = set(page(PAGE).rows("Surface operations"))

    assert {*words, events.Replace(start=0, end=0).op, *get_args(query.SessionEventSurface)} == rows


def test_event_reference_names_the_surface_types(page) -> None:
    """The page names the types that carry an operation."""
    section = page(PAGE).section("Surface operations")

    assert all(f"`{name}`" in section for name in events.SURFACE_TYPES)
