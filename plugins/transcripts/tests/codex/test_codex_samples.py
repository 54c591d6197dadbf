"""The sample rollouts, counted.

How the table was counted, without the importer, by a script over `json.loads` of every line and by eye:
- prompts and answers: texts of `user_message`/`agent_message` events, of completed items, and of API messages that are
  no environment envelope, equal texts of different record kinds that stand together taken as one;
- calls: `function_call`, `custom_tool_call`, `tool_search_call`, `web_search_call` items, and tool events and items
  whose call id no earlier record has; results: output items, and those events and items that say what came of it;
- runs: prompts, less those typed while a turn is at work, and by eye two of `agentsessions_small_0149` that nobody
  typed the prompt of (rows 22 and 42). In that sample ids and texts were replaced by one placeholder: rows 84 and 100
  are one prompt, and events with the placeholder for a call id are repetitions of row 27;
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
    answers: int
    calls: int
    results: int
    children: int = 0
    skipped: int = 0


EMPTY = Expected(0, 0, 0, 0, 0)
TABLE = {
    "SYNTHETIC_paginated_history_mode": Expected(1, 1, 1, 1, 1),
    "SYNTHETIC_paginated_with_response_items": Expected(1, 1, 1, 1, 1),
    "SYNTHETIC_rollout-2026-08-01T00-00-00-019f9999-0000-7000-8000-00000000000b": Expected(1, 1, 1, 0, 0),
    "agentsessions_schema_drift": Expected(1, 1, 1, 1, 1),
    "agentsessions_small_0149": Expected(5, 3, 4, 10, 8, children=1),
    "agentsview_blockquotes_session": Expected(1, 1, 1, 0, 0),
    "agentsview_fc_args_1": Expected(1, 1, 0, 1, 0),
    "agentsview_fc_args_2": Expected(1, 1, 0, 1, 0),
    "agentsview_fc_stdin": Expected(1, 1, 0, 1, 0),
    "agentsview_function_calls": Expected(1, 1, 0, 2, 0),
    "agentsview_standard_session": Expected(1, 1, 1, 0, 0),
    "agentsview_traex_rollout_subagent": Expected(1, 1, 1, 3, 3, children=1),
    "cclog_malformed_tail": Expected(1, 1, 0, 0, 0, skipped=1),
    "cclog_subagent_replay_prefix": Expected(2, 2, 1, 1, 0),
    "codex_050_legacy": EMPTY,
    "codex_051_usage": EMPTY,
    "codex_052_raw": EMPTY,
    "codex_053_rate_limit": EMPTY,
}
SUBAGENTS = {"agentsview_traex_rollout_subagent", "cclog_subagent_replay_prefix"}


def _counted(reading: Any) -> Expected:
    session = reading.only
    said = [(who, text) for who, text in session.said() if text]
    return Expected(
        runs=len({event.run_id for event in session.events if event.run_id}),
        prompts=sum(who in ("user", "steering") for who, _ in said),
        answers=sum(who == "assistant" for who, _ in said),
        calls=len(session.of("tool/call")),
        results=len(session.of("tool/result")),
        children=len(session.of("subagent/link")),
        skipped=len(reading.skipped),
    )


def _path(samples: Path, name: str) -> Path:
    plain = samples / "codex" / f"{name}.jsonl"
    return plain if plain.exists() else plain.with_name(plain.name + ".zst")


@pytest.mark.parametrize("name", TABLE)
def test_codex_sample_reads_as_counted(name: str, samples: Path, read_item: Callable[..., Any], source: Any) -> None:
    """Every sample is one session with the counts that were taken from it by hand, and a log whose surface folds."""
    reading = read_item(source, _path(samples, name))

    assert _counted(reading) == TABLE[name]
    assert (reading.only.seen.header.origin == "subagent") == (name in SUBAGENTS)
    assert bool(reading.only.current()) == (TABLE[name] != EMPTY)


def test_codex_table_covers_every_sample(samples: Path, environment: Callable[..., Any], source: Any) -> None:
    """No sample is left out of the table."""
    env = environment(samples / "codex")

    found = [item.key for root in source.roots(env) if root.exists for item in source.items(env, root)]

    assert sorted(found) == sorted(TABLE)


def test_codex_sample_error_is_told(samples: Path, read_item: Callable[..., Any], source: Any) -> None:
    """A session that only met its rate limit says so."""
    session = read_item(source, _path(samples, "codex_053_rate_limit")).only

    assert [(status.level, status.text) for status in session.of("status/detail")] == [("error", "Rate limit exceeded")]
