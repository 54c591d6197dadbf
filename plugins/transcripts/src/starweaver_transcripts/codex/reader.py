"""From a rollout file to read steps: where to go on, batches, resting points, and what is held back at the end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO, Literal

import msgspec

from starweaver_host.contract.records import LOCAL_NAMESPACE, TitleSource
from starweaver_host.contract.transcripts import (
    EventsRead,
    ItemDone,
    ReadPoint,
    ReadStep,
    RecordSkipped,
    SessionSeen,
    SourceEnvironment,
    SourceItem,
)
from starweaver_transcripts.lines import Line, next_lines
from starweaver_transcripts.prefix import PrefixMark, digest_stream, is_extended, mark_prefix

from .rollout import FindTurns, Rollout, header_of
from .rows import Decoders
from .state import Identity, RolloutState, decode_state, encode_state
from .streams import is_compressed, open_rollout

_BATCH_EVENTS = 256
_BATCH_BYTES = 2 * 1024 * 1024


class RolloutReader:
    """One reading of one rollout."""

    def __init__(
        self,
        env: SourceEnvironment,
        item: SourceItem,
        root: Path,
        *,
        titles: Mapping[str, str],
        find_turns: FindTurns,
        decoders: Decoders,
    ) -> None:
        self._item = item
        self._root = root
        self._max_bytes = env.tool_result_max_bytes
        self._titles = titles
        self._find_turns = find_turns
        self._decoders = decoders
        self._mode: Literal["append", "replace"] = "replace"

    def steps(self, saved: bytes | None) -> Iterator[ReadStep]:
        """Read from where `saved` stops if the file still begins with what was read then, else from its start."""
        state = decode_state(saved)
        if state is not None and state.identity is not None:
            with open_rollout(self._item.path, self._root) as stream:
                if self._go_on(stream, state):
                    self._mode = "append"
                    yield from self._read(stream, state)
                    return
        with open_rollout(self._item.path, self._root) as stream:
            yield from self._read(stream, RolloutState())

    def _go_on(self, stream: BinaryIO, state: RolloutState) -> bool:
        """Stand at the state's offset; False when the bytes before it are others than they were."""
        if is_compressed(self._item.path):
            return digest_stream(stream, state.offset) == state.digest
        mark = PrefixMark(state.offset, 0, state.digest)
        extended = is_extended(stream, mark, same_inode=False)
        if extended:
            stream.seek(state.offset)
        return extended

    def _read(self, stream: BinaryIO, state: RolloutState) -> Iterator[ReadStep]:
        rollout = self._rollout(state)
        taken = 0
        for line in next_lines(stream, offset=state.offset, number=state.line):
            if not line.terminated and not _is_whole(line.data):
                break
            yield from _take(rollout, state, line)
            taken += len(line.data)
            if not rollout.holds and (len(rollout.log) >= _BATCH_EVENTS or taken >= _BATCH_BYTES):
                taken = 0
                yield from self._flush(rollout)
                yield ReadPoint(state=self._seal(rollout.log.save(), stream))
        yield from self._flush(rollout)
        yield ItemDone(state=self._seal(rollout.log.save(kept=rollout.holds), stream))

    def _flush(self, rollout: Rollout) -> Iterator[ReadStep]:
        identity = rollout.log.state.identity
        if identity is None or (identity.is_bare and rollout.log.state.next_seq == len(rollout.log) == 0):
            return
        yield self._seen(rollout.log.state, identity)
        self._mode = "append"
        if events := rollout.log.take():
            yield EventsRead(events=events)

    def _seen(self, state: RolloutState, identity: Identity) -> SessionSeen:
        title = state.title or self._titles.get(identity.native_id)
        source: TitleSource = "source" if title else "rule"
        title = title or state.prompt_title
        return SessionSeen(
            header=header_of(identity, LOCAL_NAMESPACE),
            mode=self._mode,
            title=title,
            title_source=source if title else None,
            updated_at=state.newest or None,
        )

    def _seal(self, state: RolloutState, stream: BinaryIO) -> bytes:
        """The state with the digest of what was read. A compressed rollout is unpacked once more for it."""
        if is_compressed(self._item.path):
            with open_rollout(self._item.path, self._root) as again:
                state.digest = digest_stream(again, state.offset) or b""
        else:
            state.digest = mark_prefix(stream, state.offset).digest
        return encode_state(state)

    def _rollout(self, state: RolloutState) -> Rollout:
        return Rollout(
            state,
            stem=self._item.key,
            modified=self._item.newest,
            max_bytes=self._max_bytes,
            find_turns=self._find_turns,
            decoders=self._decoders,
        )


def _take(rollout: Rollout, state: RolloutState, line: Line) -> Iterator[ReadStep]:
    """Read a line. The state points before it meanwhile, for what it makes wait is read again."""
    state.offset, state.line = line.offset, line.number
    if line.data.strip():
        try:
            rollout.read(line)
        except ValueError as error:
            yield RecordSkipped(where=line.where(), reason=str(error))
    state.offset, state.line = line.end, line.number + line.terminated


def _is_whole(data: bytes) -> bool:
    """Whether a line without its newline is a record all the same; a torn one is normal and waits."""
    try:
        _ANY.decode(data)
    except ValueError:
        return False
    return True


_ANY = msgspec.json.Decoder(dict[str, msgspec.Raw])

__all__ = ["RolloutReader"]
