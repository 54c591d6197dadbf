"""Rules of the log: contiguous, append-only, projected in the transaction of the append."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from starweaver_host.conformance.context import START, ManualClock
from starweaver_host.contract.events import (
    Event,
    ModelChange,
    NewEvent,
    Replace,
    StatusDetail,
    TextBlock,
    TitleChange,
    Todo,
    TodoWrite,
    ToolCall,
    ToolResult,
    TurnEnd,
    TurnStart,
    UserMessage,
    new_event,
)
from starweaver_host.contract.records import SessionChange
from starweaver_host.contract.store import SessionStore

from .samples import SCOPE, asks, created, key, refused, says, scanned_texts
from .suite import StoreSuite

TIME = START // 1000
MESSAGE = UserMessage(content=(TextBlock(text="m"),))
EVERY_KIND = (
    new_event(TurnStart(turn=1, model="m"), time=TIME, run_id="r1"),
    new_event(UserMessage(content=(TextBlock(text="é\u4e2d\U0001f600\n"),)), time=TIME + 5, identity="m1"),
    says("hello", identity="m2"),
    new_event(ToolCall(call_id="c", name="n", arguments='{"a": 1}'), time=TIME - 7),
    new_event(ToolResult(call_id="c", text="x" * 5000, size_bytes=70_000, is_error=True), time=TIME),
    new_event(MESSAGE, time=TIME, surface_op="none"),
    new_event(MESSAGE, time=TIME, surface_op=Replace(start=1, end=2), source_event_seqs=(1, 2)),
    new_event(TodoWrite(todos=(Todo(content="a", status="done"),)), time=TIME),
    new_event(TurnEnd(turn=1, reason="failed", error_code="c", error_message="m"), time=0, run_id="r1"),
    NewEvent(type="x/unknown", time=TIME, data={"b": [1, 2.5, None, "é"], "a": {}}),
    new_event(StatusDetail(level="info", text=""), time=TIME),
)
MALFORMED: dict[str, NewEvent] = {
    "operation_on_another_type": NewEvent(type="turn/start", time=TIME, data=TurnStart(turn=1), surface_op="append"),
    "message_without_operation": NewEvent(type="user/message", time=TIME, data=MESSAGE),
    "sources_without_the_range": new_event(MESSAGE, time=TIME, surface_op=Replace(start=0, end=1)),
    "source_in_the_future": new_event(MESSAGE, time=TIME, surface_op="append", source_event_seqs=(99,)),
    "source_named_twice": new_event(MESSAGE, time=TIME, surface_op="append", source_event_seqs=(0, 0)),
}


async def _texts(store: SessionStore, **window: int) -> list[int]:
    return [event.seq for event in (await store.read_events(SCOPE, "s1", **window)).events]


class LogRules(StoreSuite):
    """Events get contiguous seqs and never change."""

    async def test_events_read_back_as_they_were_appended(self, store: SessionStore) -> None:
        """Type, time, data, run, surface fields and identity of every kind of event come back unchanged.

        If this fails: data of an unknown type, or of a large payload, is reshaped on its way.
        """
        await created(store)

        result = await store.append(key(), EVERY_KIND)
        window = await store.read_events(SCOPE, "s1")

        assert (result.first_seq, result.next_seq) == (0, len(EVERY_KIND))
        assert (window.next_seq, window.incarnation) == (len(EVERY_KIND), 0)
        assert [_plain(event) for event in window.events] == [
            _plain(event, seq) for seq, event in enumerate(EVERY_KIND)
        ]

    async def test_seqs_are_contiguous_over_appends(self, store: SessionStore) -> None:
        """Each append begins where the one before ended, in every session on its own.

        If this fails: seqs come from a sequence that is shared or that leaves gaps.
        """
        await created(store, "s1")
        await created(store, "s2")

        results = [await store.append(key(s), [says("x")] * n) for s, n in (("s1", 2), ("s2", 3), ("s1", 1), ("s1", 4))]

        assert [(r.first_seq, r.next_seq) for r in results] == [(0, 2), (0, 3), (2, 3), (3, 7)]
        assert await _texts(store) == list(range(7))

    async def test_appends_that_arrive_together_share_no_seq(self, store: SessionStore) -> None:
        """Concurrent appends all land, contiguous and whole.

        If this fails: the next seq is read in one transaction and used in another.
        """
        await created(store)

        results = await asyncio.gather(*(store.append(key(), [says(f"{n}a"), says(f"{n}b")]) for n in range(10)))

        window = await store.read_events(SCOPE, "s1")
        assert sorted(result.first_seq for result in results) == list(range(0, 20, 2))
        assert [event.seq for event in window.events] == list(range(20))
        assert all(_text(one)[:-1] == _text(two)[:-1] for one, two in _pairs(window.events))

    async def test_unexpected_next_seq_is_a_conflict(self, store: SessionStore) -> None:
        """An append that expects another end of the log writes nothing.

        If this fails: `expected_next_seq` is not compared in the transaction of the append.
        """
        await created(store)
        await store.append(key(), [says("one")], expected_next_seq=0)

        for wrong in (0, 2):
            with refused("conflict"):
                await store.append(key(), [says("two")], expected_next_seq=wrong)

        assert await _texts(store) == [0]
        assert await scanned_texts(store) == ["one"]

    @pytest.mark.parametrize("name", MALFORMED)
    async def test_malformed_surface_operation_is_invalid(self, store: SessionStore, name: str) -> None:
        """A batch with one malformed surface operation is refused whole.

        If this fails: call `projection.surface.check_form` for each event, before or inside the transaction.
        """
        await created(store)
        before = await store.get_session(SCOPE, "s1")

        with refused("invalid"):
            await store.append(key(), [asks("good"), says("good"), MALFORMED[name]])

        assert (await store.get_session(SCOPE, "s1"), await _texts(store)) == (before, [])
        assert await scanned_texts(store) == []

    async def test_replaced_range_is_not_looked_up(self, store: SessionStore) -> None:
        """Whether a replaced range stands on the surface is found by the fold, on reading; the append is accepted.

        If this fails: an importer that meets such a log could not keep it.
        """
        await created(store)
        gone = new_event(MESSAGE, time=TIME, surface_op=Replace(start=0, end=0), source_event_seqs=(0,))

        await store.append(key(), [new_event(TurnStart(turn=1), time=TIME), gone])

        assert await _texts(store) == [0, 1]

    async def test_absent_session_takes_no_event(self, store: SessionStore) -> None:
        """A log belongs to a session: `not_found`.

        If this fails: a session is created on the way.
        """
        with refused("not_found"):
            await store.append(key(), [says("hello")])

    async def test_empty_append_changes_nothing(self, store: SessionStore) -> None:
        """Appending nothing answers where the log ends, and moves no revision and no feed.

        If this fails: an empty transaction is counted as activity.
        """
        await created(store)
        await store.append(key(), [says("hello")])
        before = await store.get_session(SCOPE, "s1"), await store.position("local")

        result = await store.append(key(), [])

        assert (result.first_seq, result.next_seq, result.position) == (1, 1, before[1])
        assert (await store.get_session(SCOPE, "s1"), await store.position("local")) == before

    async def test_counts_follow_the_log(self, store: SessionStore) -> None:
        """Events, messages and tool calls are counted in the transaction of the append.

        If this fails: a message is a user or assistant message; one that took several events is counted once.
        """
        await created(store)

        await store.append(key(), EVERY_KIND)
        await store.append(key(), [says("more of it", identity="m2"), says("another", identity="m3")])

        counts = (await store.get_session(SCOPE, "s1")).counts
        assert (counts.events, counts.messages, counts.tool_calls) == (len(EVERY_KIND) + 2, 5, 1)

    async def test_title_event_sets_the_title(self, store: SessionStore) -> None:
        """The last `session/title` of an append becomes the session's title, without moving its revision.

        If this fails: titles are a projection of the log too.
        """
        await created(store)

        await store.append(key(), [_title("first"), _title("second", "model"), says("hello")])

        session = await store.get_session(SCOPE, "s1")
        assert (session.title, session.title_source, session.revision) == ("second", "model", 1)

    async def test_title_a_person_set_stays(self, store: SessionStore) -> None:
        """A title set by an edit is not replaced by one from the log.

        If this fails: the source of the current title is not looked at.
        """
        await created(store)
        await store.update_session(SCOPE, "s1", SessionChange(title="mine"))

        await store.append(key(), [_title("theirs")])

        session = await store.get_session(SCOPE, "s1")
        assert (session.title, session.title_source) == ("mine", "user")

    async def test_append_moves_the_sessions_time(self, store: SessionStore, clock: ManualClock) -> None:
        """A live session's `updated_at` is when it last changed, by the store's clock.

        If this fails: the events' times are taken for the store's.
        """
        await created(store)
        clock.advance(60)

        await store.append(key(), [says("hello", at=START + 5)])

        assert (await store.get_session(SCOPE, "s1")).updated_at == clock.now()

    @pytest.mark.parametrize(
        ("from_seq", "limit"), [(0, 1), (0, 1000), (3, 4), (599, 1), (598, 100), (600, 10), (9999, 1), (250, 300)]
    )
    async def test_window_is_the_slice_it_names(self, store: SessionStore, from_seq: int, limit: int) -> None:
        """A window holds the events from `from_seq` on, at most `limit`, and says how long the log is.

        If this fails: a window that begins inside, or ends beyond, a stored block is cut wrongly.
        """
        await created(store)
        for start in range(0, 600, 100):
            await store.append(key(), [says(f"event {start + number}" * 20) for number in range(100)])

        window = await store.read_events(SCOPE, "s1", from_seq=from_seq, limit=limit)

        wanted = list(range(600))[from_seq : from_seq + limit]
        assert ([event.seq for event in window.events], window.next_seq) == (wanted, 600)
        assert [_text(event) for event in window.events] == [f"event {seq}" * 20 for seq in wanted]

    async def test_log_grown_one_by_one_reads_like_one_written_at_once(self, store: SessionStore) -> None:
        """How a log was cut into appends is not visible in it.

        If this fails: blocks of a growing log are merged wrongly.
        """
        await created(store, "s1")
        await created(store, "s2")
        events = [says(f"event {number} " + "x" * (number % 7) * 100) for number in range(150)]
        for event in events:
            await store.append(key("s1"), [event])
        await store.append(key("s2"), events)

        one, two = await store.read_events(SCOPE, "s1"), await store.read_events(SCOPE, "s2")

        assert [_plain(event) for event in one.events] == [_plain(event) for event in two.events]
        assert await _texts(store, from_seq=40, limit=70) == list(range(40, 110))

    async def test_many_kinds_contribute_only_display_text(self, store: SessionStore) -> None:
        """Assistant texts and error messages of ended turns are display documents; nothing else of a log is.

        If this fails: documents come from elsewhere than `projection.documents`.
        """
        await created(store)

        await store.append(key(), [*EVERY_KIND, new_event(ModelChange(model="m9"), time=TIME)])

        assert await scanned_texts(store) == ["hello", "m"]


def _title(title: str, source: str = "source") -> NewEvent:
    return new_event(TitleChange(title=title, source=source), time=TIME)


def _pairs(events: Sequence[Event]) -> list[tuple[Event, Event]]:
    return list(zip(events[::2], events[1::2], strict=True))


def _text(event: Event) -> str:
    content: str = msgspec.json.decode(event.data)["content"][0]["text"]
    return content


def _plain(event: Event | NewEvent, seq: int | None = None) -> tuple[Any, ...]:
    """An event as comparable values, its data decoded from JSON."""
    data = event.data if isinstance(event, Event) else msgspec.json.encode(event.data)
    place = event.seq if isinstance(event, Event) else seq
    surface = (event.surface_op, event.source_event_seqs)
    return (place, event.type, event.time, event.run_id, surface, event.identity, msgspec.json.decode(data))


__all__ = ["LogRules"]
