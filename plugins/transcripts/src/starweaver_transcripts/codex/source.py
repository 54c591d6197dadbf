"""The transcript source of OpenAI Codex CLI: rollouts of every era, plain, compressed and archived."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from starweaver_host.contract.errors import SourceError
from starweaver_host.contract.transcripts import ItemDone, ReadStep, SourceEnvironment, SourceItem, SourceRoot

from .parents import ParentTurns
from .places import find_items, find_roots, homes_of
from .reader import RolloutReader
from .rows import Decoders
from .streams import NOT_READ, find_decompressor, is_compressed
from .titles import Titles
from .tools import SOURCE


class CodexSource:
    """Rollouts below `CODEX_HOME`. Keeps the titles of side files, and the turns of parents, until those change."""

    name = SOURCE
    reader_version = 1

    def __init__(self) -> None:
        self._titles = Titles()
        self._parents = ParentTurns()
        self._decoders = Decoders()

    def roots(self, env: SourceEnvironment) -> Sequence[SourceRoot]:
        """The sessions and archive folders."""
        return find_roots(env)

    def items(self, env: SourceEnvironment, root: SourceRoot) -> Iterator[SourceItem]:
        """Rollouts below a root, whether stored plain or compressed."""
        return find_items(root.path, self._titles.of(homes_of(env, root.path)))

    def read(self, env: SourceEnvironment, item: SourceItem, state: bytes | None) -> Iterator[ReadStep]:
        """Read a rollout; one that cannot be unpacked here is reported and left for later."""
        if is_compressed(item.path) and find_decompressor() is None:
            yield ItemDone(state=state, complete=False, note=NOT_READ)
            return
        folders = tuple(root.path for root in find_roots(env) if root.exists)
        root = _root_of(item.path, folders)
        reader = RolloutReader(
            env,
            item,
            root,
            titles=self._titles.of(homes_of(env, root)),
            find_turns=lambda thread_id: self._parents.of(thread_id, folders),
            decoders=self._decoders,
        )
        yield from reader.steps(state)

    def resume_command(self, native_id: str, cwd: str | None) -> str | None:
        """`codex resume`, from the directory the session worked in."""
        command = f"codex resume {shlex.quote(native_id)}"
        return command if cwd is None else f"cd {shlex.quote(cwd)} && {command}"


def _root_of(path: Path, folders: tuple[Path, ...]) -> Path:
    for folder in folders:
        if path.is_relative_to(folder):
            return folder
    raise SourceError(f"transcript {str(path)!r} must lie below a root of source {SOURCE!r}")


__all__ = ["CodexSource"]
