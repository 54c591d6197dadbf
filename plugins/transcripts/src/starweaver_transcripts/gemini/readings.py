"""Reading the sessions of one process: what is kept from one reading to the next. Loaded when something is read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from starweaver_host.contract.errors import SourceError
from starweaver_host.contract.transcripts import ItemDone, ReadStep, SourceEnvironment, SourceItem

from .files import ChatFile
from .places import files_of, is_unreadable
from .projects import Projects, project_folder
from .reader import SessionReader
from .records import RecordDecoder

_SET_ASIDE = "set aside by Gemini CLI as unreadable, not read"


class ChatReadings:
    """Readings of sessions, over one decoder and what is known of project folders."""

    def __init__(self) -> None:
        self._decoder = RecordDecoder()
        self._projects: dict[Path, Projects] = {}

    def forget_projects(self) -> None:
        """Look project folders up anew: they may have changed."""
        self._projects.clear()

    def steps(
        self, env: SourceEnvironment, item: SourceItem, state: bytes | None, *, root: Path, is_idle: bool
    ) -> Iterator[ReadStep]:
        """Read a session below `root`. Raises SourceError when its files are gone."""
        if is_unreadable(item.path):
            yield ItemDone(note=_SET_ASIDE)
            return
        files = files_of(item.path)
        if not files.members:
            raise SourceError(f"transcript {str(item.path)!r} must exist, it is gone")
        projects = self._projects_at(item.path)
        chats = [ChatFile(member, root, self._decoder) for member in files.members]
        reader = SessionReader(env, item, chats, projects=projects, decoder=self._decoder, is_idle=is_idle)
        yield from reader.steps(state)

    def _projects_at(self, path: Path) -> Projects:
        folder = project_folder(path)
        root = path.parent if folder is None else folder.parent
        return self._projects.setdefault(root, Projects(root))


__all__ = ["ChatReadings"]
