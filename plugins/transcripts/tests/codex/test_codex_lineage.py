"""Forks and subagents: their rollouts begin with a copy of the parent's records."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

PARENT = "019b0000-0000-7000-8000-0000000000f0"
CHILD = "019b0000-0000-7000-8000-0000000000f1"


def _parent(w: Any) -> list[dict[str, Any]]:
    return [
        w.meta(PARENT),
        w.event("task_started", turn_id="p1"),
        w.turn("p1"),
        w.offered("Grind"),
        w.typed("Grind"),
        w.said("Ground"),
        w.event("task_complete", turn_id="p1"),
    ]


def _own(w: Any) -> list[dict[str, Any]]:
    return [w.event("task_started", turn_id="c1"), w.turn("c1"), w.typed("Sieve"), w.said("Sieved")]


def test_fork_drops_the_records_its_parent_holds(
    w: Any, rollout: Callable[..., Path], read_item: Callable[..., Any], source: Any
) -> None:
    """Replayed turns are those whose ids the parent's rollout names; the parent is named as such."""
    parent = _parent(w)
    rollout(parent, thread=PARENT)
    path = rollout([w.meta(CHILD, forked_from_id=PARENT), *parent, *_own(w)], thread=CHILD)

    session = read_item(source, path).only

    assert session.said() == [("user", "Sieve"), ("assistant", "Sieved")]
    assert session.seen.header.parent_session_id == f"codex:{PARENT}"
    assert session.seen.header.origin == "fork"
    assert session.seen.title == "Sieve"


def test_fork_without_its_parent_keeps_everything_under_the_same_identities(
    w: Any, rollout: Callable[..., Path], read_item: Callable[..., Any], source: Any
) -> None:
    """When the parent's rollout is gone its records are kept, named so that the store knows them again."""
    parent = _parent(w)
    alone = read_item(source, rollout([w.meta(CHILD, forked_from_id=PARENT), *parent, *_own(w)], thread=CHILD)).only
    original = read_item(source, rollout(parent, thread=PARENT)).only

    assert [line[1] for line in alone.said()] == ["Grind", "Ground", "Sieve", "Sieved"]
    own = {event.identity for event in original.events if event.identity}
    assert own < {event.identity for event in alone.events}


def test_fork_of_an_archived_and_compressed_parent_drops_its_records(
    w: Any, tmp_path: Path, rollout: Callable[..., Path], read_item: Callable[..., Any], source: Any, compress: Any
) -> None:
    """The parent is found wherever rollouts may lie."""
    parent = _parent(w)
    path = rollout([w.meta(CHILD, forked_from_id=PARENT), *parent, *_own(w)], thread=CHILD)
    plain = rollout(parent, thread=PARENT, folder="home/.codex/archived_sessions")
    plain.with_name(plain.name + ".zst").write_bytes(compress(plain.read_bytes()))
    plain.unlink()

    session = read_item(source, path, root=tmp_path / "home" / ".codex").only

    assert [line[1] for line in session.said()] == ["Sieve", "Sieved"]


def test_fork_of_a_parent_without_turn_ids_drops_what_is_older_than_itself(
    w: Any, rollout: Callable[..., Path], read_item: Callable[..., Any], source: Any
) -> None:
    """Releases that name no turns replay records with their old times."""
    rollout([w.meta(PARENT), w.typed("Grind"), w.said("Ground")], thread=PARENT)
    spawn = {"subagent": {"thread_spawn": {"parent_thread_id": PARENT}}}
    copied = [w.typed("Grind"), w.said("Ground")]
    made = w.meta(CHILD, source=spawn)
    made["payload"]["timestamp"] = made["timestamp"]
    path = rollout([made, *copied, w.typed("Sieve"), w.said("Sieved")], thread=CHILD)

    session = read_item(source, path).only

    assert [line[1] for line in session.said()] == ["Sieve", "Sieved"]
    assert session.seen.header.origin == "subagent"


def test_reading_that_stops_inside_the_copy_goes_on_dropping(
    w: Any, rollout: Callable[..., Path], read_item: Callable[..., Any], source: Any
) -> None:
    """Where the copy ends is decided by turns, however the file was met."""
    parent = _parent(w)
    rollout(parent, thread=PARENT)
    whole = [w.meta(CHILD, forked_from_id=PARENT), *parent, *_own(w)]
    path = rollout(whole[:5], thread=CHILD)
    first = read_item(source, path)
    rollout(whole, thread=CHILD)

    session = read_item(source, path, state=first.done.state, before=first).only

    assert session.said() == [("user", "Sieve"), ("assistant", "Sieved")]
    assert set(session.modes) == {"append"}


def test_turn_made_after_its_session_is_its_own_without_a_look_at_the_parent(
    w: Any, rollout: Callable[..., Path], read_item: Callable[..., Any], source: Any
) -> None:
    """A turn's id tells when it was made; a subagent that repeats nothing costs no reading of its parent."""
    later = "019df146-75e0-7000-8000-0000000000c1"  # 2026-05-04T04:37 UTC, after the session began
    rollout([w.meta(PARENT), w.turn(later)], thread=PARENT)
    path = rollout([w.meta(CHILD, parent_thread_id=PARENT), w.turn(later), w.typed("Sieve")], thread=CHILD)

    session = read_item(source, path).only

    assert session.said() == [("user", "Sieve")]


def test_parent_that_grew_is_read_again(
    w: Any, rollout: Callable[..., Path], read_item: Callable[..., Any], source: Any
) -> None:
    """What is kept of a parent lasts until its rollout changes."""
    parent = _parent(w)
    rollout(parent[:1], thread=PARENT)
    child = [w.meta(CHILD, forked_from_id=PARENT), *parent, *_own(w)]
    before = read_item(source, rollout(child, thread=CHILD)).only
    rollout(parent, thread=PARENT)

    after = read_item(source, rollout(child, thread=CHILD)).only

    assert len(before.said()) == 4
    assert len(after.said()) == 2


def test_paginated_fork_names_its_base(w: Any, read: Callable[..., Any]) -> None:
    """A paginated fork refers to its parent instead of copying it."""
    session = read([w.meta(history_base={"thread_id": PARENT, "end_ordinal_exclusive": 9}), w.typed("Sieve")]).only

    assert session.seen.header.parent_session_id == f"codex:{PARENT}"
    assert session.seen.header.origin == "fork"
