"""What a rollout's reader remembers between readings: a few hundred bytes, and about one per node of the surface."""

from __future__ import annotations

from typing import Literal

import msgspec

from .twins import Counted

Replay = Literal["off", "undecided", "dropping"]
Task = Literal["none", "announced", "running"]


class Identity(msgspec.Struct, array_like=True):
    """What the session's first record said. `created_at` is UTC microseconds."""

    native_id: str
    created_at: int
    cwd: str | None = None
    version: str | None = None
    parent: str | None = None
    origin: str = "user"
    is_bare: bool = False


class RolloutState(msgspec.Struct, array_like=True):
    """Everything needed to go on at `offset` (bytes of the uncompressed rollout; `line` is the next line's number).

    `nodes` are the surface's seqs, `user_seqs` those of them that a person's messages hold. `turn_id` is the writer's.
    `task` is `announced` between the writer's word and the first event of that turn, `running` until its end is told,
    `none` where nothing is announced. `logged_model` is the model the log names last, `title` a name the rollout gives
    itself, `prompt_title` the one its first prompt makes. `calls` maps open calls to tool names; `items` are calls that
    were answered or taken whole from an event lately. `rewound_to` is the number of nodes a pending step back leaves.
    """

    offset: int = 0
    line: int = 1
    digest: bytes = b""
    identity: Identity | None = None
    next_seq: int = 0
    turn: int = 0
    is_open: bool = False
    nodes: bytes = b""
    user_seqs: list[int] = []
    time: int = 0
    newest: int = 0
    turn_id: str | None = None
    model: str | None = None
    logged_model: str | None = None
    title: str | None = None
    prompt_title: str | None = None
    task: Task = "none"
    has_input: bool = False
    has_output: bool = False
    knows_typed: bool = False
    error: tuple[str, str] | None = None
    rewound_to: int | None = None
    replay: Replay = "off"
    twins: list[Counted] = []
    calls: dict[str, str] = {}
    items: list[str] = []
    children: list[str] = []


_DECODER = msgspec.msgpack.Decoder(RolloutState)


def encode_state(state: RolloutState) -> bytes:
    """The state as bytes for the ledger."""
    return msgspec.msgpack.encode(state)


def decode_state(data: bytes | None) -> RolloutState | None:
    """The state an earlier reading left; None when there is none or another version wrote it."""
    if data is None:
        return None
    try:
        return _DECODER.decode(data)
    except msgspec.MsgspecError:
        return None


__all__ = ["Identity", "Replay", "RolloutState", "Task", "decode_state", "encode_state"]
