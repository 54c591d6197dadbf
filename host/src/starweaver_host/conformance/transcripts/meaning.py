"""Rules of meaning: what a source may say about a transcript."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import Any

import msgspec

from starweaver_host.conformance.suite import capability
from starweaver_host.contract.events import PAYLOAD_TYPES, Event, NewEvent, ToolResult, TurnEnd, TurnStart
from starweaver_host.contract.transcripts import SessionSeen, TranscriptSource
from starweaver_host.projection.surface import fold_surface

from .suite import Place, SourceSuite

_BASE64 = re.compile(r"[A-Za-z0-9+/\s]{400,}={0,2}")


class MeaningRules(SourceSuite):
    """Events keep to the vocabulary, and sessions to their names."""

    def test_events_keep_to_the_vocabulary(self, place: Place) -> None:
        """Every event has a known type, a payload of that type's class, and a time in milliseconds.

        If this fails: make events with `contract.events.new_event`.
        """
        for event in _events(place):
            assert event.type in PAYLOAD_TYPES
            assert type(event.data) is PAYLOAD_TYPES[event.type]
            assert 1_000_000_000_000 < event.time < 10_000_000_000_000, f"{event.time} of {event.type}"

    def test_events_can_be_stored_and_read_back(self, place: Place) -> None:
        """Every payload has a JSON form that decodes to the same payload.

        If this fails: a text holds lone surrogates, or a field has a value of another type than its class says.
        """
        for event in _events(place):
            encoded = msgspec.json.encode(event.data)
            assert msgspec.json.decode(encoded, type=type(event.data)) == event.data

    def test_surface_operations_fold(self, place: Place) -> None:
        """The surface operations of every session fold without an error.

        If this fails: a replaced range is not on the surface, or a message lacks its operation. Seqs count from 0 in a
        session's log, over all of its `EventsRead`.
        """
        for events in place.logs().values():
            fold_surface(_stored(event, seq) for seq, event in enumerate(events))

    def test_turns_are_numbered_and_closed_once(self, place: Place) -> None:
        """Turns count from 1 in a session; each has a run of its own; no turn ends that did not begin, or twice.

        If this fails: runs are folded out of `turn/start` and `turn/end`; a wrong one is a lost question.
        """
        for session_id, events in place.logs().items():
            starts = [event for event in events if isinstance(event.data, TurnStart)]
            runs = {event.data.turn: event.run_id for event in starts}
            ends = [(event.data.turn, event.run_id) for event in events if isinstance(event.data, TurnEnd)]
            assert list(runs) == list(range(1, len(starts) + 1)), session_id
            assert None not in runs.values()
            assert len(set(runs.values())) == len(starts)
            assert len(set(ends)) == len(ends)
            assert all(runs.get(turn) == run_id for turn, run_id in ends)

    def test_tool_results_keep_to_their_bound(self, place: Place) -> None:
        """A stored tool result is at most `tool_result_max_bytes` long, and says how long it was.

        If this fails: clip at a character border, and count bytes before clipping.
        """
        full = _sizes(place)
        for bound in (4, 64):
            clipped = place._replace(env=msgspec.structs.replace(place.env, tool_result_max_bytes=bound))
            results = [event.data for event in _events(clipped) if isinstance(event.data, ToolResult)]
            assert all(len(result.text.encode()) <= bound for result in results)
            assert _sizes(clipped) == full

        assert all(stored <= size for stored, size in zip(_stored_sizes(place), full, strict=True))

    def test_no_encoded_bytes_are_kept(self, place: Place) -> None:
        """Images and files are counted, not stored: no payload holds a long base64 text.

        If this fails: leave the bytes of a block out and set its `size_bytes` and `media_type`.
        """
        found = [event.type for event in _events(place) for text in _texts(event.data) if _BASE64.fullmatch(text)]

        assert found == []

    def test_sessions_are_named_after_source_and_native_id(self, place: Place) -> None:
        """A session's id is `<source>:<native id>`, it says where it came from, and its folder is absolute.

        If this fails: a session could not be found again in the tool that wrote it.
        """
        name = place.source.name
        seen = [s for steps in place.read_all().values() for s in steps if isinstance(s, SessionSeen)]

        for header in (step.header for step in seen):
            assert header.external is not None
            assert (header.external.source, header.session_id) == (name, f"{name}:{header.external.native_id}")
            assert header.namespace_id == "local"
            assert header.created_at > 1_000_000_000_000_000
            assert header.cwd is None or re.match(r"(/|[A-Za-z]:[\\/]|\\\\)", header.cwd)
            assert header.parent_session_id is None or header.parent_session_id.startswith(f"{name}:")
        assert seen != []

    def test_header_of_a_session_does_not_change(self, place: Place) -> None:
        """A header is what never changes after creation: every step about a session carries the same.

        If this fails: something that is learned later belongs into title, `updated_at` or an event.
        """
        headers: dict[str, set[str]] = {}
        for steps in place.read_all().values():
            for step in steps:
                if isinstance(step, SessionSeen):
                    headers.setdefault(step.header.session_id, set()).add(repr(step.header))

        assert [found for found in headers.values() if len(found) > 1] == []

    @capability("resume_command")
    def test_resume_command_is_one_safe_shell_line(self, source: TranscriptSource) -> None:
        """The command is one line that names the session, and quotes whatever an id or a folder holds.

        If this fails: use `shlex.quote`; ids and folders come out of files that anybody may have written.
        """
        plain = source.resume_command("0a1b2c3d-native", None)
        nasty = source.resume_command("0a1b; touch x", "/a b'c\n; touch y")

        assert plain is not None
        assert any("0a1b2c3d-native" in word for word in shlex.split(plain))
        assert "\n" not in plain
        if nasty is not None:
            words = shlex.split(nasty)
            assert "touch" not in words
            assert not any(word in (";", "y", "x") for word in words)


def _events(place: Place) -> Iterator[NewEvent]:
    for events in place.logs().values():
        yield from events


def _sizes(place: Place) -> list[int]:
    return [event.data.size_bytes for event in _events(place) if isinstance(event.data, ToolResult)]


def _stored_sizes(place: Place) -> list[int]:
    return [len(event.data.text.encode()) for event in _events(place) if isinstance(event.data, ToolResult)]


def _stored(event: NewEvent, seq: int) -> Event:
    return Event(
        seq=seq,
        type=event.type,
        time=event.time,
        data=msgspec.Raw(msgspec.json.encode(event.data)),
        surface_op=event.surface_op,
        source_event_seqs=event.source_event_seqs,
    )


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, msgspec.Struct):
        for field in value.__struct_fields__:
            yield from _texts(getattr(value, field))
    elif isinstance(value, tuple | list):
        for each in value:
            yield from _texts(each)


__all__ = ["MeaningRules"]
