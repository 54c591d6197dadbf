"""The base classes of contract values.

A `Value` is what the system hands out: frozen, keyword-only, camelCase on the wire, tolerant of fields a newer
writer added. An `Input` is what it takes in: the same, but an unknown field is an error. msgspec checks types when it
decodes, never on construction; hosts run `msgspec.convert` on what plugins return.
"""

from __future__ import annotations

import msgspec


class Value(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Base of values handed out."""


class Input(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """Base of values taken in; decoding refuses unknown fields."""


__all__ = ["Input", "Value"]
