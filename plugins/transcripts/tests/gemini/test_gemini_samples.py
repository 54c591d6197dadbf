"""Other people's chats, counted by another way of reading than the importer's."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

# Counted with json.loads over each file: runs are messages of type "user", messages those of type "user", "gemini" or
# "model", tool calls the lengths of their "toolCalls". No file has a subagent or a line that is no JSON.
# file: (runs, messages, tool calls)
COUNTS = {
    "agentsessions_jsonl_v040.jsonl": (1, 3, 1),
    "agentsessions_large.json": (2, 6, 2),
    "agentsview_standard_session.json": (2, 4, 0),
    "agentsview_system_messages.json": (0, 0, 0),
    "agentsview_thinking_only.json": (1, 2, 0),
    "agentsview_tool_calls.json": (1, 2, 1),
    "agentsview_tool_calls_with_results.json": (1, 2, 2),
    "entire_ec_tiny_session-2026-02-03T04-09-29eb990e.json": (0, 0, 0),
}


@pytest.mark.samples
@pytest.mark.parametrize("name", sorted(COUNTS))
def test_gemini_sample_has_its_counts(samples: Path, home: Any, gemini: Any, name: str) -> None:
    """A sample is one session without skipped records, has the counts its text has, and reads the same again."""
    shutil.copy(samples / "gemini" / name, home.chats() / name)
    importer = gemini(home).refresh()
    found = Counter(importer.only.types())
    messages = found["user/message"] + found["assistant/message"]
    assert (found["turn/start"], messages, found["tool/call"]) == COUNTS[name]
    assert importer.skipped == []
    assert importer.only.seen.header.origin == "user"
    assert gemini(home).refresh().only.events == importer.only.events


@pytest.mark.samples
def test_every_gemini_sample_is_counted(samples: Path) -> None:
    """No sample is left out of the table."""
    assert {path.name for path in (samples / "gemini").iterdir()} == set(COUNTS)
