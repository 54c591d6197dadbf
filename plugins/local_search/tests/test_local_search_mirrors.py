"""Display mirrors: an optional extra, read with every check, that never hides what the log says."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from starweaver_host.contract.records import ExternalSource
from starweaver_local_search.mirror_files import FILE_MAX_BYTES

ALL_WARNINGS = {
    "missing": ("missing_source", "missing"),
    "link": ("unavailable_source", "link"),
    "folder-link": ("unavailable_source", "link"),
    "pipe": ("unavailable_source", "regular"),
    "large": ("limit_reached", "large"),
    "json": ("malformed_source", "JSON"),
    "shape": ("malformed_source", "list"),
    "schema": ("malformed_source", "schema"),
}


def message(text: str | None, *, sequence: int = 1, **fields: Any) -> dict[str, Any]:
    base = {
        "session_id": "s1",
        "run_id": "r1",
        "sequence": sequence,
        "timestamp": "2026-01-02T03:04:05.123456789+00:00",
        "type": "TEXT_MESSAGE_CONTENT",
        "preview": text,
    }
    return {**base, **fields}


def mirror_path(root: Path, session_id: str = "s1", run_id: str = "r1") -> Path:
    return root / "sessions" / session_id / "runs" / run_id / "display.compact.json"


def write_mirror(root: Path, body: Any, session_id: str = "s1", run_id: str = "r1") -> Path:
    path = mirror_path(root, session_id, run_id)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(body if isinstance(body, str) else json.dumps(body), encoding="utf-8")
    return path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """An empty mirror root."""
    path = tmp_path / "mirrors"
    path.mkdir()
    return path


@pytest.fixture
def mirrored(store: Any, new_search: Any, root: Path) -> Any:
    """A searcher with mirrors over a store with one session and one run."""
    store.add_session("s1", at=1)
    store.add_run("s1", "r1", "canonical input", at=2)
    return new_search(store, display_root=root)


@pytest.mark.parametrize("form", ["list", "snapshot", "enveloped"])
def test_mirror_forms_are_all_read(mirrored: Any, root: Path, form: str) -> None:
    """A bare list, a snapshot and an enveloped snapshot are mirrors."""
    snapshot = {"revision": 1, "display_messages": [message("a needle")]}
    envelope = {"schema": "starweaver.stream.replay_snapshot", "version": 1, "payload": snapshot}
    write_mirror(root, {"list": [message("a needle")], "snapshot": snapshot, "enveloped": envelope}[form])

    page = mirrored("needle")

    (hit,) = page.hits
    assert (hit.source, hit.run_id, hit.snippet.text) == ("display_message", "r1", "a needle")
    assert (
        hit.location.archive_scope,
        hit.location.source_run_id,
        hit.location.display_sequence,
    ) == ("run:r1", "r1", 1)
    assert hit.location.document_id.startswith("doc1.")
    assert hit.matched_at == 1767323045123456


def test_mirror_hit_says_it_is_unverified(mirrored: Any, root: Path) -> None:
    """What only a mirror says makes the page partial."""
    write_mirror(root, [message("a needle", run_id="child", agent_id="helper")])

    page = mirrored("needle")

    assert page.coverage.state == "partial"
    assert [warning.kind for warning in page.coverage.warnings] == ["unverified_source"]
    assert (page.hits[0].location.source_run_id, page.hits[0].location.source_agent_id) == ("child", "helper")


def test_mirror_without_a_match_leaves_the_page_complete(mirrored: Any, root: Path) -> None:
    """Mirrors that were all read take nothing from the coverage."""
    write_mirror(root, [message("other")])

    assert mirrored("needle").coverage.state == "complete"


@pytest.mark.parametrize(
    "hidden",
    [
        {"visibility": "internal"},
        {"visibility": "diagnostic"},
        {"visibility": "secret"},
        {"type": "TOOL_CALL_RESULT"},
        {"type": "A_KIND_OF_TOMORROW"},
        {"session_id": "s2"},
        {"metadata": {"reasoning": True}},
        {"payload": {"part_kind": "thinking"}},
        {"payload": {"part_kind": "native_payload"}},
        {"payload": {"part_kind": "file_metadata"}},
        {"preview": None, "payload": {"text": "needle"}},
        {"timestamp": "yesterday"},
        {"sequence": "one"},
    ],
)
def test_mirror_message_that_is_not_display_text_is_skipped(mirrored: Any, root: Path, hidden: dict[str, Any]) -> None:
    """Only public assistant text and terminal previews count; a message that is not understood hides no other."""
    write_mirror(root, [message("needle hidden", **hidden), 7, message("needle shown", sequence=2)])

    page = mirrored("needle", granularity="occurrence")

    assert [hit.snippet.text for hit in page.hits] == ["needle shown"]


def test_mirror_repeats_of_one_text_are_one_hit(mirrored: Any, root: Path) -> None:
    """A terminal preview that repeats the run's text is not another fact."""
    write_mirror(root, [message("needle"), message("needle"), message("Needle", sequence=9, type="RUN_FINISHED")])

    assert len(mirrored("needle", granularity="occurrence").hits) == 1


def test_mirror_text_of_the_log_is_not_shown_again(mirrored: Any, store: Any, root: Path) -> None:
    """A message the canonical log holds comes from the log, and verifies the mirror."""
    canonical = store.add_display("s1", 4, "the needle", at=9, run_id="r1")
    write_mirror(root, [message("the needle")])

    page = mirrored("needle", granularity="occurrence")

    (hit,) = page.hits
    assert canonical.seq == hit.location.display_sequence
    assert page.coverage.state == "complete"


@pytest.mark.parametrize("defect", ALL_WARNINGS)
def test_mirror_that_cannot_be_read_is_warned_about(
    mirrored: Any, store: Any, root: Path, tmp_path: Path, defect: str
) -> None:
    """Each defect has its own warning, makes the page partial, and hides no canonical hit."""
    make_defect(root, tmp_path, defect)

    page = mirrored("canonical")

    kind, word = ALL_WARNINGS[defect]
    assert [hit.source for hit in page.hits] == ["run_input"]
    assert ("partial", [kind]) == (page.coverage.state, [warning.kind for warning in page.coverage.warnings])
    assert word in page.coverage.warnings[0].message
    assert str(tmp_path) not in page.coverage.warnings[0].message
    assert list(mirrored("needle").hits) == []


def make_defect(root: Path, tmp_path: Path, defect: str) -> None:
    outside = write_mirror(tmp_path / "outside", [message("needle")])
    path = mirror_path(root)
    if defect == "folder-link":
        (root / "sessions").mkdir()
        (root / "sessions" / "s1").symlink_to(outside.parents[2], target_is_directory=True)
    elif defect != "missing":
        path.parent.mkdir(parents=True)
    if defect == "link":
        path.symlink_to(outside)
    elif defect == "pipe":
        os.mkfifo(path)
    elif defect == "large":
        path.write_bytes(b" " * (FILE_MAX_BYTES + 1))
    elif defect == "json":
        path.write_text('[{"preview": "needle"')
    elif defect == "shape":
        path.write_text('"needle"')
    elif defect == "schema":
        path.write_text(json.dumps({"schema": "other", "version": 1, "payload": [message("needle")]}))


@pytest.mark.parametrize("session_id", ["../up", "a.b", "a/b", "x" * 201, "ü"])
def test_mirror_of_an_unsafe_id_is_not_looked_for(store: Any, new_search: Any, root: Path, session_id: str) -> None:
    """An id that is no plain name never becomes a path."""
    store.add_session(session_id, at=1)
    store.add_run(session_id, "r1", "canonical", at=1)
    write_mirror(root.parent, [message("needle")], "..", "r1")

    page = new_search(store, display_root=root)("needle")

    assert (list(page.hits), page.coverage.state) == ([], "partial")
    assert "unsafe" in page.coverage.warnings[0].message


def test_mirror_root_that_is_missing_lists_display_as_unavailable(store: Any, new_search: Any, tmp_path: Path) -> None:
    """A root that cannot be opened is said once, and the log is still searched."""
    store.add_session("s1", at=1)
    store.add_display("s1", 0, "needle", at=1)

    page = new_search(store, display_root=tmp_path / "nowhere")("needle")

    assert len(page.hits) == 1
    assert page.coverage.unavailable_sources == ("display_message",)
    assert "display_message" in page.coverage.searched_sources


@pytest.mark.parametrize("bound", [{"max_display_files": 1}, {"max_total_display_bytes": 300}, {"max_display_hits": 1}])
def test_mirror_budget_stops_the_mirrors_only(store: Any, new_search: Any, root: Path, bound: dict[str, int]) -> None:
    """A spent budget leaves display searched in part, and the other sources whole."""
    store.add_session("s1", at=1)
    for count in range(3):
        store.add_run("s1", f"r{count}", f"canonical needle {count}", at=count)
        write_mirror(root, [message(f"mirrored needle {count}", run_id=f"r{count}")], "s1", f"r{count}")

    page = new_search(store, display_root=root, **bound)("needle", granularity="occurrence")

    assert sum(hit.source == "run_input" for hit in page.hits) == 3
    assert sum(hit.source == "display_message" for hit in page.hits) == 1
    assert "limit_reached" in {warning.kind for warning in page.coverage.warnings}
    assert "display_message" in page.coverage.searched_sources
    assert page.coverage.unavailable_sources == ("display_message",)


def test_mirror_of_an_imported_session_is_not_missed(store: Any, new_search: Any, root: Path) -> None:
    """Imported sessions never had mirrors, so their absence is no gap."""
    store.add_session("codex:1", at=1, external=ExternalSource(source="codex", native_id="1"))
    store.add_run("codex:1", "r1", "needle", at=1)

    page = new_search(store, display_root=root)("needle")

    assert (len(page.hits), page.coverage.state) == (1, "complete")


def test_mirrors_are_not_opened_without_a_root(store: Any, search: Any) -> None:
    """Without a configured root display text comes from the log alone, and coverage is complete."""
    store.add_session("s1", at=1)
    store.add_run("s1", "r1", "needle", at=1)

    page = search("needle")

    assert page.coverage.state == "complete"
    assert "list_runs" not in store.calls


def test_mirror_hits_page_like_other_hits(store: Any, new_search: Any, root: Path) -> None:
    """Mirror hits and canonical hits are one order over pages, none twice."""
    store.add_session("s1", at=1)
    for count in range(4):
        store.add_run("s1", f"r{count}", f"needle {count}", at=1_767_323_045_000_000 + count * 1_000_000)
        stamp = f"2026-01-02T03:04:0{5 + count}.5Z"
        write_mirror(root, [message(f"m needle {count}", run_id=f"r{count}", timestamp=stamp)], "s1", f"r{count}")
    search = new_search(store, display_root=root)

    pages = search.all("needle", granularity="occurrence", sort="updated_desc", limit=3)

    texts = [hit.snippet.text for page in pages for hit in page.hits]
    assert [f"{kind}needle {count}" for count in (3, 2, 1, 0) for kind in ("m ", "")] == texts
