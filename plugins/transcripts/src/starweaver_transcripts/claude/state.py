"""What a reading of a Claude file leaves behind so that the next one goes on where it stopped.

Compact and linear in the number of rows: eight bytes of each row's id and the node it hangs on, packed and compressed.
Nothing of the text is kept but a title, waiting summaries and queued prompts.
"""

from __future__ import annotations

import sys
import zlib
from array import array

import msgspec

from starweaver_transcripts.prefix import PrefixMark
from starweaver_transcripts.turns import TurnState

from .branches import Surface
from .steering import Steering
from .titles import Titles

STATE_VERSION = 2


class SessionState(msgspec.Struct, array_like=True):
    """One session of a file: its header's facts, its log's numbers, its surface and its tree."""

    native_id: str
    parent_id: str | None = None
    created: int | None = None
    updated: int = 0
    cwd: str | None = None
    agent_version: str | None = None
    turns: TurnState = TurnState()
    titles: Titles = msgspec.field(default_factory=Titles)
    steering: Steering = msgspec.field(default_factory=Steering)
    linked: list[str] = []
    calls: dict[str, str] = {}
    ending: str = "interrupted"
    chained: bool = False
    compacting: bool = False
    delivered: bool = False
    told_title: str | None = None
    seqs: bytes = b""
    spoken: bytes = b""
    rows: bytes = b""
    nodes: bytes = b""


class FileState(msgspec.Struct, array_like=True):
    """A file: how far it was read, what it looked like up to there, and its sessions, the main one first."""

    version: int
    mark: PrefixMark
    line_number: int
    sessions: list[SessionState]


def pack_state(state: FileState) -> bytes:
    """Encode; fast compression, because ids do not compress and the rest does at any level."""
    return zlib.compress(msgspec.msgpack.encode(state), 1)


def unpack_state(data: bytes) -> FileState | None:
    """Decode; None for what this version did not write, which means: read again from the start."""
    try:
        state = msgspec.msgpack.decode(zlib.decompress(data), type=FileState)
    except (zlib.error, msgspec.MsgspecError):
        return None
    return state if state.version == STATE_VERSION else None


def pack_tree(state: SessionState, surface: Surface, tree: dict[int, int]) -> None:
    """Put surface and tree into the state as little-endian arrays."""
    state.seqs = _pack("i", surface.seqs)
    state.spoken = bytes(surface.spoken)
    state.rows = _pack("Q", list(tree))
    state.nodes = _pack("i", list(tree.values()))


def unpack_tree(state: SessionState) -> tuple[Surface, dict[int, int]]:
    """Surface and tree as they were packed."""
    surface = Surface(_unpack("i", state.seqs), bytearray(state.spoken))
    return surface, dict(zip(_unpack("Q", state.rows), _unpack("i", state.nodes), strict=True))


def _pack(code: str, values: list[int]) -> bytes:
    packed = array(code, values)
    if sys.byteorder == "big":
        packed.byteswap()
    return packed.tobytes()


def _unpack(code: str, data: bytes) -> list[int]:
    packed: array[int] = array(code)
    packed.frombytes(data)
    if sys.byteorder == "big":
        packed.byteswap()
    return packed.tolist()


__all__ = ["FileState", "SessionState", "pack_state", "pack_tree", "unpack_state", "unpack_tree"]
