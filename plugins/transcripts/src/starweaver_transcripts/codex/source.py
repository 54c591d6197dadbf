"""The transcript source of OpenAI Codex CLI: rollouts of every era, plain, compressed and archived.

What reads rollouts is imported when one is read: a refresh that finds nothing new does not pay for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from starweaver_host.contract.errors import SourceError
from starweaver_host.contract.transcripts import ItemDone, ReadStep, SourceEnvironment, SourceItem, SourceRoot
from starweaver_transcripts.resuming import resume_line

from .places import SOURCE, find_items, find_roots, homes_of
from .streams import NOT_READ, find_decompressor, is_compressed
from .titles import Titles

if TYPE_CHECKING:
    from .reader import RolloutReading


class CodexSource:
    """Rollouts below `CODEX_HOME`. Keeps the titles of side files, and the turns of parents, until those change."""

    name = SOURCE
    reader_version = 1

    def __init__(self) -> None:
        self._titles = Titles()
        self._reading: RolloutReading | None = None

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
        if self._reading is None:
            from .reader import RolloutReading

            self._reading = RolloutReading()
        titles = self._titles.of(homes_of(env, root))
        yield from self._reading.reader(env, item, root, titles=titles, folders=folders).steps(state)

    def resume_command(self, native_id: str, cwd: str | None) -> str | None:
        """`codex resume`, from the directory the session worked in."""
        return resume_line("codex resume", native_id, cwd)


def _root_of(path: Path, folders: tuple[Path, ...]) -> Path:
    for folder in folders:
        if path.is_relative_to(folder):
            return folder
    raise SourceError(f"transcript {str(path)!r} must lie below a root of source {SOURCE!r}")


__all__ = ["CodexSource"]
