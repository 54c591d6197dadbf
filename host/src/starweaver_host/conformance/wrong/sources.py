# ruff: noqa: ARG002 (to ignore an argument is how some of these are wrong)
"""Transcript sources that are wrong about finding, reading or meaning."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from starweaver_host.conformance.line_source import LineSource
from starweaver_host.contract.events import ImageBlock, NewEvent, TextBlock
from starweaver_host.contract.transcripts import ReadStep, SessionSeen, SourceEnvironment, SourceItem, SourceRoot

from .kinds import wrong


class FollowsLinks(LineSource):
    """Reads what a link leads to, wherever that is."""

    def accepts(self, entry: os.DirEntry[str]) -> bool:
        return entry.is_file()

    def open(self, path: Path) -> BinaryIO:
        return path.open("rb") if path.exists() else super().open(path)


class LeavesALock(LineSource):
    """Marks the folders it has looked at."""

    def items(self, env: SourceEnvironment, root: SourceRoot) -> Iterator[SourceItem]:
        yield from super().items(env, root)
        (root.path / ".seen").touch()


class LeavesSharedMemory(LineSource):
    """Opens a database in a way that leaves a side file behind."""

    def items(self, env: SourceEnvironment, root: SourceRoot) -> Iterator[SourceItem]:
        yield from super().items(env, root)
        (root.path / "tool.db-shm").touch()


class RenumbersItems(LineSource):
    """Gives an item another key each time."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1000)

    def key(self, name: str) -> str:
        return f"{next(self._numbers)}"


class FindsNothingQuietly(LineSource):
    """Takes a root that cannot be listed for an empty one."""

    def items(self, env: SourceEnvironment, root: SourceRoot) -> Iterator[SourceItem]:
        if root.path.is_dir():
            yield from super().items(env, root)


class SkipsTornLines(LineSource):
    """Takes a line that is still being written for a bad one."""

    def is_whole(self, line: bytes) -> bool:
        return True


class StopsAtBadLines(LineSource):
    """Lets one bad line end the reading."""

    def decode(self, line: bytes) -> dict[str, Any] | None:
        row: dict[str, Any] = json.loads(line)
        return row


class HidesBadLines(LineSource):
    """Passes bad lines over in silence."""

    def read(self, env: SourceEnvironment, item: SourceItem, state: bytes | None) -> Iterator[ReadStep]:
        yield from (step for step in super().read(env, item, state) if type(step).__name__ != "RecordSkipped")


class ForgetsItsTurn(LineSource):
    """Begins to count turns anew where it goes on reading."""

    def state(self, offset: int, turn: int, number: int) -> bytes:
        return super().state(offset, 0, number)


class StartsOver(LineSource):
    """Reads from the start again and calls it going on."""

    def read(self, env: SourceEnvironment, item: SourceItem, state: bytes | None) -> Iterator[ReadStep]:
        for step in super().read(env, item, None):
            again = state is not None and isinstance(step, SessionSeen)
            yield msgspec.structs.replace(step, mode="append") if again else step


class KeepsImages(LineSource):
    """Stores an image as its base64 text."""

    def image(self, encoded: str) -> ImageBlock | TextBlock:
        return TextBlock(text=encoded)


class OverlooksToolCalls(LineSource):
    """Reads what a tool answered and not that it was called."""

    def events(self, env: SourceEnvironment, row: dict[str, Any], turn: int) -> Iterator[NewEvent]:
        yield from () if row["kind"] == "call" else super().events(env, row, turn)


class KeepsEverything(LineSource):
    """Does not clip tool results."""

    def clip(self, text: str, most: int) -> str:
        return text


class InventsTypes(LineSource):
    """Says things in words of its own."""

    def events(self, env: SourceEnvironment, row: dict[str, Any], turn: int) -> Iterator[NewEvent]:
        yield from super().events(env, row, turn)
        if row["kind"] == "end":
            yield NewEvent(type="line-tool/end", time=row["t"], data={})


class NumbersTurnsFromZero(LineSource):
    """Counts turns like a programmer."""

    def events(self, env: SourceEnvironment, row: dict[str, Any], turn: int) -> Iterator[NewEvent]:
        yield from super().events(env, row, turn - 1)


class ChangesItsHeaders(LineSource):
    """Lets a session be created later in every step."""

    def seen(self, native: str, state: bytes | None) -> SessionSeen:
        step = super().seen(native, state)
        created_at = step.header.created_at + len(state or b"")
        return msgspec.structs.replace(step, header=msgspec.structs.replace(step.header, created_at=created_at))


class TrustsIds(LineSource):
    """Puts ids into a shell command as they are."""

    def resume_command(self, native_id: str, cwd: str | None) -> str | None:
        return f"line-tool resume {native_id}"


WRONG_SOURCES = (
    wrong(FollowsLinks, "test_link_to_a_file_outside_is_not_followed", "FindingRules"),
    wrong(LeavesALock, "test_looking_and_reading_leave_the_source_as_it_was", "FindingRules"),
    wrong(LeavesSharedMemory, "test_looking_and_reading_leave_the_source_as_it_was", "FindingRules"),
    wrong(RenumbersItems, "test_items_have_unique_keys_that_stay", "FindingRules", "ReadingRules"),
    wrong(FindsNothingQuietly, "test_absent_root_cannot_be_listed", "FindingRules"),
    wrong(SkipsTornLines, "test_torn_last_line_is_read_when_it_is_whole", "ReadingRules"),
    wrong(StopsAtBadLines, "test_bad_record_is_skipped_counted_and_named", "ReadingRules"),
    wrong(HidesBadLines, "test_bad_record_is_skipped_counted_and_named", "ReadingRules"),
    wrong(OverlooksToolCalls, "test_tool_calls_of_the_sample_are_understood", "ReadingRules"),
    wrong(ForgetsItsTurn, "test_reading_on_gives_what_reading_anew_gives", "ReadingRules"),
    wrong(StartsOver, "test_reading_on_from_the_end_says_nothing_new", "ReadingRules"),
    wrong(KeepsImages, "test_no_encoded_bytes_are_kept", "MeaningRules"),
    wrong(KeepsEverything, "test_tool_results_keep_to_their_bound", "MeaningRules"),
    wrong(InventsTypes, "test_events_keep_to_the_vocabulary", "MeaningRules"),
    wrong(NumbersTurnsFromZero, "test_turns_are_numbered_and_closed_once", "MeaningRules"),
    wrong(ChangesItsHeaders, "test_header_of_a_session_does_not_change", "MeaningRules"),
    wrong(TrustsIds, "test_resume_command_is_one_safe_shell_line", "MeaningRules"),
)

__all__ = ["WRONG_SOURCES"]
