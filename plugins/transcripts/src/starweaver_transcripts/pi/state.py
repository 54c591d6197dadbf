"""What a Pi session's reader remembers between readings: about two hundred bytes, whatever the session's length.

The tree is not in it. A step back or a compaction after a resumed reading needs it, and then the lines before are read
once more without writing anything.
"""

from __future__ import annotations

import msgspec


class Identity(msgspec.Struct, array_like=True):
    """What the header said. `created_at` is UTC microseconds."""

    native_id: str
    created_at: int
    cwd: str | None = None
    parent: str | None = None
    origin: str = "user"


class PiState(msgspec.Struct, array_like=True):
    """Everything needed to go on at `offset`; `line` is the next line's number, `rows` how many records were read.

    `leaf` is the entry the next one must name as its parent to stay on the branch. `last_role` is the last message's.
    """

    offset: int = 0
    line: int = 1
    digest: bytes = b""
    identity: Identity | None = None
    rows: int = 0
    leaf: str | None = None
    next_seq: int = 0
    turn: int = 0
    is_open: bool = False
    last_role: str | None = None
    time: int = 0
    newest: int = 0
    model: str | None = None
    title: str | None = None
    prompt_title: str | None = None
    is_rewound: bool = False


_DECODER = msgspec.msgpack.Decoder(PiState)


def encode_state(state: PiState) -> bytes:
    """The state as bytes for the ledger."""
    return msgspec.msgpack.encode(state)


def decode_state(data: bytes | None) -> PiState | None:
    """The state an earlier reading left; None when there is none or another version wrote it."""
    if data is None:
        return None
    try:
        return _DECODER.decode(data)
    except msgspec.MsgspecError:
        return None


__all__ = ["Identity", "PiState", "decode_state", "encode_state"]
