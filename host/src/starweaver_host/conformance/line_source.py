"""LineSource: the reference TranscriptSource, for a made-up tool that writes one JSON object per line.

A root holds `<native id>.jsonl`. A row has `kind` (user, assistant, call, result, image, end), `t` (milliseconds) and
`text`; a call and a result also have `id`. It is what the suite is checked against, and a first source to read.
"""

from __future__ import annotations

import json
import os
import shlex
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from starweaver_host.contract.errors import SourceError
from starweaver_host.contract.events import (
    AssistantMessage,
    ImageBlock,
    NewEvent,
    TextBlock,
    ToolCall,
    ToolResult,
    TurnEnd,
    TurnStart,
    UserMessage,
    new_event,
)
from starweaver_host.contract.records import LOCAL_NAMESPACE, ExternalSource, SessionHeader
from starweaver_host.contract.transcripts import (
    EventsRead,
    ItemDone,
    ReadPoint,
    ReadStep,
    RecordSkipped,
    SessionSeen,
    SourceEnvironment,
    SourceItem,
    SourceRoot,
)


class LineSource:
    """Reads the made-up tool's files. Its state is where it stopped and the number of the current turn."""

    name = "line-tool"
    reader_version = 1

    def roots(self, env: SourceEnvironment) -> Sequence[SourceRoot]:
        """The tool's folder in the home directory, and what a person added."""
        default = SourceRoot(path=env.home / ".line-tool", exists=(env.home / ".line-tool").is_dir(), reason="default")
        return [*(SourceRoot(path=p, exists=p.is_dir(), reason="configured") for p in env.extra_roots), default]

    def items(self, env: SourceEnvironment, root: SourceRoot) -> Iterator[SourceItem]:  # noqa: ARG002 (contract)
        """One item per regular file."""
        try:
            entries = list(os.scandir(root.path))
        except OSError as error:
            raise SourceError(f"folder {str(root.path)!r} cannot be listed: {error.strerror}") from error
        for entry in entries:
            if entry.name.endswith(".jsonl") and self.accepts(entry):
                found = entry.stat()
                yield SourceItem(
                    key=self.key(entry.name),
                    path=Path(entry.path),
                    fingerprint=f"{found.st_size}:{found.st_mtime_ns}",
                    newest=found.st_mtime_ns // 1000,
                    size_bytes=found.st_size,
                )

    def accepts(self, entry: os.DirEntry[str]) -> bool:
        """Regular files only; what a link leads to is not ours."""
        return entry.is_file(follow_symlinks=False)

    def key(self, name: str) -> str:
        """The key of a file."""
        return name

    def read(self, env: SourceEnvironment, item: SourceItem, state: bytes | None) -> Iterator[ReadStep]:
        """Read the rows from where reading stopped; the last line waits until it is whole."""
        offset, turn, number = json.loads(state) if state else (0, 0, 0)
        native = item.path.name.removesuffix(".jsonl")
        with self.open(item.path) as handle:
            handle.seek(offset)
            for line in handle:
                number += 1
                if not self.is_whole(line):
                    break
                offset += len(line)
                row = self.decode(line)
                if row is None:
                    yield RecordSkipped(where=f"line {number}", reason="not a JSON object of a known kind")
                    continue
                turn += row["kind"] == "user"
                yield self.seen(native, state)
                yield EventsRead(events=tuple(self.events(env, row, turn)))
                state = self.state(offset, turn, number)
                yield ReadPoint(state=state)
        yield ItemDone(state=self.state(offset, turn, number))

    def open(self, path: Path) -> BinaryIO:
        """Open a regular file that is no link."""
        try:
            handle = os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)), "rb")
        except OSError as error:
            raise SourceError(f"transcript {str(path)!r} cannot be opened: {error.strerror}") from error
        if not stat.S_ISREG(os.fstat(handle.fileno()).st_mode):
            handle.close()
            raise SourceError(f"transcript {str(path)!r} must be a regular file")
        return handle

    def is_whole(self, line: bytes) -> bool:
        """A line is whole when its newline was written."""
        return line.endswith(b"\n")

    def decode(self, line: bytes) -> dict[str, Any] | None:
        """A row, or None for a line that is none."""
        try:
            row = json.loads(line)
        except ValueError:
            return None
        return row if isinstance(row, dict) and row.get("kind") in _KINDS else None

    def state(self, offset: int, turn: int, number: int) -> bytes:
        """Where reading stopped."""
        return json.dumps([offset, turn, number]).encode()

    def seen(self, native: str, state: bytes | None) -> SessionSeen:
        """The session of a file; the first row begins it."""
        header = SessionHeader(
            namespace_id=LOCAL_NAMESPACE,
            session_id=f"{self.name}:{native}",
            created_at=1_750_000_000_000_000,
            origin="import",
            external=ExternalSource(source=self.name, native_id=native),
        )
        return SessionSeen(header=header, mode="append" if state else "replace")

    def events(self, env: SourceEnvironment, row: dict[str, Any], turn: int) -> Iterator[NewEvent]:
        """The events of a row."""
        run_id = f"turn-{turn}"
        if row["kind"] == "user":
            yield new_event(TurnStart(turn=turn), time=row["t"], run_id=run_id)
        yield new_event(self.payload(env, row, turn), time=row["t"], run_id=run_id)

    def payload(self, env: SourceEnvironment, row: dict[str, Any], turn: int) -> Any:
        """The payload of a row."""
        text = str(row.get("text", ""))
        match row["kind"]:
            case "user":
                return UserMessage(content=(TextBlock(text=text),))
            case "image":
                return UserMessage(content=(self.image(text),), source="injected")
            case "assistant":
                return AssistantMessage(content=(TextBlock(text=text),))
            case "call":
                return ToolCall(call_id=row["id"], name="tool", arguments=text)
            case "result":
                kept = self.clip(text, env.tool_result_max_bytes)
                return ToolResult(call_id=row["id"], text=kept, size_bytes=len(text.encode()))
        return TurnEnd(turn=turn, reason="completed")

    def image(self, encoded: str) -> ImageBlock | TextBlock:
        """An image without its bytes."""
        return ImageBlock(media_type="image/png", size_bytes=len(encoded) * 3 // 4)

    def clip(self, text: str, most: int) -> str:
        """At most so many bytes, cut at a character border."""
        return text.encode()[:most].decode(errors="ignore")

    def resume_command(self, native_id: str, cwd: str | None) -> str | None:  # noqa: ARG002 (it resumes anywhere)
        """The made-up tool resumes by id."""
        return f"line-tool resume {shlex.quote(native_id)}"


_KINDS = frozenset({"user", "assistant", "call", "result", "image", "end"})


def write_line_sample(root: Path) -> None:
    """Two sessions of the made-up tool."""
    for name in ("first", "second"):
        _write(root / f"{name}.jsonl", "what is this?", "xb")


def extend_line_sample(root: Path) -> None:
    """Let the first session go on."""
    _write(root / "first.jsonl", "and that?", "ab")


def _write(path: Path, question: str, mode: str) -> None:
    rows: list[dict[str, Any]] = [
        {"kind": "user", "text": question},
        {"kind": "image", "text": "QUJD" * 200},
        {"kind": "call", "id": "c1", "text": '{"path": "a"}'},
        {"kind": "result", "id": "c1", "text": "\u4e2d\u6587 " * 40},
        {"kind": "assistant", "text": "this is an answer"},
        {"kind": "end"},
    ]
    with path.open(mode) as handle:
        for place, row in enumerate(rows):
            handle.write(json.dumps({"t": 1_750_000_000_000 + place, **row}).encode() + b"\n")


__all__ = ["LineSource", "extend_line_sample", "write_line_sample"]
