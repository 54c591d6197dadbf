"""What one search finds, and what a hit says."""

from __future__ import annotations

from typing import Any

import pytest

from starweaver_host.contract.records import ResourcePart, Workspace
from starweaver_host.contract.search import SearchTimeRange, SessionSearchFilter, SessionSearchScope

KELVIN = "\u212a"


def sessions(page: Any) -> list[str]:
    return [hit.session.session_id for hit in page.hits]


def test_local_search_finds_text_in_each_source(store: Any, search: Any) -> None:
    """All four sources are searched by default, each hit naming its own, titles first."""
    store.add_session("s1", at=1, title="Needle title")
    store.add_run("s1", "r1", "a needle in", at=2, output_preview="needle out")
    store.add_display("s1", 0, "the needle shown", at=3, run_id="r1")

    page = search("NEEDLE", granularity="occurrence")

    assert [hit.source for hit in page.hits] == [
        "session_metadata",
        "run_input",
        "run_output_preview",
        "display_message",
    ]
    assert [hit.matched_at for hit in page.hits] == [1, 2, 2, 3]
    assert page.coverage.state == "complete"
    assert page.next_cursor is None


@pytest.mark.parametrize("literal", ["[refresh]*", "--hidden-option", "a.c", "$(x)", "%_", "\\d+", "--", "("])
def test_local_search_takes_every_character_literally(store: Any, search: Any, literal: str) -> None:
    """Regex, shell and option characters mean themselves; a look-alike is not found."""
    store.add_session("s", at=1)
    store.add_run("s", "r", f"say {literal} now", at=1)
    store.add_run("s", "r2", "abc say refresh x1 now", at=2)

    page = search(literal, granularity="occurrence")

    (hit,) = page.hits
    assert (hit.source, hit.run_id) == ("run_input", "r")
    assert hit.location.document_id.startswith("doc1.")
    assert "session" not in hit.location.document_id
    (mark,) = hit.snippet.highlights
    assert literal == hit.snippet.text[mark.start : mark.end]


@pytest.mark.parametrize(
    ("text", "needle", "marked"),
    [
        ("straße", "strasse", "straße"),
        ("STRASSE", "straße", "STRASSE"),
        ("café", "cafe\u0301", "café"),
        ("ΟΔΟΣ", "οδοσ", "ΟΔΟΣ"),
        ("İİİ needle tail", "needle", "needle"),
        (KELVIN * 3 + " needle tail", "needle", "needle"),
        ("x\x85\x85 needle", "needle", "needle"),
        ("a\nb needle", "b needle", "b needle"),
        ("日本語テキスト", "テキ", "テキ"),
        ("日本語テキスト", "語", "語"),
        ("한국어 검색", "검", "검"),
        ("ภาษาไทย", "ไท", "ไท"),
        ("x 👍🏽 y", "👍🏽", "👍🏽"),
        ("lone \ud800 needle", "needle", "needle"),
        ("nul \0 needle", "needle", "needle"),
    ],
)
def test_local_search_folds_and_marks_original_characters(
    store: Any, search: Any, text: str, needle: str, marked: str
) -> None:
    """Needle and text meet in one fold, and the mark covers exactly the original characters."""
    store.add_session("s", at=1, title=text)

    (hit,) = search(needle).hits

    assert [marked] == [hit.snippet.text[m.start : m.end] for m in hit.snippet.highlights]


def test_local_search_needle_as_long_as_a_snippet_is_found(store: Any, search: Any) -> None:
    """A match longer than a snippet fills it."""
    store.add_session("s", at=1, title="z" * 500)

    (hit,) = search("z" * 400).hits

    assert [(m.start, m.end) for m in hit.snippet.highlights] == [(0, 320)]
    assert len(hit.snippet.text.encode()) == 320


def test_local_search_summary_is_bounded_and_clean(store: Any, search: Any) -> None:
    """Title, profile, workspace and preview are one printable line each, within their bounds."""
    store.add_session(
        "s", at=1, title="needle\n" + "t" * 400, profile="p" * 200, workspace=Workspace(id="i", label="w" * 600)
    )
    store.add_run("s", "r", "needle", at=2, output_preview="o" * 300, status="completed")

    (hit,) = search("needle", sources=("run_input",)).hits

    shown = hit.session
    assert tuple(len(text.encode()) for text in (shown.title, shown.profile, shown.workspace, shown.run_preview)) == (
        256,
        128,
        512,
        160,
    )
    assert "\n" not in shown.title
    assert shown.run_status == "completed"


def test_local_search_session_shows_its_best_document(store: Any, search: Any) -> None:
    """Title, input, output and display of one session are one hit: the best by the order asked for."""
    store.add_session("s", at=1, title="needle")
    store.add_run("s", "r", "needle", at=5, output_preview="needle")
    store.add_display("s", 0, "needle", at=9, run_id="r")

    relevant, newest = search("needle"), search("needle", sort="updated_desc")

    assert [hit.source for hit in relevant.hits] == ["session_metadata"]
    assert [hit.source for hit in newest.hits] == ["display_message"]


def test_local_search_window_reorders_only_the_newest(store: Any, new_search: Any) -> None:
    """A title beyond the window stands where its age puts it."""
    store.add_session("old", at=0, title="needle")
    for count in range(1, 4):
        store.add_session(f"s{count}")
        store.add_display(f"s{count}", 0, "needle", at=count)
    store.add_session("new")
    store.rename("new", "needle", at=1)

    assert sessions(new_search(store)("needle")) == ["new", "old", "s3", "s2", "s1"]
    assert sessions(new_search(store, relevance_window=2)("needle")) == ["s3", "s2", "new", "s1", "old"]
    assert sessions(new_search(store, relevance_window=3)("needle")) == ["new", "s3", "s2", "s1", "old"]


def test_local_search_title_makes_a_run_group_of_its_own(store: Any, search: Any) -> None:
    """At run granularity a title belongs to no run."""
    store.add_session("s", at=1, title="needle")
    store.add_run("s", "r1", "needle", at=2, output_preview="needle")
    store.add_run("s", "r2", "needle", at=3)

    page = search("needle", granularity="run")

    assert [hit.run_id for hit in page.hits] == [None, "r2", "r1"]


def test_local_search_tombstone_matches_only_by_name_and_right(store: Any, search: Any) -> None:
    """A deleted session is found when `deleted` is asked for and the scope allows it."""
    store.add_session("gone", at=1, title="needle", status="deleted")
    named = SessionSearchFilter(status=("deleted",))
    allowed = SessionSearchScope(namespace_id="local", include_deleted=True)

    assert sessions(search("needle")) == []
    assert sessions(search("needle", filters=named)) == []
    assert sessions(search("needle", scope=allowed)) == []
    assert sessions(search("needle", scope=allowed, filters=named)) == ["gone"]
    assert sessions(search(None, scope=allowed, filters=named)) == ["gone"]


@pytest.mark.parametrize(
    "scope",
    [
        SessionSearchScope(namespace_id="other"),
        SessionSearchScope(namespace_id="local", owner_id="b"),
        SessionSearchScope(namespace_id="local", session_ids=frozenset({"t"})),
    ],
)
@pytest.mark.parametrize("text", ["needle", None])
def test_local_search_scope_always_applies(store: Any, search: Any, scope: Any, text: str | None) -> None:
    """Another namespace, another owner or an allow-list hides the session, with text and without."""
    store.add_session("s", at=1, title="needle", owner_id="a")

    assert sessions(search(text, scope=scope)) == []


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"workspace": "label"}, ["a"]),
        ({"workspace": "id"}, ["a"]),
        ({"workspace": "/p/"}, ["b", "a"]),
        ({"workspace": "/p"}, []),
        ({"profile": "coding"}, ["b"]),
        ({"status": ("archived", "failed")}, ["c"]),
        ({"run_status": ("failed",)}, ["b"]),
        ({"session_ids": ("a", "c")}, ["c", "a"]),
        ({"updated": SearchTimeRange(start=2, until=3)}, ["b"]),
        ({"created": SearchTimeRange(until=2)}, ["a"]),
        ({"status": ("active",), "profile": "coding", "workspace": "/p/"}, ["b"]),
    ],
)
def test_local_search_filters_select_sessions(store: Any, search: Any, filters: Any, expected: list[str]) -> None:
    """Conditions are ANDed and values within one ORed, with text and when browsing."""
    store.add_session("a", at=1, title="needle", workspace=Workspace(id="id", label="label"), cwd="/p")
    store.add_session("b", at=2, title="needle", profile="coding", cwd="/p/q")
    store.add_run("b", "r", "x", at=2, status="failed")
    store.add_session("c", at=3, title="needle", status="archived", cwd="/pq")

    wanted = SessionSearchFilter(**filters)

    assert expected == sessions(search("needle", filters=wanted))
    assert expected == sessions(search(None, filters=wanted))


def test_local_search_roles_select_who_said_it(store: Any, search: Any) -> None:
    """`user` looks at inputs, `assistant` at previews and display messages."""
    store.add_session("u", at=1)
    store.add_run("u", "r", "needle", at=1)
    store.add_session("a", at=2, title="needle")
    store.add_display("a", 0, "needle", at=2)

    user = search("needle", filters=SessionSearchFilter(roles=("user",)))
    assistant = search("needle", filters=SessionSearchFilter(roles=("assistant",)))

    assert (sessions(user), user.coverage.searched_sources) == (["u"], ("run_input",))
    assert [hit.source for hit in assistant.hits] == ["display_message"]


def test_local_search_without_a_source_left_is_empty_and_complete(store: Any, search: Any) -> None:
    """Roles that say nothing in the sources asked for leave nothing to search."""
    store.add_session("s", at=1, title="needle")

    page = search("needle", sources=("session_metadata",), filters=SessionSearchFilter(roles=("user",)))

    assert (page.hits, page.coverage.state, page.coverage.searched_sources) == ((), "complete", ())


def test_local_search_folds_subagents_under_their_root(store: Any, search: Any) -> None:
    """Folded, a subagent's hit shows the root as session and the subagent in the location, once per root."""
    store.add_session("root", at=1)
    store.add_session("child", at=2, parent_session_id="root")
    store.add_session("child2", at=3, parent_session_id="child")
    for at, session_id in enumerate(["child", "child2"]):
        store.add_run(session_id, "r", "needle", at=at)

    folded, plain = search("needle", fold_subagents=True), search("needle")

    assert [(hit.session.session_id, hit.location.session_id) for hit in folded.hits] == [("root", "child2")]
    assert sessions(plain) == ["child2", "child"]
    assert sessions(search(None, fold_subagents=True)) == ["root"]


def test_local_search_shared_message_is_a_hit_of_its_owner(store: Any, search: Any) -> None:
    """A message that was copied into a later session is found once, in the earliest, which lists the others."""
    store.add_session("late", at=9)
    store.add_session("early", at=1)
    for session_id, at in (("late", 20), ("early", 10)):
        store.add_display(session_id, 0, "needle", at=at, identity=b"message1")

    page = search("needle", granularity="occurrence")

    assert [(hit.session.session_id, hit.location.also_in) for hit in page.hits] == [("early", ("late",))]


def test_local_search_asks_for_owners_of_matches_only(store: Any, search: Any) -> None:
    """Attribution is not asked for without an identity among the matches."""
    store.add_session("s", at=1, title="needle")
    store.add_display("s", 0, "other", at=2, identity=b"message1")

    search("needle")

    assert "attribute" not in store.calls


def test_local_search_never_finds_what_is_not_projected(store: Any, search: Any) -> None:
    """Session metadata, resource addresses and profiles are no searched text."""
    store.add_session("s", at=1, title="t", metadata={"k": "needle"}, profile="needle")
    store.add_run("s", "r", "x", at=1, input=(ResourcePart(uri="https://h/?q=needle"),))

    assert sessions(search("needle")) == []


def test_local_browse_lists_sessions_newest_first(store: Any, search: Any) -> None:
    """Without text every session is one hit, with no snippet and no score, whatever sources are asked for."""
    for at in range(5):
        store.add_session(f"s{at}", at=at)
    store.add_run("s3", "r1", "x", at=3)
    store.add_run("s3", "r2", "x", at=3, status="failed", output_preview="why")

    pages = search.all(None, limit=2, sources=("display_message",), granularity="occurrence")

    assert [s for page in pages for s in sessions(page)] == ["s4", "s3", "s2", "s1", "s0"]
    (shown,) = [hit for page in pages for hit in page.hits if hit.session.session_id == "s3"]
    assert (shown.source, shown.snippet, shown.score, shown.matched_at) == ("session_metadata", None, None, 3)
    assert (shown.session.run_status, shown.session.run_preview) == ("failed", "why")
    assert pages[0].coverage.searched_sources == ("session_metadata",)
    assert pages[0].coverage.state == "complete"


def test_local_browse_pages_sessions_of_one_moment(store: Any, search: Any) -> None:
    """Sessions with one update time page without gap or repeat."""
    for count in range(7):
        store.add_session(f"s{count}", at=5)

    pages = search.all(None, limit=3)

    assert [f"s{count}" for count in (6, 5, 4, 3, 2, 1, 0)] == [s for page in pages for s in sessions(page)]


def test_local_search_generation_follows_versions_not_writes(store: Any, new_search: Any) -> None:
    """Writing moves nothing; another store epoch is another generation."""
    store.add_session("s", at=1, title="needle")
    first = new_search(store)("needle").coverage.generation
    store.rename("s", "other", at=2)

    assert first == new_search(store)("needle").coverage.generation
    assert first.startswith("local-v1-")
    store.epoch = "epoch-2"
    assert first != new_search(store)("needle").coverage.generation
