"""What OpenCode's messages and parts become."""

from __future__ import annotations

from typing import Any

from starweaver_host.contract.events import ImageBlock, ReasoningBlock


def _first(store: Any, *messages: tuple[Any, ...], **session: Any) -> None:
    database = store.database()
    database.session("ses_a", **session)
    for message_id, role, parts, data in messages:
        database.message("ses_a", message_id, role, *parts, **data)


def test_synthetic_text_is_not_what_a_person_said(store: Any, opencode: Any, kit: Any) -> None:
    """Text the tool added to a prompt is injected context; ignored text never reached the model and is left out."""
    parts = [kit.text("typed"), kit.text("file contents", synthetic=True), kit.text("hidden", ignored=True)]
    _first(store, ("msg_1", "user", parts, {}))
    session = opencode(store).refresh().only
    assert session.said() == [("user", "typed"), ("injected", "file contents")]
    assert {event.identity for event in session.events if event.type == "user/message"} == {"opencode:msg_1"}


def test_tool_states_become_calls_and_results(store: Any, opencode: Any, kit: Any) -> None:
    """A call that has not ended has no result; a failed one has an error; attachments are counted."""
    picture = {"id": "prt", "type": "file", "mime": "image/png", "url": "data:image/png;base64,QUJD"}
    parts = [
        kit.tool("c1", "bash", output="fine", attachments=[picture], metadata={"exit": 0}),
        kit.tool("c2", "edit", "error", error="no such file"),
        kit.tool("c3", "bash", "running"),
        kit.tool("c4", "bash", "pending"),
        kit.tool("c5", "task", output="done", metadata={"sessionId": "ses_child"}),
    ]
    _first(store, ("msg_1", "assistant", parts, {"modelID": "m-1", "tokens": {"input": 4, "output": 2}}))
    session = opencode(store).refresh().only
    assert [call.call_id for call in session.of("tool/call")] == ["c1", "c2", "c3", "c4", "c5"]
    results = [(each.call_id, each.text, each.is_error, each.images) for each in session.of("tool/result")]
    assert results == [("c1", "fine", False, 1), ("c2", "no such file", True, 0), ("c5", "done", False, 0)]
    assert session.of("subagent/link")[0].child_session_id == "opencode:ses_child"
    message = session.of("assistant/message")[0]
    assert (message.model, message.input_tokens, message.output_tokens) == ("m-1", 4, 2)


def test_todo_list_is_an_event_of_its_own(store: Any, opencode: Any, kit: Any) -> None:
    """Writing the list of todos says what it is then."""
    todos = {"todos": [{"id": "1", "content": "test it", "status": "in_progress"}]}
    _first(store, ("msg_1", "assistant", [kit.tool("c1", "todowrite", input=todos, output="[]")], {}))
    (written,) = opencode(store).refresh().only.of("todo/write")
    assert [(todo.content, todo.status) for todo in written.todos] == [("test it", "in_progress")]


def test_structural_parts_say_nothing(store: Any, opencode: Any, kit: Any) -> None:
    """Steps, snapshots and patches are no text; reasoning, images and subtasks are."""
    image = {"type": "file", "mime": "image/png", "url": "data:image/png;base64,QUJDRA==", "filename": "a.png"}
    subtask = {"type": "subtask", "prompt": "review it", "description": "Review", "agent": "general"}
    marks = [{"type": kind} for kind in ("step-start", "step-finish", "snapshot", "patch", "agent", "novelty")]
    answer = [{"type": "reasoning", "text": "hm"}, *marks, kit.text("done")]
    _first(store, ("msg_1", "user", [image, subtask], {}), ("msg_2", "assistant", answer, {}))
    session = opencode(store).refresh().only
    assert session.said() == [("user", "review it"), ("assistant", "done")]
    assert session.of("user/message")[0].content[0] == ImageBlock(media_type="image/png", size_bytes=4)
    assert session.of("assistant/message")[0].content[0] == ReasoningBlock(text="hm")


def test_errors_end_the_turn(store: Any, opencode: Any, kit: Any) -> None:
    """A failed answer fails its turn, an aborted one cancels it, one that was too long says so."""
    failed = {"error": {"name": "APIError", "data": {"message": "overloaded"}}}
    aborted = {"error": {"name": "MessageAbortedError", "data": {"message": "aborted"}}}
    _first(
        store,
        ("msg_1", "user", [kit.text("one")], {}),
        ("msg_2", "assistant", [], failed),
        ("msg_3", "user", [kit.text("two")], {}),
        ("msg_4", "assistant", [kit.text("par")], aborted),
        ("msg_5", "user", [kit.text("three")], {}),
        ("msg_6", "assistant", [kit.text("long")], {"finish": "length"}),
    )
    session = opencode(store).refresh().only
    ends = [(end.reason, end.error_code, end.error_message) for end in session.of("turn/end")]
    assert ends == [("failed", "APIError", "overloaded"), ("cancelled", None, None), ("max-tokens", None, None)]
    assert [(row.level, row.text) for row in session.of("status/detail")] == [("error", "overloaded")]


def test_compaction_replaces_what_it_sums_up(store: Any, opencode: Any, kit: Any) -> None:
    """A summary stands for everything before it, up to the tail it leaves in place; nothing is lost from the log."""
    mark = {"type": "compaction", "auto": True, "tail_start_id": "msg_3"}
    _first(
        store,
        ("msg_1", "user", [kit.text("one")], {}),
        ("msg_2", "assistant", [kit.text("1")], {}),
        ("msg_3", "user", [kit.text("two")], {}),
        ("msg_4", "assistant", [kit.text("2")], {}),
        ("msg_5", "user", [mark], {}),
        ("msg_6", "assistant", [kit.text("so far: one")], {"summary": True}),
        ("msg_7", "user", [kit.text("three")], {}),
    )
    session = opencode(store).refresh().only
    assert session.current() == ["so far: one", "two", "2", "three"]
    assert [start.trigger for start in session.of("compaction/start")] == ["auto"]
    assert ("summary", "so far: one") in session.said()


def test_reverted_messages_are_not_current(store: Any, opencode: Any, kit: Any) -> None:
    """What the person went back from stays in the log and leaves the surface."""
    messages: list[tuple[Any, ...]] = [
        (f"msg_{n}", "assistant" if n % 2 else "user", [kit.text(f"m{n}")], {}) for n in range(4)
    ]
    _first(store, *messages, revert={"messageID": "msg_2"})
    session = opencode(store).refresh().only
    assert session.current() == ["m0", "m1"]
    assert [words for _, words in session.said()] == ["m0", "m1", "m2", "m3"]


def test_rows_of_the_second_form(store: Any, opencode: Any, kit: Any) -> None:
    """Synthetic and system rows are injected, shell rows are calls, compactions replace, switches are structural."""
    database = store.database(kit.second)
    database.session2("ses_a")
    rows: list[tuple[str, dict[str, Any]]] = [
        ("system", {"text": "rules"}),
        ("user", {"text": "ask", "files": [{"mime": "image/png", "uri": "data:image/png;base64,QUJDRA=="}]}),
        ("synthetic", {"text": "reminder"}),
        ("shell", {"command": "ls", "status": "exited", "exit": 1, "output": {"output": "a b"}}),
        ("model-switched", {"model": {"id": "m-2", "providerID": "p"}}),
        ("agent-switched", {"agent": "plan"}),
        ("location-switched", {"location": {"directory": "/x"}}),
        ("assistant", {"content": [], "error": {"type": "provider.quota", "message": "no quota"}}),
        ("idle", {"outcome": "failed", "error": {"type": "provider.quota", "message": "no quota"}}),
        ("novelty", {"text": "unknown"}),
        ("compaction", {"status": "completed", "reason": "manual", "summary": "in short", "recent": "ask"}),
        ("user", {"text": "go on"}),
    ]
    for seq, (kind, data) in enumerate(rows):
        database.row("ses_a", f"msg_{seq}", kind, seq, **data)
    session = opencode(store).refresh().only
    assert session.current() == ["in short", "go on"]
    assert session.said() == [
        ("injected", "rules"),
        ("user", "ask"),
        ("injected", "reminder"),
        ("summary", "in short"),
        ("user", "go on"),
    ]
    assert [(call.name, call.arguments) for call in session.of("tool/call")] == [("shell", "ls")]
    assert [(result.text, result.is_error) for result in session.of("tool/result")] == [("a b", True)]
    assert [change.model for change in session.of("model/change")] == ["m-2"]
    (end,) = session.of("turn/end")
    assert (end.reason, end.error_code, end.error_message) == ("failed", "provider.quota", "no quota")


def test_tools_of_the_second_form(store: Any, opencode: Any, kit: Any) -> None:
    """States of 2.x: streaming and running have no result, completed and error have content or an error object."""
    database = store.database(kit.second)
    database.session2("ses_a")
    states: list[dict[str, Any]] = [
        {"status": "streaming", "input": '{"pa'},
        {"status": "running", "input": {"path": "a"}, "metadata": {}},
        {
            "status": "completed",
            "input": {},
            "content": [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}],
        },
        {"status": "error", "input": {}, "error": {"type": "tool.failed", "message": "broke"}},
    ]
    content = [{"type": "tool", "id": f"c{n}", "name": "read", "state": state} for n, state in enumerate(states)]
    database.row("ses_a", "msg_1", "assistant", 1, content=content)
    session = opencode(store).refresh().only
    assert [call.arguments for call in session.of("tool/call")] == ['{"pa', '{"path":"a"}', "{}", "{}"]
    assert [(each.call_id, each.text, each.is_error) for each in session.of("tool/result")] == [
        ("c2", "one\ntwo", False),
        ("c3", "broke", True),
    ]


def test_large_results_are_clipped(store: Any, opencode: Any, kit: Any) -> None:
    """A result keeps its beginning and its size."""
    _first(store, ("msg_1", "assistant", [kit.tool("c1", "cat", output="x" * 200_000)], {}))
    (result,) = opencode(store).refresh().only.of("tool/result")
    assert (len(result.text), result.size_bytes) == (65536, 200_000)


def test_bad_records_are_skipped_and_named(store: Any, opencode: Any, kit: Any) -> None:
    """A message or part that cannot be understood is counted once; the others are read."""
    _first(store, ("msg_1", "user", [kit.text("one"), {"text": 5}], {}))
    database = store.database_at(store.data / "opencode-x.db")
    database.session("ses_b")
    database.message("ses_b", "msg_2", "user", kit.text("two"))
    database.run("INSERT INTO message VALUES ('msg_3', 'ses_b', 9, 9, 'no json')")
    importer = opencode(store).refresh()
    assert [skip.where for skip in importer.skipped] == ["message msg_1 part 2", "message msg_3"]
    database.message("ses_b", "msg_4", "user", kit.text("three"))
    importer.refresh()
    assert len(importer.skipped) == 2
    assert importer.sessions["opencode:ses_b"].current() == ["two", "three"]


def test_prompt_without_parts_is_known_by_its_summary(store: Any, opencode: Any, kit: Any) -> None:
    """A prompt whose parts are lost keeps what is written beside it; one that has parts does not repeat it."""
    summary = {"summary": {"title": "Short", "body": "what was asked"}}
    _first(store, ("msg_1", "user", [], summary), ("msg_2", "user", [kit.text("typed")], summary))
    assert opencode(store).refresh().only.current() == ["what was asked", "typed"]
