"""Which forks of the conversation tree are rewinds."""

from __future__ import annotations

import pytest


def test_parallel_tool_results_are_no_rewind(transcript, read_item, idle):
    """A prompt that hangs on one of several parallel results abandons none of them."""
    transcript.user("go")
    first = transcript.call("m1", "c1")
    second = transcript.call("m1", "c2")
    left = transcript.result("c1", "one", parentUuid=first)
    transcript.result("c2", "two", parentUuid=second)
    transcript.user("on", parentUuid=left)

    session = read_item(idle, transcript.save()).only

    assert session.current() == ["go", "", "one", "two", "on"]
    assert session.of("session/rewind") == []


def test_prompt_on_an_unknown_row_is_no_rewind(transcript, read_item, idle):
    """A parent that is not in the file says nothing."""
    transcript.user("go")
    transcript.assistant("m1", "going")
    transcript.user("on", parentUuid="99999999-0000-4000-8000-000000000000")

    assert read_item(idle, transcript.save()).only.current() == ["go", "going", "on"]


def test_first_prompt_typed_again_abandons_everything(transcript, read_item, idle):
    """A second root of the tree, where rows are chained, is the first prompt typed again."""
    transcript.user("go")
    transcript.assistant("m1", "going")
    transcript.user("go slowly", parentUuid=None)

    session = read_item(idle, transcript.save()).only

    assert session.current() == ["go slowly"]
    assert [rewind.to_seq for rewind in session.of("session/rewind")] == [None]


def test_rows_without_parents_are_no_rewinds(transcript, read_item, idle):
    """Files that never name parents have one path."""
    for text in ("one", "two", "three"):
        transcript.user(text, parentUuid=None)

    assert read_item(idle, transcript.save()).only.current() == ["one", "two", "three"]


def test_last_branch_wins_after_several_rewinds(transcript, read_item, idle):
    """Rewinding twice to the same row leaves only the last branch current."""
    transcript.user("go")
    root = transcript.assistant("m1", "going")
    for text in ("left", "right", "straight"):
        transcript.user(text, parentUuid=root)
        transcript.assistant(f"m-{text}", f"went {text}")

    session = read_item(idle, transcript.save()).only

    assert session.current() == ["go", "going", "straight", "went straight"]
    assert len(session.said()) == 8


def test_rewind_before_a_compaction_abandons_the_summary(transcript, read_item, idle):
    """Going back behind a compaction leaves the new branch alone on the surface."""
    transcript.user("go")
    before = transcript.assistant("m1", "going")
    transcript.user("on")
    transcript.system("compact_boundary", parentUuid=None, compactMetadata={"trigger": "manual", "preTokens": 5})
    transcript.user("summary", isCompactSummary=True)
    transcript.user("back", parentUuid=before)

    assert read_item(idle, transcript.save()).only.current() == ["back"]


def test_summary_without_boundary_compacts(transcript, read_item, idle):
    """Older versions wrote a summary without a boundary; it compacts all the same."""
    transcript.user("go")
    transcript.assistant("m1", "going")
    transcript.user("summary", isCompactSummary=True, parentUuid=None)

    session = read_item(idle, transcript.save()).only

    assert session.current() == ["summary"]
    assert len(session.of("compaction/start")) == 1


def test_rewind_over_a_progress_row_is_seen(transcript, read_item, idle):
    """Progress rows are part of the tree though nothing else of them is read."""
    transcript.user("go")
    transcript.assistant("m1", "going")
    line = (
        '{"parentUuid":"00000000-0000-4000-8000-000000000002","isSidechain":false,"type":"progress","data":'
        '{"type":"hook_progress","uuid":"no"},"uuid":"77777777-0000-4000-8000-000000000000"}'
    )
    head = transcript.data()
    transcript.rows.clear()
    transcript.user("x")
    transcript.user("y")
    hook = "77777777-0000-4000-8000-000000000000"
    transcript.user("left", parentUuid=hook)
    transcript.user("right", parentUuid=hook)
    transcript.path.write_bytes(
        head + line.encode() + b"\n" + b"".join(transcript.data().splitlines(keepends=True)[2:])
    )

    assert read_item(idle, transcript.path).only.current() == ["go", "going", "right"]


def test_repeated_row_is_read_once(transcript, read_item, idle):
    """The same row twice in one file is one row."""
    transcript.user("go")
    transcript.assistant("m1", "going")
    transcript.user("on")
    transcript.path.write_bytes(transcript.data() + transcript.data())

    assert len(read_item(idle, transcript.path).only.said()) == 3


@pytest.mark.parametrize("form", ["{:08d}-0000-1000-8000-00a0c9123456", "00000000-0000-7000-8000-{:012d}"])
def test_rows_whose_ids_differ_in_one_half_are_different_rows(form, transcript, read_item, idle):
    """Ids made of a time and a machine share their second half, ids made by a counter their first."""
    for number in range(6):
        transcript.user(f"text {number}", uuid=form.format(number))

    session = read_item(idle, transcript.save()).only

    assert session.current() == [f"text {number}" for number in range(6)]
