"""What the groups of the transcript source suite share: capabilities, the author's fixtures, and reading as logs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import ClassVar, NamedTuple

import pytest

from starweaver_host.conformance.suite import ConformanceSuite
from starweaver_host.contract.events import NewEvent
from starweaver_host.contract.transcripts import (
    EventsRead,
    ItemDone,
    ReadStep,
    RecordSkipped,
    SessionSeen,
    SourceEnvironment,
    SourceItem,
    SourceRoot,
    TranscriptSource,
)

WriteSample = Callable[[Path], None]
Logs = dict[str, list[NewEvent]]
"""Session id -> its events in log order."""


class Place(NamedTuple):
    """A source and a root that holds the author's sample, reached as a root that a person added."""

    source: TranscriptSource
    root: Path
    env: SourceEnvironment

    def roots(self) -> list[SourceRoot]:
        """The sample's root as the source names it: itself, or what the tool keeps below it."""
        return [each for each in self.source.roots(self.env) if each.exists and each.path.is_relative_to(self.root)]

    def items(self) -> list[SourceItem]:
        """The sample's items by key."""
        found = [item for root in self.roots() for item in self.source.items(self.env, root)]
        return sorted(found, key=lambda item: item.key)

    def read(self, item: SourceItem, state: bytes | None = None) -> list[ReadStep]:
        """Every step of reading an item."""
        return list(self.source.read(self.env, item, state))

    def read_all(self) -> dict[str, list[ReadStep]]:
        """Item key -> every step of reading it from its start."""
        return {item.key: self.read(item) for item in self.items()}

    def logs(self) -> Logs:
        """What the whole sample says."""
        return logs(step for steps in self.read_all().values() for step in steps)


class SourceSuite(ConformanceSuite):
    """Base of the groups. An author's class supplies the fixtures `source` and `write_sample`.

    `write_sample(root)` makes `root` look like a root of the tool, with at least one session in which a person asked
    and the model answered; for `tools`, one in which it called a tool. `extend_sample(root)` makes one of its sessions
    go on, as the tool would; it is needed for `resumable`.
    """

    CAPABILITIES: ClassVar[Mapping[str, str]] = {
        "tools": "transcripts hold tool calls and their results, and both are read",
        "resumable": "an item that was only extended is read on from where reading stopped",
        "lines": "items are files of lines: a torn last line is normal, a bad line is skipped",
        "resume_command": "the tool can resume a session from a shell",
    }

    @pytest.fixture
    def extend_sample(self) -> WriteSample:
        """Make a session of the sample go on; a resumable source's class supplies it."""
        return _no_extension

    @pytest.fixture
    def env(self, tmp_path: Path) -> SourceEnvironment:
        """An empty home, an empty environment, and the sample's root."""
        home = tmp_path / "home"
        home.mkdir()
        return SourceEnvironment(home=home, environ={}, extra_roots=(tmp_path / "sample",))

    @pytest.fixture
    def place(self, source: TranscriptSource, write_sample: WriteSample, env: SourceEnvironment) -> Place:
        """The source and its sample."""
        (root,) = env.extra_roots
        root.mkdir()
        write_sample(root)
        return Place(source, root, env)


def logs(steps: Iterable[ReadStep], known: Logs | None = None) -> Logs:
    """Follow steps as the importing service does: `replace` begins a session's log anew, `append` goes on with it."""
    found = {} if known is None else {key: list(events) for key, events in known.items()}
    current: list[NewEvent] = []
    for step in steps:
        if isinstance(step, SessionSeen):
            session_id = step.header.session_id
            if step.mode == "replace":
                found[session_id] = []
            current = found.setdefault(session_id, [])
        elif isinstance(step, EventsRead):
            current.extend(step.events)
    return found


def skipped(steps: Iterable[ReadStep]) -> list[RecordSkipped]:
    """The records that were skipped."""
    return [step for step in steps if isinstance(step, RecordSkipped)]


def last_state(steps: list[ReadStep]) -> bytes | None:
    """The state to go on from after a whole reading."""
    done = steps[-1]
    assert isinstance(done, ItemDone), "a reading ends with ItemDone"
    return done.state


def _no_extension(root: Path) -> None:
    pytest.fail(f"a source that declares 'resumable' needs the fixture 'extend_sample', to extend {root}")


__all__ = ["Logs", "Place", "SourceSuite", "WriteSample", "last_state", "logs", "skipped"]
