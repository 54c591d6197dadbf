"""Rules of reading: steps, states, torn and bad records."""

from __future__ import annotations

import msgspec

from starweaver_host.conformance.suite import capability
from starweaver_host.contract.transcripts import (
    EventsRead,
    ItemDone,
    ReadPoint,
    ReadStep,
    SessionSeen,
    SourceItem,
)

from .suite import Place, SourceSuite, WriteSample, last_state, logs, skipped

BAD_LINE = b'{"secret-of-the-bad-line": \n'


class ReadingRules(SourceSuite):
    """Reading is repeatable, can stop, and is not stopped by one bad record."""

    def test_sample_is_understood(self, place: Place) -> None:
        """The author's sample reads without a skipped record, and holds what the other tests look at.

        If this fails: the sample lacks a question or an answer, or they are not found.
        """
        readings = place.read_all()

        assert [skipped(steps) for steps in readings.values() if skipped(steps)] == []
        assert _types(place) >= {"user/message", "assistant/message", "turn/start"}

    @capability("tools")
    def test_tool_calls_of_the_sample_are_understood(self, place: Place) -> None:
        """The author's sample holds a tool call and its result, and both are read.

        If this fails: the sample lacks a tool call with its result, or they are not found. A source whose tool calls no
        tools does not declare `tools`.
        """
        assert _types(place) >= {"tool/call", "tool/result"}

    def test_reading_twice_gives_the_same_steps(self, place: Place) -> None:
        """The same bytes read from the start give the same steps.

        If this fails: something random, or the time of reading, is in an event, a header or a state.
        """
        assert place.read_all() == place.read_all()

    def test_reading_ends_with_one_item_done(self, place: Place) -> None:
        """`ItemDone` is the last step, once, and events come after the session they belong to was seen.

        If this fails: the importing service could not tell a whole reading from one that was cut.
        """
        for steps in place.read_all().values():
            kinds = [type(step) for step in steps]
            assert (kinds[-1], kinds.count(ItemDone)) == (ItemDone, 1)
            assert SessionSeen not in kinds or EventsRead not in kinds[: kinds.index(SessionSeen)]
            assert SessionSeen in kinds or EventsRead not in kinds

    def test_reading_can_stop_at_every_read_point(self, place: Place) -> None:
        """What was read up to a `ReadPoint` and what is read from its state are together what is read at once.

        If this fails: a state lacks something that later events depend on: open turns, seqs, known messages.
        """
        for item in place.items():
            steps = place.read(item)
            whole = logs(steps)
            for number, step in enumerate(steps):
                if isinstance(step, ReadPoint):
                    rest = place.read(item, step.state)
                    assert logs(rest, logs(steps[:number])) == whole

    def test_reading_on_from_the_end_says_nothing_new(self, place: Place) -> None:
        """An item read on from its own end has no further events.

        If this fails: every refresh would append the same events again.
        """
        for item in place.items():
            steps = place.read(item)
            state = last_state(steps)
            if state is not None:
                assert logs(place.read(item, state), logs(steps)) == logs(steps)

    @capability("resumable")
    def test_extended_item_changes_its_fingerprint(self, place: Place, extend_sample: WriteSample) -> None:
        """An item that went on has another fingerprint under the same key; other items keep theirs.

        If this fails: the importing service would not look at it again, or would look at everything.
        """
        before = {item.key: item.fingerprint for item in place.items()}
        extend_sample(place.root)
        after = {item.key: item.fingerprint for item in place.items()}

        changed = [key for key in before if before[key] != after.get(key)]

        assert set(before) <= set(after)
        assert len(changed) >= 1

    @capability("resumable")
    def test_reading_on_gives_what_reading_anew_gives(self, place: Place, extend_sample: WriteSample) -> None:
        """An extended item read on from its state gives, with what was read before, the same events as read anew.

        If this fails: the state is not enough, or an unfinished message was given before it was whole.
        """
        before = place.read_all()
        extend_sample(place.root)
        read_on = []

        for item in place.items():
            steps = before.get(item.key, [])
            known = logs(steps)
            rest = place.read(item, last_state(steps) if steps else None)
            read_on += [step for step in rest if isinstance(step, EventsRead)]
            assert logs(rest, known) == logs(place.read(item))

        assert read_on != []

    @capability("lines")
    def test_torn_last_line_is_read_when_it_is_whole(self, place: Place) -> None:
        """A last line that is still being written is no bad record: it is read once it is whole.

        If this fails: the end of a live transcript is skipped for ever, or read as half a message.
        """
        item = _largest(place)
        whole_bytes = item.path.read_bytes()
        start = whole_bytes.rstrip(b"\n").rfind(b"\n") + 1
        item.path.write_bytes(whole_bytes[: start + (len(whole_bytes) - start) // 2])
        torn = place.read(_again(place, item))
        item.path.write_bytes(whole_bytes)

        rest = place.read(_again(place, item), last_state(torn))

        assert skipped(torn) == []
        assert logs(rest, logs(torn)) == logs(place.read(_again(place, item)))

    @capability("lines")
    def test_bad_record_is_skipped_counted_and_named(self, place: Place) -> None:
        """A record that cannot be understood is reported with its place and without its content; the rest is read.

        If this fails: one bad line hides a conversation, is passed over in silence, or shows its text in a report.
        """
        item = _largest(place)
        good = place.read(item)
        lines = item.path.read_bytes().splitlines(keepends=True)
        middle = (len(lines) + 1) // 2
        item.path.write_bytes(b"".join([*lines[:middle], BAD_LINE, *lines[middle:]]))

        steps = place.read(_again(place, item))

        found = skipped(steps)
        assert len(found) == 1
        assert found[0].where
        assert found[0].reason
        assert "secret-of-the-bad-line" not in found[0].where + found[0].reason
        assert _said(steps) == _said(good)

    def test_bound_of_a_tool_result_does_not_change_what_is_read(self, place: Place) -> None:
        """A smaller bound clips texts and nothing else.

        If this fails: events depend on how much is kept of them.
        """
        small = place._replace(env=msgspec.structs.replace(place.env, tool_result_max_bytes=8))

        wide, narrow = place.logs(), small.logs()

        assert {key: [(e.type, e.time) for e in events] for key, events in wide.items()} == {
            key: [(e.type, e.time) for e in events] for key, events in narrow.items()
        }


def _types(place: Place) -> set[str]:
    return {event.type for events in place.logs().values() for event in events}


def _largest(place: Place) -> SourceItem:
    return max(place.items(), key=lambda item: (item.size_bytes, item.key))


def _again(place: Place, item: SourceItem) -> SourceItem:
    return next(each for each in place.items() if each.key == item.key)


def _said(steps: list[ReadStep]) -> dict[str, list[tuple[str, object]]]:
    return {key: [(event.type, event.data) for event in events] for key, events in logs(steps).items()}


__all__ = ["ReadingRules"]
