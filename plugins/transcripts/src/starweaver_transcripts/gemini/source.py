"""GeminiSource: roots, items and readings of Gemini CLI's chats. An item is a session, whatever files it lies in."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from starweaver_host.contract.errors import SourceError
from starweaver_host.contract.transcripts import ItemDone, ReadStep, SourceEnvironment, SourceItem, SourceRoot

from .places import files_of, find_items, find_roots, is_unreadable
from .projects import Projects, project_folder
from .reader import SessionReader
from .records import RecordDecoder
from .render import SOURCE

IDLE_SECONDS = 60
"""A chat nobody wrote to for so long holds no half message: nothing in it says that an answer has ended."""

_SET_ASIDE = "set aside by Gemini CLI as unreadable, not read"


class GeminiSource:
    """Chats of Gemini CLI. `now` gives seconds since the epoch, for judging whether a chat is still written."""

    name = SOURCE
    reader_version = 1

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self._decoder = RecordDecoder()
        self._projects: dict[Path, Projects] = {}

    def roots(self, env: SourceEnvironment) -> Sequence[SourceRoot]:
        """The configured folders and the default one, which `GEMINI_CLI_HOME` may move."""
        return find_roots(env)

    def items(self, _env: SourceEnvironment, root: SourceRoot) -> Iterator[SourceItem]:
        """Sessions below a root, any order. What is known of project folders is looked up anew afterwards."""
        self._projects.clear()
        return find_items(root)

    def read(self, env: SourceEnvironment, item: SourceItem, state: bytes | None) -> Iterator[ReadStep]:
        """Read a session, from `state` if its files were only extended since. Memory: a message, and its events."""
        if is_unreadable(item.path):
            yield ItemDone(note=_SET_ASIDE)
            return
        files = files_of(item.path)
        if not files.members:
            raise SourceError(f"transcript {str(item.path)!r} must exist, it is gone")
        reader = SessionReader(
            env,
            item,
            files,
            projects=self._projects_at(item.path),
            decoder=self._decoder,
            is_idle=self._now() - item.newest / 1_000_000 > IDLE_SECONDS,
        )
        yield from reader.steps(state)

    def resume_command(self, native_id: str, cwd: str | None) -> str | None:
        """`gemini --resume`, from the project's folder."""
        command = f"gemini --resume {shlex.quote(native_id)}"
        return command if cwd is None else f"cd {shlex.quote(cwd)} && {command}"

    def _projects_at(self, path: Path) -> Projects:
        folder = project_folder(path)
        root = path.parent if folder is None else folder.parent
        return self._projects.setdefault(root, Projects(root))


__all__ = ["IDLE_SECONDS", "GeminiSource"]
