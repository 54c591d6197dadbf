"""What the tests of every importer share: reading an item into something a test can ask."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import pytest

from starweaver_host.contract.events import Event, NewEvent, TextBlock
from starweaver_host.contract.transcripts import (
    EventsRead,
    ItemDone,
    ReadPoint,
    RecordSkipped,
    SessionSeen,
    SourceEnvironment,
    SourceItem,
    TranscriptSource,
)
from starweaver_host.projection.surface import fold_surface


@dataclass
class SessionRead:
    """One session of a reading: its last SessionSeen and all its events, in log order."""

    seen: SessionSeen
    modes: list[str] = field(default_factory=list)
    events: list[NewEvent] = field(default_factory=list)

    def types(self) -> list[str]:
        """Event types in order."""
        return [event.type for event in self.events]

    def of(self, kind: str) -> list[Any]:
        """Payloads of one event type."""
        return [event.data for event in self.events if event.type == kind]

    def said(self) -> list[tuple[str, str]]:
        """Messages in order as (who, visible text)."""
        lines = []
        for event in self.events:
            if event.type in ("user/message", "assistant/message"):
                who = getattr(event.data, "source", "assistant")
                lines.append((who, "\n".join(b.text for b in event.data.content if isinstance(b, TextBlock))))
        return lines

    def current(self) -> list[str]:
        """What is on the surface at the end, as text (tool results as theirs). Fails for a log that does not fold."""
        folded = fold_surface(self.stored())
        return [_text(self.events[seq].data) for seq in folded.nodes]

    def stored(self) -> list[Event]:
        """The events as a store would hand them out."""
        return [
            Event(
                seq=seq,
                type=event.type,
                time=event.time,
                data=msgspec.Raw(msgspec.json.encode(event.data)),
                run_id=event.run_id,
                surface_op=event.surface_op,
                source_event_seqs=event.source_event_seqs,
                identity=event.identity,
            )
            for seq, event in enumerate(self.events)
        ]


def _text(data: Any) -> str:
    if hasattr(data, "content"):
        return "\n".join(block.text for block in data.content if isinstance(block, TextBlock))
    return str(data.text)


@dataclass
class Reading:
    """Everything a reading of one item gave. `points` are the states of its read points."""

    sessions: dict[str, SessionRead]
    skipped: list[RecordSkipped]
    points: list[bytes]
    done: ItemDone

    @property
    def only(self) -> SessionRead:
        """The one session of the item."""
        (session,) = self.sessions.values()
        return session

    def counts(self) -> Counter[str]:
        """Events by type, over all sessions."""
        return Counter(event.type for session in self.sessions.values() for event in session.events)


def read_steps(steps: Any, before: Reading | None = None) -> Reading:
    """Gather steps; with `before`, sessions that are appended to go on with what that reading gave."""
    old = before.sessions if before is not None else {}
    sessions: dict[str, SessionRead] = {}
    skipped: list[RecordSkipped] = []
    points: list[bytes] = []
    done, current = None, None
    for step in steps:
        assert done is None, "a step after ItemDone"
        match step:
            case SessionSeen():
                current = _session(step, sessions, old)
            case EventsRead(events=events):
                assert current is not None, "events before a session"
                current.events.extend(events)
            case RecordSkipped():
                skipped.append(step)
            case ReadPoint(state=state):
                points.append(state)
            case ItemDone():
                done = step
    assert done is not None, "no ItemDone"
    return Reading({**old, **sessions}, skipped, points, done)


def _session(step: SessionSeen, sessions: dict[str, SessionRead], old: Mapping[str, SessionRead]) -> SessionRead:
    key = step.header.session_id
    if key not in sessions:
        earlier = old.get(key)
        kept = list(earlier.events) if earlier is not None and step.mode == "append" else []
        sessions[key] = SessionRead(step, events=kept)
    elif step.mode == "replace":
        sessions[key].events.clear()
    sessions[key].seen = step
    sessions[key].modes.append(step.mode)
    return sessions[key]


Read = Callable[..., Reading]


@pytest.fixture
def environment(tmp_path: Path) -> Callable[..., SourceEnvironment]:
    """Makes an environment whose home is `home` below the test's folder, with variables and roots as given."""

    def make(
        *roots: Path, environ: Mapping[str, str] | None = None, tool_result_max_bytes: int = 65_536
    ) -> SourceEnvironment:
        return SourceEnvironment(
            home=tmp_path / "home",
            environ=environ or {},
            extra_roots=roots,
            tool_result_max_bytes=tool_result_max_bytes,
        )

    return make


@pytest.fixture
def read_item(environment: Callable[..., SourceEnvironment]) -> Read:
    """Reads the item a source finds for `path` below `root` (its folder by default), perhaps from a state."""

    def read(
        source: TranscriptSource,
        path: Path,
        *,
        root: Path | None = None,
        state: bytes | None = None,
        before: Reading | None = None,
        **options: Any,
    ) -> Reading:
        env = environment(root or path.parent, **options)
        item = find_item(source, env, path)
        return read_steps(source.read(env, item, state), before)

    return read


def find_item(source: TranscriptSource, env: SourceEnvironment, path: Path) -> SourceItem:
    """The item of a path. Fails when the source does not find it."""
    found = [item for root in source.roots(env) if root.exists for item in source.items(env, root)]
    return next(item for item in found if item.path == path)


class Importer:
    """What an importing service would hold after reading every item of a source, once or again and again."""

    def __init__(self, source: TranscriptSource, env: SourceEnvironment) -> None:
        self.source = source
        self.env = env
        self.sessions: dict[str, SessionRead] = {}
        self.states: dict[str, bytes | None] = {}
        self.fingerprints: dict[str, str] = {}
        self.done: dict[str, ItemDone] = {}
        self.skipped: list[RecordSkipped] = []
        self.modes: list[str] = []
        """How each reading that saw a session began."""
        self.read_keys: list[str] = []
        """The items that were read, in order."""

    @property
    def only(self) -> SessionRead:
        """The one session there is."""
        (session,) = self.sessions.values()
        return session

    def items(self) -> list[SourceItem]:
        """Everything there is to read, by key."""
        roots = [root for root in self.source.roots(self.env) if root.exists]
        return sorted((item for root in roots for item in self.source.items(self.env, root)), key=lambda i: i.key)

    def refresh(self, *, stop_at_points: bool = False) -> Importer:
        """Read every item that changed or was not complete; with `stop_at_points` only to its next read point."""
        for item in self.items():
            done = self.done.get(item.key)
            if done is None or not done.complete or self.fingerprints.get(item.key) != item.fingerprint:
                self.read_keys.append(item.key)
                self._read(item, stop_at_points)
        return self

    def _read(self, item: SourceItem, stop_at_points: bool) -> None:
        steps = list(_until_point(self.source.read(self.env, item, self.states.get(item.key)), stop_at_points))
        end = steps[-1]
        before = Reading(self.sessions, [], [], ItemDone())
        reading = read_steps([*steps[:-1], end if isinstance(end, ItemDone) else ItemDone()], before)
        self.sessions = reading.sessions
        self.skipped += reading.skipped
        self.modes += [step.mode for step in steps if isinstance(step, SessionSeen)][:1]
        assert isinstance(end, ReadPoint | ItemDone)
        self.states[item.key] = end.state
        if isinstance(end, ItemDone):
            self.done[item.key], self.fingerprints[item.key] = end, item.fingerprint


def _until_point(steps: Any, stop: bool) -> Any:
    for step in steps:
        yield step
        if stop and isinstance(step, ReadPoint):
            return


@pytest.fixture
def make_importer() -> Callable[[TranscriptSource, SourceEnvironment], Importer]:
    """Makes importers that have read nothing yet."""
    return Importer


class GrowingSample:
    """Files of lines as a root holds them, and one of them that first lacks the last part of its lines.

    `files` maps places below the root to contents; `growing` is the place of the one, `held` how many lines come later.
    """

    def __init__(self, files: Mapping[str, bytes], growing: str, held: int) -> None:
        lines = files[growing].splitlines(keepends=True)
        self._files = {**files, growing: b"".join(lines[:-held])}
        self._growing, self._rest = growing, b"".join(lines[-held:])

    def write(self, root: Path) -> None:
        """Make `root` look like a root of the tool."""
        for place, data in self._files.items():
            path = root / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)

    def extend(self, root: Path) -> None:
        """Write the lines that were held back."""
        with (root / self._growing).open("ab") as handle:
            handle.write(self._rest)


@pytest.fixture
def growing_sample() -> Callable[..., GrowingSample]:
    """Makes samples for the conformance kit."""
    return GrowingSample
