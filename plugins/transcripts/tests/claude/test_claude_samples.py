"""The sample transcripts of Claude Code, counted.

How the table was counted, without the importer, by a script over `json.loads` of every line and by eye where it says:
- skipped: lines that are no JSON object, objects without a `type`, and user or assistant rows without content;
- answers: distinct `message.id` of assistant rows, a row without one counting for itself, `<synthetic>` models left
  out. In `agentsessions_small` the ids were replaced by one placeholder; there, by eye, rows with it are one message
  unless a prompt, a compaction or the end of a turn lies between: rows 49, 54, 64, and 76 with 77, besides 7, 17, 18
  and 28;
- prompts: user rows with text or an image that are neither meta, a summary, a tool result, a task notification, nor a
  wrapper alone; one of `agentsessions_small` (row 59) came from another agent and counts as a prompt too;
- calls and results: `tool_use` and `tool_result` blocks;
- runs: the prompts, and, by eye, one slash command the model answered (`entire_91`, row 3);
- steering: by eye, queued text that no user row carries.
"""

from __future__ import annotations

from typing import NamedTuple

import pytest

pytestmark = pytest.mark.samples


class Expected(NamedTuple):
    """Counts of one file."""

    runs: int
    prompts: int
    answers: int
    calls: int
    results: int
    skipped: int = 0
    steering: int = 0
    summaries: int = 0


CHILD = "subagent/0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f/subagents/agent-a0ad4f44468bdf20d"
TABLE = {
    "agentsessions_schema_drift": Expected(1, 1, 1, 0, 0),
    "agentsessions_small": Expected(6, 6, 8, 3, 3, steering=2, summaries=1),
    "agentsview_queued_system_messages": Expected(1, 1, 0, 0, 0),
    "agentsview_tool_call_pending": Expected(1, 1, 1, 1, 0),
    "agentsview_truncated": Expected(1, 1, 1, 0, 0, skipped=1),
    "agentsview_valid_session": Expected(2, 2, 2, 1, 0),
    "cclog_2025_edge_cases": Expected(4, 4, 4, 3, 1, skipped=6),
    "cclog_2025_representative_messages": Expected(4, 4, 5, 2, 2),
    "cclog_2025_session_b": Expected(2, 2, 1, 0, 0),
    "cclog_2025_todowrite_examples": Expected(2, 2, 6, 3, 3),
    "cclog_dag_compact_after_rewind": Expected(5, 5, 5, 0, 0, summaries=1),
    "cclog_session_id_steering_order": Expected(2, 2, 2, 0, 0, steering=1),
    "entire_91_compact_queue_pr_2.1.36": Expected(3, 2, 50, 85, 85, steering=1, summaries=1),
    "entire_bc_plan_2.1.32": Expected(1, 1, 5, 7, 7),
    "entire_c9_queue_2.0.74": Expected(1, 1, 2, 1, 1),
    "entire_e2_summary_2.1.7": Expected(1, 1, 2, 1, 1),
    "subagent/0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f": Expected(1, 1, 1, 1, 0),
    CHILD: Expected(1, 1, 1, 1, 1),
}


def _counted(reading) -> Expected:
    session = reading.only
    sources = [message.source for message in session.of("user/message")]
    return Expected(
        runs=len({event.run_id for event in session.events if event.run_id}),
        prompts=sum(source in ("user", "agent") for source in sources),
        answers=len(session.of("assistant/message")),
        calls=len(session.of("tool/call")),
        results=len(session.of("tool/result")),
        skipped=len(reading.skipped),
        steering=sources.count("steering"),
        summaries=sources.count("summary"),
    )


@pytest.mark.parametrize("name", TABLE)
def test_sample_reads_as_counted(name, samples, read_item, idle):
    """Every sample gives the counts that were taken from it by hand, and a log whose surface folds."""
    reading = read_item(idle, samples / "claude" / f"{name}.jsonl", root=samples / "claude")

    assert _counted(reading) == TABLE[name]
    assert reading.only.current()


def test_table_covers_every_sample(samples, environment, idle):
    """No sample is left out of the table."""
    root = samples / "claude"
    (found,) = [each for each in idle.roots(environment(root)) if each.exists]

    names = [str(item.path.relative_to(root).with_suffix("")) for item in idle.items(environment(root), found)]

    assert sorted(names) == sorted(TABLE)


def test_sample_subagent_names_its_parent(samples, read_item, idle):
    """The one subagent among the samples belongs to the session whose folder it lies in."""
    reading = read_item(idle, samples / "claude" / f"{CHILD}.jsonl", root=samples / "claude")

    assert reading.only.seen.header.parent_session_id == "claude-code:0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f"
