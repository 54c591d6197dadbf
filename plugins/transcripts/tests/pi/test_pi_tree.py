"""Steps back in the tree of a session, against a plain reading of the whole tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from starweaver_transcripts.pi.tree import Tree


def test_step_back_replaces_what_lies_behind_the_parent(e: Any, read_rows: Callable[..., Any]) -> None:
    """An edited prompt stands for the old one and everything that followed it."""
    rows = [e.header(), e.user("A"), e.assistant("a"), e.user("B"), e.assistant("b")]
    session = read_rows([*rows, e.user("C", after="00000002"), e.assistant("c")]).only

    assert session.current() == ["A", "a", "C", "c"]
    assert session.of("session/rewind")[0].to_seq == 2
    assert [line[1] for line in session.said()] == ["A", "a", "B", "b", "C", "c"]


def test_step_back_to_the_root_replaces_everything(e: Any, read_rows: Callable[..., Any]) -> None:
    """A row without a parent begins the conversation again."""
    session = read_rows([e.header(), e.user("A"), e.assistant("a"), e.user("B", after=None)]).only

    assert session.current() == ["B"]


def test_step_into_an_older_branch_keeps_the_common_beginning(e: Any, read_rows: Callable[..., Any]) -> None:
    """Shadowed messages cannot return; what both branches begin with stays."""
    rows = [e.header(), e.user("A"), e.user("B"), e.user("C", after="00000001"), e.user("D", after="00000002")]

    assert read_rows(rows).only.current() == ["A", "D"]


def test_rows_that_say_nothing_may_carry_the_step_back(e: Any, read_rows: Callable[..., Any]) -> None:
    """The step back is made by whatever row comes first; the next message replaces."""
    rows = [e.header(), e.user("A"), e.assistant("a"), e.user("B")]
    session = read_rows([*rows, e.entry("label", after="00000002", label="x"), e.user("C")]).only

    assert session.current() == ["A", "a", "C"]


def test_shell_command_after_a_step_back_stays_on_the_surface(e: Any, read_rows: Callable[..., Any]) -> None:
    """A tool's answer replaces nothing, and the message after it takes only the abandoned place."""
    rows = [e.header(), e.user("A"), e.user("B")]
    shell = e.message("bashExecution", after="00000001", command="ls", output="out", exitCode=0)
    session = read_rows([*rows, shell, e.user("C")]).only

    assert session.current() == ["A", "C", "out"]


def test_damaged_parent_abandons_nothing(e: Any, read_rows: Callable[..., Any]) -> None:
    """A row whose parent is not in the file goes on from the leaf."""
    assert read_rows([e.header(), e.user("A"), e.user("B", after="ffffffff")]).only.current() == ["A", "B"]


def test_second_compaction_replaces_the_first_summary(e: Any, read_rows: Callable[..., Any]) -> None:
    """Only the last summary is context; entries kept by the first may go with the second."""
    rows = [e.header(), e.user("A"), e.user("B")]
    first = e.entry("compaction", summary="S1", firstKeptEntryId="00000002")
    more = e.user("C")
    second = e.entry("compaction", summary="S2", firstKeptEntryId="00000004")

    assert read_rows([*rows, first, more, second, e.user("D")]).only.current() == ["S2", "C", "D"]


def test_compaction_that_keeps_everything_adds_its_summary_once(e: Any, read_rows: Callable[..., Any]) -> None:
    """A summary with nothing before it to stand for is appended, and the next such one takes its place."""
    rows = [e.header(), e.user("A")]
    first = e.entry("compaction", summary="S1", firstKeptEntryId="00000001")
    second = e.entry("compaction", summary="S2", firstKeptEntryId="00000001")

    assert read_rows([*rows, first, second, e.user("B")]).only.current() == ["A", "S2", "B"]


def test_compaction_that_keeps_nothing_leaves_its_summary(e: Any, read_rows: Callable[..., Any]) -> None:
    """A first kept entry that is not on the branch keeps nothing."""
    rows = [e.header(), e.user("A"), e.user("B"), e.entry("compaction", summary="S")]

    assert read_rows([*rows, e.user("C")]).only.current() == ["S", "C"]


def test_step_back_before_a_compaction_keeps_its_summary(e: Any, read_rows: Callable[..., Any]) -> None:
    """What the summary stands for cannot return, so the summary stays."""
    rows = [e.header(), e.user("A"), e.user("B"), e.user("C")]
    compaction = e.entry("compaction", summary="S", firstKeptEntryId="00000003")
    session = read_rows([*rows, compaction, e.user("D"), e.user("E", after="00000001")]).only

    assert session.current() == ["S", "E"]


@given(parents=st.lists(st.integers(0, 30), max_size=30))
def test_surface_is_the_path_where_no_abandoned_branch_is_entered_again(parents: list[int]) -> None:
    """Stepping back along the current path gives exactly the messages from the root to the leaf."""
    tree, path, surface = Tree(), [], []
    for seq, pick in enumerate(parents):
        keep = pick % (len(path) + 1)
        parent = path[keep - 1] if keep else None
        del path[keep:]
        path.append(f"e{seq}")
        tree.enter(f"e{seq}", parent)
        placed = tree.place_message(seq)
        if placed.op == "append":
            surface.append(seq)
        else:
            start, end = surface.index(placed.op.start), surface.index(placed.op.end)
            assert list(placed.sources) == surface[start : end + 1]
            surface[start : end + 1] = [seq]

        assert [f"e{node}" for node in surface] == path


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(choices=st.lists(st.tuples(st.sampled_from("muclr"), st.integers(0, 40)), max_size=25), cut=st.floats(0, 1))
def test_any_tree_folds_and_reads_in_pieces(
    choices: list[tuple[str, int]], cut: float, read_item: Callable[..., Any], pi: Any, session_file: Any
) -> None:
    """Whatever tree a file holds, its log folds, and reading it in two parts gives the same."""
    rows = [_header(), *_rows(choices)]
    path = session_file(rows)
    data = path.read_bytes()
    whole = read_item(pi, path)
    path.write_bytes(data[: int(len(data) * cut)])
    first = read_item(pi, path)
    path.write_bytes(data)

    second = read_item(pi, path, state=first.done.state, before=first)

    whole.only.current()
    assert second.only.events == whole.only.events
    assert second.done == whole.done


def _header() -> dict[str, Any]:
    return {"type": "session", "version": 3, "id": "tree", "timestamp": "2026-02-01T07:00:00Z", "cwd": "/srv/x"}


def _rows(choices: list[tuple[str, int]]) -> list[dict[str, Any]]:
    """Messages, results, compactions and labels; every other number steps back to some earlier entry."""
    rows: list[dict[str, Any]] = []
    for number, (kind, pick) in enumerate(choices):
        parent = f"n{number - 1}" if number and pick % 3 else (f"n{pick % number}" if number else None)
        row: dict[str, Any] = {"id": f"n{number}", "parentId": parent, "timestamp": f"2026-02-01T08:00:{number:02d}Z"}
        if kind == "c":
            row |= {"type": "compaction", "summary": f"S{number}", "firstKeptEntryId": f"n{pick % (number + 1)}"}
        elif kind == "l":
            row |= {"type": "label", "label": "x"}
        else:
            role = {"m": "assistant", "u": "user", "r": "toolResult"}[kind]
            row |= {"type": "message", "message": {"role": role, "content": f"{kind}{number}", "toolCallId": "t"}}
        rows.append(row)
    return rows
