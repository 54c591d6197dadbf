"""What a reading remembers of each message of a conversation: who it is, what it said by digest, where its nodes are.

Digests only, never text, so that a resume state stays small: about ten bytes a message and a node.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import NamedTuple

import msgspec

from starweaver_host.contract.events import SURFACE_TYPES, Payload, ToolResult

from .render import Rendered

_ENCODER = msgspec.json.Encoder()


class Node(NamedTuple):
    """A surface event: its seq, the digest of what a rewrite must keep, and the digest of its content."""

    seq: int
    key: bytes
    content: bytes


class Entry(msgspec.Struct, array_like=True):
    """A message: digests of its id and rendering, its surface nodes, and digests of its other payloads."""

    id: bytes
    digest: bytes
    nodes: list[Node]
    others: list[bytes]


def short(data: bytes, size: int = 8) -> bytes:
    """A short digest."""
    return blake2b(data, digest_size=size).digest()


def id_of(message_id: str) -> bytes:
    """The digest a message id is known by."""
    return short(message_id.encode("utf-8", "surrogatepass"))


def digest_of(rendered: Rendered) -> bytes:
    """The digest of everything a message says."""
    return short(b"\n".join(_encoded(payload) for payload, _ in rendered.payloads))


def content_of(payload: Payload) -> bytes:
    """The digest of a payload."""
    return short(_encoded(payload), 4)


def key_of(payload: Payload) -> bytes:
    """The digest of the parts of a node that replacing it alone must not change."""
    if isinstance(payload, ToolResult):
        return short(f"{payload.call_id}\0{payload.name}\0{payload.is_error}".encode(), 4)
    return short(payload.event_type.encode(), 4)


def is_surface(payload: Payload) -> bool:
    """Tell whether events of this payload stand on the surface."""
    return payload.event_type in SURFACE_TYPES


def _encoded(payload: Payload) -> bytes:
    return payload.event_type.encode() + _ENCODER.encode(payload)


__all__ = ["Entry", "Node", "content_of", "digest_of", "id_of", "is_surface", "key_of", "short"]
