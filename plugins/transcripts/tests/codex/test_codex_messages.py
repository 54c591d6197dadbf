"""Messages of a rollout: twins, who wrote a user row, images, and what bounds what."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from starweaver_transcripts.codex.twins import Family, Twins, key_of

OTHER = "019b0000-0000-7000-8000-0000000000bb"


def _texts(session: Any) -> list[tuple[str, str]]:
    return [line for line in session.said() if line[1]]


def test_user_row_before_and_after_its_event_is_one_message(w: Any, read: Callable[..., Any]) -> None:
    """The order of a prompt's two records differs between releases."""
    session = read(
        [w.meta(), w.offered("One"), w.typed("One"), w.said("1"), w.typed("Two"), w.offered("Two"), w.said("2")]
    ).only

    assert _texts(session) == [("user", "One"), ("assistant", "1"), ("user", "Two"), ("assistant", "2")]


def test_prompt_repeated_by_the_person_is_kept_twice(w: Any, read: Callable[..., Any]) -> None:
    """Twins are told by counts per family, so a text that was typed twice stays twice."""
    session = read(
        [
            w.meta(),
            w.offered("go on"),
            w.typed("go on"),
            w.said("ok"),
            w.offered("go on"),
            w.typed("go on"),
            w.said("ok"),
        ]
    ).only

    assert _texts(session) == [("user", "go on"), ("assistant", "ok")] * 2


def test_prompt_typed_again_after_the_family_changed_is_kept(w: Any, read: Callable[..., Any]) -> None:
    """A newer release that resumes a rollout records prompts its own way; an old prompt is no twin of a new one."""
    old = [row for n in range(20) for row in (w.typed("go on"), w.said(f"step {n}"), w.shown(f"step {n}"))]
    item = {"type": "UserMessage", "id": "i", "content": [{"type": "text", "text": "go on"}]}
    work = [w.event("token_count") for _ in range(40)]
    session = read([w.meta(), *old, *work, w.event("item_completed", turn_id="t", item=item), w.said("more")]).only

    assert _texts(session)[-2:] == [("user", "go on"), ("assistant", "more")]


def test_user_row_without_an_event_is_injected_once_events_are_known(w: Any, read: Callable[..., Any]) -> None:
    """Where prompts are recorded as events, a user row that has none was put in by the tool, and is bounded."""
    session = read([w.meta(), w.typed("Grind"), w.said("Done"), w.offered("x" * 9000), w.said("Seen")]).only

    injected = [m for m in session.of("user/message") if m.source == "injected"]
    assert [len(m.content[0].text) for m in injected] == [2048]
    assert len(session.of("turn/start")) == 1


def test_user_rows_alone_are_prompts(w: Any, read: Callable[..., Any]) -> None:
    """A rollout without prompt events holds its prompts as user rows; each begins a turn."""
    session = read([w.meta(), w.offered("Grind"), w.said("Done"), w.offered("Again"), w.said("Done again")]).only

    assert [m.source for m in session.of("user/message")] == ["user", "user"]
    assert len(session.of("turn/start")) == 2


def test_envelopes_and_instruction_files_are_left_out(w: Any, read: Callable[..., Any]) -> None:
    """Context the tool wraps in elements of its own, or reads from AGENTS.md, is nobody's message."""
    session = read(
        [
            w.meta(),
            w.offered(
                "# AGENTS.md instructions for /srv/mill\n\nBe kind.", "<environment_context>x</environment_context>"
            ),
            w.offered(
                "<permissions>\nall\n</permissions>", "<skill>\n<name>mill</name>\n</skill>", "Grind <b>fine</b>"
            ),
            w.said("Done"),
        ]
    ).only

    assert _texts(session) == [("user", "Grind <b>fine</b>"), ("assistant", "Done")]


def test_context_reported_as_an_event_is_nobodys_message(w: Any, read: Callable[..., Any]) -> None:
    """Releases of 2025 report the instructions and environment they put in like prompts, with a kind."""
    instructions = w.event("user_message", message="Be brief.", kind="user_instructions")
    environment = w.event("user_message", message="<environment_context>x</environment_context>")
    session = read([w.meta(), instructions, environment, w.event("user_message", message="Grind", kind="plain")]).only

    assert session.said() == [("user", "Grind")]


def test_editor_prompt_is_the_request_alone(w: Any, read: Callable[..., Any]) -> None:
    """Editors put open files before the request; the request is what the person typed, in both records."""
    prompt = "# Context from my IDE setup:\n\n## Open tabs:\n- mill.py\n\n## My request for Codex:\nGrind\n"
    session = read([w.meta(), w.offered(prompt), w.typed(prompt), w.said("Done")]).only

    assert _texts(session)[0] == ("user", "Grind")
    assert session.seen.title == "Grind"


def test_images_of_a_prompt_keep_type_and_size(w: Any, read: Callable[..., Any]) -> None:
    """An image's bytes are not kept, that it was there is."""
    row = w.item(
        "message",
        role="user",
        content=[
            {"type": "input_text", "text": "<image name=[Image #1]>"},
            {"type": "input_image", "image_url": "data:image/png;base64,AAAAAAAA"},
            {"type": "input_text", "text": "</image>"},
            {"type": "input_text", "text": "What is it?"},
        ],
    )
    session = read([w.meta(), row, w.typed("What is it?"), w.said("A mill")]).only

    (message,) = session.of("user/message")
    assert [type(block).__name__ for block in message.content] == ["TextBlock", "ImageBlock"]
    assert (message.content[1].media_type, message.content[1].size_bytes) == ("image/png", 6)


def test_tool_result_is_clipped_with_its_size_recorded(w: Any, read: Callable[..., Any]) -> None:
    """A tool's answer is kept within the bound of the environment; its original size is told."""
    rows = [
        w.meta(),
        w.typed("Grind"),
        w.item("function_call", name="shell", arguments="{}", call_id="c"),
        w.item("function_call_output", call_id="c", output="ä" * 100),
    ]
    (result,) = read(rows, tool_result_max_bytes=33).only.of("tool/result")

    assert (result.text, result.size_bytes) == ("ä" * 16, 200)


def test_damaged_text_is_repaired_and_damaged_records_are_skipped(
    rollout: Callable[..., Any], read_item: Callable[..., Any], source: Any, w: Any
) -> None:
    """Lone surrogates and bytes that are no UTF-8 become U+FFFD; what is no record is skipped, counted and named."""
    path = rollout([w.meta()])
    bad = b'{"type":"event_msg","payload":{"type":"user_message","message":"a\\ud800b\xff"}}'
    path.write_bytes(path.read_bytes() + bad + b"\n{broken\n[1]\n\n")

    reading = read_item(source, path)

    assert reading.only.said() == [("user", "a\ufffdb\ufffd")]
    assert [skip.where.split(" at ")[0] for skip in reading.skipped] == ["line 3", "line 4"]
    assert all("broken" not in skip.reason for skip in reading.skipped)


def test_message_identity_is_the_same_in_a_copy_and_names_turn_role_and_text(w: Any, read: Callable[..., Any]) -> None:
    """Messages of a known turn carry a name that a fork's copy of them has too."""
    rows = [w.turn("turn-a"), w.typed("Grind"), w.said("Done"), w.said("More"), w.said("Done")]
    one = [event.identity for event in read([w.meta(), *rows]).only.events if event.identity]
    two = [event.identity for event in read([w.meta(OTHER), *rows]).only.events if event.identity]

    assert len(set(one)) == 4
    assert one == two


@given(
    texts=st.lists(st.sampled_from("abc"), max_size=30),
    families=st.sets(st.sampled_from(["event", "response", "item"]), min_size=1),
    data=st.data(),
)
def test_twins_count_every_text_once_whatever_the_order(texts: list[str], families: set[Family], data: Any) -> None:
    """Each family records each text; within a text's twins any order gives the text once."""
    twins, new = Twins([]), []
    for text in texts:
        for family in data.draw(st.permutations(sorted(families))):
            if twins.is_new(key_of("user", text), family):
                new.append(text)

    assert new == texts


def test_call_without_id_keeps_its_name_when_a_damaged_line_comes_before(
    w: Any, rollout: Any, read_item: Callable[..., Any], source: Any
) -> None:
    """A record that is skipped renames nothing that follows."""
    rows = [w.meta(), w.typed("Grind"), *(w.item("local_shell_call", action={"command": ["ls"]}) for _ in range(2))]
    path = rollout(rows)
    plain = read_item(source, path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:2], b"{damaged\n", *lines[2:]]))

    damaged = read_item(source, path)

    assert len(damaged.skipped) == 1
    assert damaged.only.of("tool/call") == plain.only.of("tool/call")
    assert len({call.call_id for call in plain.only.of("tool/call")}) == 2
