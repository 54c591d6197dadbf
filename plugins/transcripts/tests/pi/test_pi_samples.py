"""The sample sessions, counted.

How the table was counted, without the importer, by a script over `json.loads` of every line:
- prompts: messages of role `user`; answers: of role `assistant`; summaries: `compaction` rows;
- calls: `toolCall` blocks and messages of role `bashExecution`; results: roles `toolResult` and `bashExecution`;
- steering: prompts whose message before is a tool's answer, no compaction between;
- runs: the other prompts, and answers whose message before is an answer that stopped (one, in the large session);
- current: the last compaction's summary, and the messages from its first kept entry on; all where there is none;
- skipped: lines that are no JSON object.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

pytestmark = pytest.mark.samples


class Expected(NamedTuple):
    """Counts of one file."""

    runs: int
    prompts: int
    steering: int
    answers: int
    summaries: int
    calls: int
    results: int
    current: int
    skipped: int = 0


TABLE = {
    "agentsessions_small": Expected(2, 2, 0, 2, 2, 0, 0, current=5),
    "agentsview_session": Expected(2, 2, 0, 2, 1, 1, 1, current=3, skipped=1),
    "pi-mono_before-compaction": Expected(52, 55, 3, 484, 2, 457, 451, current=446),
    "pi-mono_large-session": Expected(87, 88, 2, 453, 0, 391, 373, current=914),
}


def _counted(reading: Any) -> Expected:
    session = reading.only
    sources = [message.source for message in session.of("user/message")]
    return Expected(
        runs=len({event.run_id for event in session.events if event.run_id}),
        prompts=sum(source in ("user", "steering") for source in sources),
        steering=sources.count("steering"),
        answers=len(session.of("assistant/message")),
        summaries=sources.count("summary"),
        calls=len(session.of("tool/call")),
        results=len(session.of("tool/result")),
        current=len(session.current()),
        skipped=len(reading.skipped),
    )


@pytest.mark.parametrize("name", TABLE)
def test_pi_sample_reads_as_counted(name: str, samples: Path, read_item: Callable[..., Any], pi: Any) -> None:
    """Every sample is one session with the counts that were taken from it, and a log whose surface folds."""
    reading = read_item(pi, samples / "pi" / f"{name}.jsonl")

    assert _counted(reading) == TABLE[name]


def test_pi_table_covers_every_sample(samples: Path, environment: Callable[..., Any], pi: Any) -> None:
    """No sample is left out of the table."""
    env = environment(samples / "pi")

    found = [item.key for root in pi.roots(env) if root.exists for item in pi.items(env, root)]

    assert sorted(found) == sorted(TABLE)


@pytest.mark.parametrize(
    ("name", "parent"),
    [
        ("pi-mono_before-compaction", "pi:d97339c6-6c10-4827-846b-9ff1d9c3dc37"),
        ("agentsview_session", "pi:parent-uuid"),
        ("pi-mono_large-session", None),
    ],
)
def test_pi_sample_names_its_parent(
    name: str, parent: str | None, samples: Path, read_item: Callable[..., Any], pi: Any
) -> None:
    """Two samples were branched from other sessions, which their headers name."""
    header = read_item(pi, samples / "pi" / f"{name}.jsonl").only.seen.header

    assert header.parent_session_id == parent
