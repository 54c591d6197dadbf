"""Chats of one record a line: rewriting, stepping back, checkpoints, damage, and reading in pieces."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

USER, MODEL = "user", "gemini"


def test_message_written_again_while_last_becomes_one_event(home: Any, kit: Any, gemini: Any) -> None:
    """The versions of a message that streams are one message: only the last is logged."""
    home.lines(
        kit.header(),
        kit.said(USER, "u1", [{"text": "count files"}]),
        kit.said(MODEL, "m1", "Let me"),
        {"$set": {"lastUpdated": "2026-05-01T10:02:00Z"}},
        kit.said(MODEL, "m1", "Let me look.", tokens={"input": 5, "output": 2}, model="gemini-9"),
        kit.said(MODEL, "m1", "Let me look.", toolCalls=[kit.call("c1", "ls", "3 files")]),
        kit.said(MODEL, "m2", "Three."),
    )
    session = gemini(home).refresh().only
    assert session.current() == ["count files", "Let me look.", "3 files", "Three."]
    assert [call.call_id for call in session.of("tool/call")] == ["c1"]


def test_answer_carries_reasoning_model_and_tokens(home: Any, kit: Any, gemini: Any) -> None:
    """Thoughts are reasoning blocks before the text; model and usage are the message's."""
    thoughts = [{"subject": "Plan", "description": "look first", "timestamp": "2026-05-01T10:00:01Z"}]
    tokens = {"input": 50, "output": 7, "cached": 1, "total": 58}
    home.lines(kit.header(), kit.said(MODEL, "m1", "done", thoughts=thoughts, tokens=tokens, model="gemini-9"))
    message = gemini(home).refresh().only.of("assistant/message")[0]
    assert [(type(block).__name__, block.text) for block in message.content] == [
        ("ReasoningBlock", "Plan\nlook first"),
        ("TextBlock", "done"),
    ]
    assert (message.model, message.input_tokens, message.output_tokens) == ("gemini-9", 50, 7)


def test_earlier_message_rewritten_replaces_its_node(home: Any, kit: Any, gemini: Any) -> None:
    """A result that is masked later takes the place of the one that was logged, which stays in the log."""
    tool = [kit.call("c1", "ls", "long output")]
    masked = [kit.call("c1", "ls", "masked")]
    home.lines(
        kit.header(),
        kit.said(USER, "u1", "go"),
        kit.said(MODEL, "m1", "looking", toolCalls=tool),
        kit.said(USER, "u2", "and now"),
        kit.said(MODEL, "m1", "looking", toolCalls=masked),
        kit.said(MODEL, "m2", "done"),
    )
    session = gemini(home).refresh().only
    assert session.current() == ["go", "looking", "masked", "and now", "done"]
    assert [result.text for result in session.of("tool/result")] == ["long output", "masked"]
    assert len(session.of("turn/start")) == 2


def test_step_back_abandons_what_followed(home: Any, kit: Any, gemini: Any) -> None:
    """After `$rewindTo` the next message replaces the named one and all behind it; nothing is lost from the log."""
    home.lines(
        kit.header(),
        kit.said(USER, "u1", "first"),
        kit.said(MODEL, "m1", "one"),
        kit.said(USER, "u2", "second"),
        kit.said(MODEL, "m2", "two"),
        {"$rewindTo": "u2"},
        kit.said(USER, "u3", "other second"),
    )
    session = gemini(home).refresh().only
    assert session.current() == ["first", "one", "other second"]
    assert len(session.of("user/message")) == 3
    assert session.of("session/rewind")[0].to_seq == 2


def test_step_back_to_unknown_message_drops_all(home: Any, kit: Any, gemini: Any) -> None:
    """A `$rewindTo` of an id that is not there leaves nothing current."""
    home.lines(kit.header(), kit.said(USER, "u1", "first"), {"$rewindTo": "gone"}, kit.said(USER, "u2", "afresh"))
    assert gemini(home).refresh().only.current() == ["afresh"]


def test_checkpoint_with_summary_is_a_compaction(home: Any, kit: Any, gemini: Any) -> None:
    """`$set.messages` replaces all: a new prompt at its head stands for what it shadows, as a summary."""
    home.lines(
        kit.header(),
        kit.said(USER, "u1", "first"),
        kit.said(MODEL, "m1", "one"),
        kit.said(USER, "u2", "second"),
        {
            "$set": {
                "messages": [
                    kit.said(USER, "s1", [{"text": "what happened so far"}]),
                    kit.said(MODEL, "s2", [{"text": "understood"}]),
                    kit.said(USER, "u2", [{"text": "second"}]),
                ]
            }
        },
        kit.said(MODEL, "m2", "two"),
    )
    session = gemini(home).refresh().only
    assert session.current() == ["what happened so far", "understood", "second", "two"]
    assert len(session.of("compaction/start")) == 1
    assert [message.source for message in session.of("user/message")] == ["user", "user", "summary"]
    assert len(session.of("turn/start")) == 2


def test_metadata_lines_give_title_and_time(home: Any, kit: Any, gemini: Any) -> None:
    """`summary` is the title; without one the first prompt is."""
    home.lines(kit.header(), kit.said(USER, "u1", "please rename it"))
    importer = gemini(home).refresh()
    assert (importer.only.seen.title, importer.only.seen.title_source) == ("please rename it", "rule")
    home.lines({"$set": {"summary": "Renaming", "lastUpdated": "2026-05-02T00:00:00Z"}})
    seen = importer.refresh().only.seen
    assert (seen.title, seen.title_source, seen.updated_at) == ("Renaming", "model", 1_777_680_000_000_000)


def test_unfinished_answer_waits_until_followed_or_idle(home: Any, kit: Any, gemini: Any) -> None:
    """The model's last message is held back while the file is being written, and logged when it is idle."""
    path = home.lines(kit.header(), kit.said(USER, "u1", "go"), kit.said(MODEL, "m1", "hal"))
    clock = [path.stat().st_mtime]
    importer = gemini(home, now=lambda: clock[0])
    assert importer.refresh().only.current() == ["go"]
    assert [done.complete for done in importer.done.values()] == [False]
    clock[0] += 3600
    assert importer.refresh().only.current() == ["go", "hal"]
    assert [done.complete for done in importer.done.values()] == [True]


def test_answer_that_grew_after_it_was_imported_is_read_anew(home: Any, kit: Any, gemini: Any) -> None:
    """A last message that turned out not to be whole begins a new incarnation with the log of one reading."""
    home.lines(kit.header(), kit.said(USER, "u1", "go"), kit.said(MODEL, "m1", "hal"))
    importer = gemini(home).refresh()
    home.lines(kit.said(MODEL, "m1", "half"), kit.said(USER, "u2", "more"))
    importer.refresh()
    assert importer.modes[-1] == "replace"
    assert importer.only.events == gemini(home).refresh().only.events


def test_appended_lines_are_appended_events(home: Any, kit: Any, gemini: Any) -> None:
    """An extended file is read on from its end: nothing that was imported is handed over again."""
    home.lines(kit.header(), kit.said(USER, "u1", "go"), kit.said(MODEL, "m1", "one"))
    importer = gemini(home).refresh()
    before = list(importer.only.events)
    home.lines(kit.said(USER, "u2", "more"), kit.said(MODEL, "m2", "two"))
    importer.refresh()
    assert importer.modes == ["replace", "append"]
    assert importer.only.events[: len(before)] == before
    assert importer.only.current() == ["go", "one", "more", "two"]


def test_rewritten_file_begins_anew(home: Any, kit: Any, gemini: Any) -> None:
    """A file whose beginning changed replaces the whole log."""
    path = home.lines(kit.header(), kit.said(USER, "u1", "go"), kit.said(MODEL, "m1", "one"))
    importer = gemini(home).refresh()
    path.write_text(path.read_text().replace('"go"', '"stop"'))
    assert importer.refresh().only.current() == ["stop", "one"]
    assert importer.modes == ["replace", "replace"]


def test_damaged_lines_are_skipped_and_a_torn_end_is_normal(home: Any, kit: Any, gemini: Any) -> None:
    """A bad record is counted and named; a last line cut short is read when it is whole."""
    path = home.lines(kit.header(), kit.said(USER, "u1", "go"))
    with path.open("a") as handle:
        handle.write('{"id": "x1", "type": \n')
        handle.write(json.dumps({"type": "novelty", "id": "n1", "content": {"text": "unknown kind"}}) + "\n")
        handle.write(json.dumps(kit.said(USER, "u2", "more"))[:-4])
    importer = gemini(home).refresh()
    offset = path.read_bytes().index(b'{"id": "x1"')
    assert [skip.where for skip in importer.skipped] == [f"line 3 at byte {offset}"]
    assert importer.only.current() == ["go"]
    with path.open("a") as handle:
        handle.write(json.dumps(kit.said(USER, "u2", "more"))[-4:] + "\n")
    assert importer.refresh().only.current() == ["go", "more"]
    assert len(importer.skipped) == 1


def test_failure_and_cancellation_end_the_turn(home: Any, kit: Any, gemini: Any) -> None:
    """An error row nothing answers fails the turn; a cancellation notice cancels it."""
    home.lines(
        kit.header(),
        kit.said(USER, "u1", "go"),
        kit.said("error", "e1", "[API Error: quota]"),
        kit.said(USER, "u2", "again"),
        kit.said("info", "i1", "Request cancelled."),
    )
    session = gemini(home).refresh().only
    ends = [(end.reason, end.error_message) for end in session.of("turn/end")]
    assert ends == [("failed", "[API Error: quota]"), ("cancelled", None)]
    assert next((d.level, d.text) for d in session.of("status/detail")) == ("error", "[API Error: quota]")


def test_images_are_counted_and_large_results_clipped(home: Any, kit: Any, gemini: Any) -> None:
    """Base64 is never kept; a result above the bound keeps its beginning and its size."""
    picture = {"inlineData": {"mimeType": "image/png", "data": "QUJDRA=="}}
    big = "x" * 200_000
    home.lines(
        kit.header(),
        kit.said(USER, "u1", [{"text": "see"}, picture]),
        kit.said(MODEL, "m1", "", toolCalls=[kit.call("c1", "cat", big)]),
    )
    session = gemini(home).refresh().only
    image = session.of("user/message")[0].content[1]
    assert (image.media_type, image.size_bytes) == ("image/png", 4)
    result = session.of("tool/result")[0]
    assert (len(result.text), result.size_bytes) == (65536, 200_000)


def test_bad_message_of_a_checkpoint_is_skipped(home: Any, kit: Any, gemini: Any) -> None:
    """One message of a checkpoint that does not fit is counted; the checkpoint is taken without it."""
    messages = [kit.said(USER, "u1", "one"), {"id": 7}, kit.said(MODEL, "m1", "1")]
    home.lines(kit.header(), kit.said(USER, "u1", "one"), {"$set": {"messages": messages}}, kit.said(USER, "u2", "two"))
    importer = gemini(home).refresh()
    assert importer.only.current() == ["one", "1", "two"]
    assert [skip.where.partition(" at ")[0] for skip in importer.skipped] == ["line 3"]


SILENT = 3
"""The version of a message that says nothing."""
IDS = ["u1", "u2", "u3", "m1", "m2", "m3", "m4"]


def _message(message_id: str, version: int, outputs: int) -> dict[str, Any]:
    kind = USER if message_id[0] == "u" else MODEL
    message: dict[str, Any] = {
        "id": message_id,
        "type": kind,
        "timestamp": f"2026-05-01T10:01:{int(message_id[1]):02}Z",
        "content": f"{message_id} says {version}" if version < SILENT else "",
    }
    if kind == MODEL and message_id in ("m3", "m4"):
        response = {"functionResponse": {"id": message_id, "name": "t", "response": {"output": f"out {outputs}"}}}
        message["toolCalls"] = [
            {"id": f"{message_id}c", "name": "t", "args": {}, "status": "success", "result": [response]}
        ]
    return message


MESSAGES = st.builds(_message, st.sampled_from(IDS), st.integers(0, 2), st.integers(0, 2))
CHANGES = st.one_of(
    MESSAGES,
    MESSAGES,
    MESSAGES,
    st.builds(lambda target: {"$rewindTo": target}, st.sampled_from([*IDS, "nobody"])),
    st.builds(lambda text: {"$set": {"summary": text}}, st.sampled_from(["one", "two"])),
)
ANY_MESSAGES = st.builds(_message, st.sampled_from(IDS), st.integers(0, SILENT), st.integers(0, 2))
CHECKPOINTS = st.builds(
    lambda found: {"$set": {"messages": list({each["id"]: each for each in found}.values())}},
    st.lists(ANY_MESSAGES, min_size=1, max_size=5),
)


def _final(operations: list[dict[str, Any]]) -> list[str]:
    """The oracle: what is current after all operations, by the rules of the format and nothing else."""
    messages: dict[str, dict[str, Any]] = {}
    for operation in operations:
        if "id" in operation:
            messages[operation["id"]] = operation
        elif "$rewindTo" in operation:
            ids = list(messages)
            at = ids.index(operation["$rewindTo"]) if operation["$rewindTo"] in ids else 0
            messages = {key: messages[key] for key in ids[:at]}
    texts = []
    for message in messages.values():
        texts.append(message["content"])
        for tool in message.get("toolCalls", []):
            texts.append(tool["result"][0]["functionResponse"]["response"]["output"])
    return texts


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(operations=st.lists(CHANGES, max_size=14))
def test_surface_equals_the_final_state_of_the_chat(
    make_home: Callable[[], Any], kit: Any, gemini: Any, operations: list[dict[str, Any]]
) -> None:
    """Whatever was written again or stepped back from, the surface is the conversation as it stands."""
    home = make_home()
    end = kit.said(USER, "end", "the end")
    home.lines(kit.header(), *operations, end)
    assert gemini(home).refresh().only.current() == _final([*operations, end])


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    operations=st.lists(CHANGES | ANY_MESSAGES | CHECKPOINTS, max_size=14),
    cuts=st.lists(st.integers(0, 6000), max_size=4),
    idle=st.booleans(),
)
def test_reading_in_pieces_gives_the_log_of_reading_once(
    make_home: Callable[[], Any], kit: Any, gemini: Any, operations: list[dict[str, Any]], cuts: list[int], idle: bool
) -> None:
    """Wherever a file was cut when it was read, also inside a line, the log ends up the same."""
    home = make_home()
    path = home.lines(kit.header(), *operations, kit.said(USER, "end", "the end"))
    data = path.read_bytes()
    whole = gemini(home).refresh().only
    path.write_bytes(b"")
    clock = [0.0]
    importer = gemini(home, now=lambda: clock[0])
    for cut in [*sorted(cut for cut in cuts if cut < len(data)), len(data)]:
        with path.open("ab") as handle:
            handle.write(data[handle.tell() : cut])
        clock[0] = 4_000_000_000.0 if idle else path.stat().st_mtime
        importer.refresh()
    clock[0] = 4_000_000_000.0
    importer.refresh()
    assert importer.only.events == whole.events
    assert whole.current()[-1] == "the end"
    assert importer.only.seen.title == whole.seen.title
    assert importer.only.seen.header == whole.seen.header
