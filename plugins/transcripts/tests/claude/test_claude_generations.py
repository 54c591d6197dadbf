"""One fixture per storage generation or feature: what each must read as."""

from __future__ import annotations

ORBIT = "claude-code:0a000000-0000-4000-8000-0000000000"


def test_early_files_read_one_message_a_line(fixture):
    """1.0.x: messages, todos and calls of single-line messages, in one turn."""
    session = fixture(1).sessions[f"{ORBIT}01"]

    assert session.said() == [
        ("user", "Plan the orbit viewer"),
        ("assistant", "Two steps are enough."),
        ("assistant", "Searching for the renderer."),
        ("assistant", "The renderer lives in draw.py."),
    ]
    assert [todo.content for todo in session.of("todo/write")[0].todos] == ["Draw the orbit", "Label the moons"]
    assert [event.run_id for event in session.events] == ["turn-1"] * len(session.events)


def test_inline_side_chain_becomes_a_session_with_parent(fixture):
    """1.0.x: a subagent's rows between the main ones are a session of their own."""
    reading = fixture(1)
    side = next(session for key, session in reading.sessions.items() if key != f"{ORBIT}01")

    assert side.seen.header.parent_session_id == f"{ORBIT}01"
    assert side.seen.header.origin == "subagent"
    assert side.said() == [("agent", "Find the renderer"), ("assistant", "It is in draw.py.")]


def test_lines_of_one_message_are_one_message(fixture):
    """2.0: several lines with one message id, a result between them, are one message with the largest usage."""
    session = fixture(2).only
    first, second = session.of("assistant/message")

    assert [block.__class__.__name__ for block in first.content] == [
        "ReasoningBlock",
        "TextBlock",
        "ToolCallBlock",
        "ToolCallBlock",
    ]
    assert (first.message_id, first.output_tokens, first.input_tokens) == ("msg_21", 31, 12)
    assert second.content[0].text == "The moons are round now."


def test_tool_results_follow_their_message_with_name_and_size(fixture):
    """2.0: results carry the tool's name, their size and how many images they had; images themselves are not kept."""
    first, second = fixture(2).only.of("tool/result")

    assert (first.call_id, first.name, first.text, first.size_bytes) == ("toolu_21", "Read", "def draw(): ...", 15)
    assert (second.text, second.images) == ("a moon", 1)


def test_editor_wrapper_is_taken_off_the_prompt(fixture):
    """2.0: what the editor glued before the prompt is not what the person typed; the image is measured."""
    session = fixture(2).only
    (prompt,) = session.of("user/message")

    assert session.said()[0] == ("user", "Make the moons round")
    assert (prompt.content[1].media_type, prompt.content[1].size_bytes) == ("image/png", 11)
    assert session.seen.title == "Make the moons round"


def test_rewind_replaces_the_abandoned_branch(fixture):
    """2.1: a prompt on an earlier row abandons what came after it; nothing of it is lost from the log."""
    session = fixture(3).only
    rewind = next(event for event in session.events if event.type == "session/rewind")
    prompt = next(
        event for event in session.events if event.type == "user/message" and "yellow" in event.data.content[0].text
    )

    assert ("user", "Make it green") in session.said()
    assert session.events[rewind.data.to_seq].data.content[0].text == "The sun is drawn."
    assert [session.events[seq].data.content[0].text for seq in prompt.source_event_seqs] == [
        "Make it green",
        "A green sun it is.",
    ]


def test_compaction_replaces_the_surface_with_its_summary(fixture):
    """2.1: after a compaction the surface is the summary and what follows."""
    session = fixture(3).only
    (start,) = session.of("compaction/start")

    assert (start.trigger, start.tokens_before) == ("auto", 15000)
    assert session.current() == ["Summary: the sun is yellow.", "Now the earth", "The earth is blue."]
    assert ("summary", "Summary: the sun is yellow.") in session.said()


def test_steering_is_told_once(fixture):
    """Text typed while the agent works is a steering message wherever it is recorded, and never twice."""
    session = fixture(4).only

    assert [text for who, text in session.said() if who == "steering"] == [
        "check the parser first",
        "and the lexer after it",
        "one more thing",
    ]
    assert [text for who, text in session.said() if who == "user"] == ["Start the migration"]
    assert [who for who, text in session.said() if "task-notification" in text] == ["injected"]


def test_wrappers_are_not_prompts(fixture):
    """Command echoes, outputs and reminders are context; the prompt glued behind a reminder is the person's."""
    session = fixture(5).only

    assert [text for who, text in session.said() if who == "user"] == [
        "Count the moons",
        "Try again",
        "There are eight, right?",
        "More please",
    ]
    assert "[Request interrupted by user for tool use]" in [text for who, text in session.said() if who == "injected"]


def test_turns_end_as_the_transcript_says(fixture):
    """An API error fails a turn, an interruption cancels it, a cut message ends it by length."""
    ends = fixture(5).only.of("turn/end")

    assert [(end.turn, end.reason) for end in ends] == [(1, "failed"), (2, "cancelled"), (3, "max-tokens")]
    assert ends[0].error_message == "API Error: 529 overloaded"


def test_status_rows_that_say_something_are_kept(fixture):
    """Retries, notices and what the tool says in the model's name are status rows, not messages."""
    details = fixture(5).only.of("status/detail")

    assert [(detail.level, detail.text) for detail in details] == [
        ("error", "Overloaded"),
        ("error", "API Error: 529 overloaded"),
        ("info", "No response requested."),
        ("warning", "Session limit is near"),
    ]


def test_title_a_person_gave_last_wins(fixture):
    """Of all titles the last a person gave is the session's."""
    session = fixture(6).only

    assert (session.seen.title, session.seen.title_source) == ("Orbit names, final", "source")
    assert [change.title for change in session.of("session/title")][-1] == "Orbit names, final"


def test_subagent_files_are_sessions_with_parent(fixture):
    """A subagent's file is a session whose parent its folder names, at any depth; old ones beside say it in rows."""
    names = (
        "0a000000-0000-4000-8000-000000000007/subagents/agent-a71b0c0d0e0f00001.jsonl",
        "0a000000-0000-4000-8000-000000000007/subagents/workflows/wf-1/agent-a71b0c0d0e0f00002.jsonl",
        "agent-7b7b7b7b.jsonl",
    )
    headers = [fixture(name).only.seen.header for name in names]

    assert [header.parent_session_id for header in headers] == [f"{ORBIT}07"] * 3
    assert [header.session_id for header in headers] == [
        "claude-code:agent-a71b0c0d0e0f00001",
        "claude-code:agent-a71b0c0d0e0f00002",
        "claude-code:agent-7b7b7b7b",
    ]


def test_parent_links_to_its_subagent_once(fixture):
    """The call that ran as a subagent is linked to its session, though two rows report it."""
    (link,) = fixture(7).only.of("subagent/link")

    assert (link.call_id, link.child_session_id) == ("toolu_71", "claude-code:agent-a71b0c0d0e0f00001")


def test_resumed_copy_shares_identities_with_the_original(fixture):
    """Rows copied by a resume keep their identity, so that the store can tell who owns them."""
    original = {event.identity for event in fixture(3).only.events if event.identity}
    copy = [event.identity for event in fixture(8).only.events if event.identity]

    assert [identity in original for identity in copy] == [True, True, False, False]


def test_damaged_lines_are_skipped_and_counted(fixture):
    """Damage costs the damaged record only; glued objects are taken apart, bad bytes become U+FFFD."""
    reading = fixture(9)

    assert [text for _, text in reading.only.said()] == [
        "Is this file whole?",
        "Mostly.",
        "Glued",
        "Together.",
        "After the \ufffd\ufffd damage \ufffd \ufffd",
        "Still here.",
    ]
    assert [skip.where.split()[1] for skip in reading.skipped] == ["4", "5", "6", "8", "9"]


def test_another_programs_file_is_noted(fixture):
    """A file of another program is no error and no session: it is noted."""
    reading = fixture(10)

    assert (reading.sessions, reading.skipped) == ({}, [])
    assert reading.done.note == "not a transcript of Claude Code"
