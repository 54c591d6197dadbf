"""The search documents of a session."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starweaver_host.contract.corpus import SEARCH_SOURCES, DocumentRef
from starweaver_host.contract.events import (
    AssistantMessage,
    Event,
    NewEvent,
    ReasoningBlock,
    TextBlock,
    ToolResult,
    TurnEnd,
    UserMessage,
    new_event,
)
from starweaver_host.contract.records import BinaryPart, ResourcePart, Run, RunStatus, TerminalError, TextPart
from starweaver_host.projection.documents import (
    RunIdentities,
    TextDocument,
    document_id,
    event_documents,
    identity_hash,
    run_documents,
    title_document,
)

INPUT, OUTPUT = b"input---", b"output--"


def run(status: RunStatus = "completed", **fields: object) -> Run:
    given: dict[str, object] = {
        "namespace_id": "local",
        "session_id": "s",
        "run_id": "r",
        "sequence_no": 1,
        "status": status,
        "created_at": 10,
        "started_at": 20,
        "ended_at": 30,
        "updated_at": 40,
    }
    return Run(**(given | fields))  # type: ignore[arg-type]


def ref(source: str, **fields: object) -> DocumentRef:
    return DocumentRef(session_id="s", source=source, **fields)  # type: ignore[arg-type]


def test_title_document_carries_the_time_it_was_set() -> None:
    """A title is one document of the session."""
    assert title_document("s", "A title", 7) == TextDocument(ref("session_metadata"), 7, "A title", None)


def test_run_documents_hold_text_parts_and_output() -> None:
    """One per text part, at its place in the input and when the run was made; one for the output, at the run's end."""
    parts = (
        TextPart(text="first"),
        ResourcePart(uri="file:///secret"),
        TextPart(text=" \n"),
        BinaryPart(size_bytes=3),
        TextPart(text="second"),
    )

    first, second, output = run_documents(run(input=parts, output_preview="done"), RunIdentities(INPUT, OUTPUT))

    assert first == TextDocument(ref("run_input", run_id="r", part=0), 10, "first", INPUT)
    assert second[:3] == (ref("run_input", run_id="r", part=4), 10, "second")
    assert output == TextDocument(ref("run_output_preview", run_id="r"), 30, "done", OUTPUT)


@pytest.mark.parametrize("status", ["queued", "starting", "running", "waiting"])
def test_run_documents_of_an_active_run_have_no_output(status: RunStatus) -> None:
    """An output preview is searched once it is final."""
    assert run_documents(run(status, output_preview="so far")) == []


@pytest.mark.parametrize("status", ["completed", "failed", "cancelled"])
def test_run_documents_fall_back_to_times_that_are_known(status: RunStatus) -> None:
    """A run that never started or records no end still has a place in time."""
    documents = run_documents(
        run(status, input=(TextPart(text="a"),), output_preview="b", started_at=None, ended_at=None)
    )

    assert [document.time for document in documents] == [10, 40]


def test_run_documents_skip_blank_text_and_errors() -> None:
    """A blank preview is no document; a terminal error is found as a display message of its event."""
    failed = run("failed", output_preview=" ", terminal_error=TerminalError(code="c", message="m"))

    assert run_documents(failed) == []


def test_run_documents_tell_later_parts_of_a_fork_apart() -> None:
    """Copies that share the first message and differ later are copies of the first part only."""
    ours = run_documents(run(input=(TextPart(text="a"), TextPart(text="b"))), RunIdentities(INPUT))
    copy = run_documents(run(input=(TextPart(text="a"), TextPart(text="b"))), RunIdentities(INPUT))
    fork = run_documents(run(input=(TextPart(text="a"), TextPart(text="c"))), RunIdentities(INPUT))

    assert [document.identity for document in ours] == [document.identity for document in copy]
    assert [ours[0].identity == fork[0].identity, ours[1].identity == fork[1].identity] == [True, False]


def test_event_documents_are_assistant_texts_and_errors(stored: Callable[[Sequence[NewEvent]], list[Event]]) -> None:
    """Visible text of each assistant message and the message of a failed turn; milliseconds become microseconds."""
    events = stored(
        [
            new_event(UserMessage(content=(TextBlock(text="question"),)), time=1, run_id="r"),
            new_event(
                AssistantMessage(content=(ReasoningBlock(text="hm"), TextBlock(text="a"), TextBlock(text="b"))),
                time=2,
                run_id="r",
                identity="msg_1",
            ),
            new_event(AssistantMessage(content=(ReasoningBlock(text="hm"),)), time=3, run_id="r"),
            new_event(ToolResult(call_id="c", text="payload", size_bytes=7), time=4, run_id="r"),
            new_event(AssistantMessage(content=(TextBlock(text="old"),)), time=5, surface_op="none"),
            new_event(TurnEnd(turn=1, reason="completed"), time=6, run_id="r"),
            new_event(TurnEnd(turn=2, reason="failed", error_message="overloaded"), time=7, run_id="r2"),
        ]
    )

    assert event_documents("s", events) == [
        TextDocument(ref("display_message", run_id="r", seq=1), 2000, "a\nb", identity_hash("msg_1")),
        TextDocument(ref("display_message", seq=4), 5000, "old", None),
        TextDocument(ref("display_message", run_id="r2", seq=6), 7000, "overloaded", None),
    ]


def test_identity_hash_is_stable_and_short() -> None:
    """Eight bytes of BLAKE2b, the same in every process and version."""
    assert identity_hash("msg_1").hex() == "9d6a8d272fd50644"
    assert len(identity_hash("\ud800")) == 8


def test_document_id_is_stable_and_opaque() -> None:
    """Ids outlive the process and do not show the session."""
    made = document_id(DocumentRef(session_id="session-one", source="session_metadata"))

    assert made == "doc1.0e102fb9a6e04a1f03c99445f1c58d9246916aed39cd950a30fbb514ebbafd86"
    assert "session-one" not in made


fields = st.builds(
    DocumentRef,
    session_id=st.text("a1:-", min_size=1, max_size=4),
    source=st.sampled_from(SEARCH_SOURCES),
    run_id=st.none() | st.text("a1:-", max_size=4),
    part=st.integers(0, 11),
    seq=st.none() | st.integers(0, 11),
)


@given(fields, fields)
def test_document_id_differs_exactly_when_the_document_does(one: DocumentRef, other: DocumentRef) -> None:
    """No choice of ids makes two documents one."""
    assert (document_id(one) == document_id(other)) == (one == other)
