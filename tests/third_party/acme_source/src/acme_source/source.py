"""AcmeSource: a file per session in `~/.acme`, a question, a tab and an answer to the line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from starweaver_host.contract.errors import SourceError
from starweaver_host.contract.events import (
    AssistantMessage,
    NewEvent,
    TextBlock,
    TurnEnd,
    TurnStart,
    UserMessage,
    new_event,
)
from starweaver_host.contract.records import ExternalSource, SessionHeader
from starweaver_host.contract.transcripts import (
    EventsRead,
    ItemDone,
    ReadStep,
    RecordSkipped,
    SessionSeen,
    SourceEnvironment,
    SourceItem,
    SourceRoot,
)


class AcmeSource:
    """Sessions of Acme's agent, read anew whenever their file changed."""

    name = "acme"
    reader_version = 1

    def roots(self, env: SourceEnvironment) -> Sequence[SourceRoot]:
        """What a person added, and the folder in the home directory."""
        places = [*((path, "configured") for path in env.extra_roots), (env.home / ".acme", "default")]
        return [SourceRoot(path=path, exists=path.is_dir(), reason=reason) for path, reason in places]

    def items(self, env: SourceEnvironment, root: SourceRoot) -> Iterator[SourceItem]:
        """The `.acme` files of a root."""
        try:
            paths = [path for path in root.path.iterdir() if path.suffix == ".acme" and not path.is_symlink()]
        except OSError as error:
            raise SourceError(f"folder {str(root.path)!r} cannot be listed: {error.strerror}") from error
        for path in filter(Path.is_file, paths):
            found = path.stat()
            yield SourceItem(
                key=str(path),
                path=path,
                fingerprint=f"{found.st_size}:{found.st_mtime_ns}",
                newest=found.st_mtime_ns // 1000,
                size_bytes=found.st_size,
            )

    def read(self, env: SourceEnvironment, item: SourceItem, state: bytes | None) -> Iterator[ReadStep]:
        """A turn for every whole line."""
        try:
            lines = item.path.read_bytes().split(b"\n")[:-1]  # what follows the last newline is still being written
        except OSError as error:
            raise SourceError(f"transcript {str(item.path)!r} cannot be opened: {error.strerror}") from error
        turn = 0
        for number, line in enumerate(lines, 1):
            asked, tab, answered = line.decode(errors="replace").partition("\t")
            if not tab:
                yield RecordSkipped(where=f"line {number}", reason="a question, a tab and an answer were wanted")
                continue
            turn += 1
            if turn == 1:
                yield SessionSeen(header=self._header(item), mode="replace", title=asked[:80])
            yield EventsRead(events=tuple(self._turn(turn, item.newest // 1000, asked, answered)))
        yield ItemDone()

    def resume_command(self, native_id: str, cwd: str | None) -> str | None:
        """Acme cannot resume."""
        return None

    def _header(self, item: SourceItem) -> SessionHeader:
        return SessionHeader(
            namespace_id="local",
            session_id=f"acme:{item.path.stem}",
            created_at=item.newest,
            origin="import",
            external=ExternalSource(source="acme", native_id=item.path.stem),
        )

    def _turn(self, turn: int, time: int, asked: str, answered: str) -> Iterator[NewEvent]:
        payloads = (
            TurnStart(turn=turn),
            UserMessage(content=(TextBlock(text=asked),)),
            AssistantMessage(content=(TextBlock(text=answered),)),
            TurnEnd(turn=turn, reason="completed"),
        )
        for payload in payloads:
            yield new_event(payload, time=time, run_id=f"turn-{turn}")
