"""One reading of a rollout file: where to go on, what the reader remembers, and the session's title."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

from starweaver_host.contract.events import NewEvent
from starweaver_host.contract.records import LOCAL_NAMESPACE, TitleSource
from starweaver_host.contract.transcripts import ReadStep, SessionSeen, SourceEnvironment, SourceItem
from starweaver_transcripts.lines import Line, next_lines
from starweaver_transcripts.prefix import PrefixMark, digest_stream, is_extended, mark_prefix
from starweaver_transcripts.reading import Mode, read_session

from .lineage import FindTurns
from .parents import ParentTurns
from .rollout import Rollout, header_of
from .rows import Decoders
from .state import RolloutState, decode_state, encode_state
from .streams import is_compressed, is_damage, open_rollout


class RolloutReading:
    """What readings share: decoders, and the turns of parents until those change."""

    def __init__(self) -> None:
        self._decoders = Decoders()
        self._parents = ParentTurns()

    def reader(
        self,
        env: SourceEnvironment,
        item: SourceItem,
        root: Path,
        *,
        titles: Mapping[str, str],
        folders: tuple[Path, ...],
    ) -> RolloutReader:
        """A reader of one rollout; its parent's is looked for in `folders`."""
        return RolloutReader(
            env,
            item,
            root,
            titles=titles,
            find_turns=lambda thread_id: self._parents.of(thread_id, folders),
            decoders=self._decoders,
        )


class RolloutReader:
    """Reads a rollout below a root."""

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

    def steps(self, saved: bytes | None) -> Iterator[ReadStep]:
        """Read from where `saved` stops if the file still begins with what was read then, else from its start."""
        state = decode_state(saved)
        if state is not None and state.identity is not None:
            with open_rollout(self._item.path, self._root) as stream:
                if self._go_on(stream, state):
                    yield from self._read(stream, state, "append")
                    return
        with open_rollout(self._item.path, self._root) as stream:
            yield from self._read(stream, RolloutState(), "replace")

    def _go_on(self, stream: BinaryIO, state: RolloutState) -> bool:
        """Stand at the state's offset; False when the bytes before it are others than they were."""
        if is_compressed(self._item.path):
            return digest_stream(stream, state.offset) == state.digest
        mark = PrefixMark(state.offset, 0, state.digest)
        extended = is_extended(stream, mark, same_inode=False)
        if extended:
            stream.seek(state.offset)
        return extended

    def _read(self, stream: BinaryIO, state: RolloutState, mode: Mode) -> Iterator[ReadStep]:
        rollout = Rollout(
            state,
            stem=self._item.key,
            modified=self._item.newest,
            max_bytes=self._max_bytes,
            find_turns=self._find_turns,
            decoders=self._decoders,
        )
        reading = _Reading(self, rollout, stream)
        return read_session(reading.lines(), reading, mode)

    def title_of(self, native_id: str, state: RolloutState) -> tuple[str | None, TitleSource | None]:
        """The title and who gave it: a name beats the first prompt."""
        named = state.title or self._titles.get(native_id)
        if named:
            return named, "source"
        return state.prompt_title, "rule" if state.prompt_title else None

    def digest(self, stream: BinaryIO, offset: int) -> bytes:
        """The digest of what was read. A compressed rollout is unpacked once more for it."""
        if not is_compressed(self._item.path):
            return mark_prefix(stream, offset).digest
        with open_rollout(self._item.path, self._root) as again:
            return digest_stream(again, offset) or b""


class _Reading:
    """The rollout as `read_session` drives it."""

    def __init__(self, reader: RolloutReader, rollout: Rollout, stream: BinaryIO) -> None:
        self._reader = reader
        self._rollout = rollout
        self._log = rollout.log
        self._stream = stream
        self._note: str | None = None

    def lines(self) -> Iterator[Line]:
        """The lines from the state on; a compressed rollout that is damaged ends where the damage begins."""
        try:
            yield from next_lines(self._stream, offset=self._log.state.offset, number=self._log.state.line)
        except Exception as error:
            if not is_damage(error):
                raise
            self._note = f"rollout is damaged and was read up to byte {self._log.state.offset}"

    @property
    def holds(self) -> bool:
        return self._rollout.holds

    def read(self, line: Line) -> None:
        # What this line makes wait is read again next time, so the state points before it meanwhile.
        self._log.state.offset, self._log.state.line = line.offset, line.number
        self._rollout.read(line)

    def pass_line(self, line: Line) -> None:
        self._log.state.offset, self._log.state.line = line.end, line.number + line.terminated

    def waiting(self) -> int:
        return len(self._log)

    def take(self) -> tuple[NewEvent, ...]:
        return self._log.take()

    def seen(self, mode: Mode) -> SessionSeen | None:
        state, identity = self._log.state, self._log.state.identity
        if identity is None or (identity.is_bare and self._log.is_empty):
            return None
        title, source = self._reader.title_of(identity.native_id, state)
        return SessionSeen(
            header=header_of(identity, LOCAL_NAMESPACE),
            mode=mode,
            title=title,
            title_source=source,
            updated_at=state.newest or None,
        )

    def seal(self) -> bytes:
        state = self._log.save(kept=self._rollout.holds)
        state.digest = self._reader.digest(self._stream, state.offset)
        return encode_state(state)

    def note(self) -> str | None:
        return self._note


__all__ = ["RolloutReader", "RolloutReading"]
