"""Text output: marked snippets, clean text, whole identities."""

from __future__ import annotations

import msgspec
import pytest

from starweaver_cli.render.search import mark, write_coverage, write_page
from starweaver_cli.render.stream import clean, set_color
from starweaver_host.contract.search import (
    CoverageWarning,
    Highlight,
    SearchCoverage,
    SearchLocation,
    SessionSearchHit,
    SessionSearchPage,
    SessionSummary,
    Snippet,
)

HIT = SessionSearchHit(
    session=SessionSummary(
        namespace_id="local",
        session_id="codex:1",
        title="Fix\nthe \x1b[31mlogin",
        status="archived",
        agent="codex",
        native_id="1",
        cwd="/src/app",
        created_at=0,
        updated_at=1_800_000_000_000_000,
    ),
    run_id="turn-1",
    source="run_input",
    location=SearchLocation(session_id="codex:2", run_id="turn-1", source="run_input", document_id="doc1.x"),
    snippet=Snippet(
        text="a match here\nand a match there", highlights=(Highlight(start=2, end=7), Highlight(start=19, end=24))
    ),
    score=0.5,
    matched_at=0,
)
COMPLETE = SearchCoverage(state="complete")


def page(*hits: SessionSearchHit, cursor: str | None = None, coverage: SearchCoverage = COMPLETE) -> SessionSearchPage:
    return SessionSearchPage(hits=hits, next_cursor=cursor, coverage=coverage)


def test_snippet_marks_every_match_at_its_code_points() -> None:
    """Highlights are code-point ranges; without colour they stand between « and »."""
    assert HIT.snippet is not None
    assert mark(HIT.snippet) == "a «match» here and a «match» there"


def test_snippet_marks_with_colour_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """`[output] color = "always"` colours also what is piped."""
    set_color("always")
    try:
        assert HIT.snippet is not None
        assert "\x1b[" in mark(HIT.snippet)
        assert "«" not in mark(HIT.snippet)
    finally:
        set_color("auto")


def test_page_shows_identity_subagent_status_resume_and_cursor(capsys: pytest.CaptureFixture[str]) -> None:
    """A hit names namespace, session, run and the subagent it is in; the cursor is ready to paste."""
    write_page(
        page(HIT, cursor="ssc1.ab'c"),
        resume=lambda _: "codex resume 1",
        context=lambda _: (["user: hello"], ["assistant: bye"]),
    )

    out = capsys.readouterr().out
    assert "local/codex:1 run turn-1 (in subagent codex:2)" in out
    assert "[31mlogin" in out
    assert "\x1b" not in out
    assert "archived" in out
    assert "resume: codex resume 1" in out
    assert out.index("| user: hello") < out.index("«match»") < out.index("| assistant: bye")
    assert "--after 'ssc1.ab'\"'\"'c'" in out


def test_empty_partial_page_is_not_called_no_matches(capsys: pytest.CaptureFixture[str]) -> None:
    """An empty page that is not complete says so instead of `no matches`."""
    warning = CoverageWarning(kind="limit_reached", message="cut")

    write_coverage(SearchCoverage(state="partial", warnings=(warning,)), empty=True)

    err = capsys.readouterr().err
    assert "no matches" not in err
    assert "coverage: partial" in err
    assert "limit_reached: cut" in err


def test_empty_complete_page_says_no_matches(capsys: pytest.CaptureFixture[str]) -> None:
    """Zero hits with complete coverage is an answer, told on standard error."""
    write_coverage(COMPLETE, empty=True)

    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == "no matches\n"


@pytest.mark.parametrize(
    "bad", ["\x1b[2J", "\x07", "\u202e", "\u2066", "\ud800", "\x9b31m", "\x00", "\u2028", "\u2029"]
)
def test_clean_text_obeys_no_escape_of_a_transcript(bad: str) -> None:
    """Control, bidi and surrogate characters never reach a terminal; the letters around them do."""
    cleaned = clean(f"a{bad}b")

    assert cleaned.startswith("a")
    assert cleaned.endswith("b")
    assert all(character.isprintable() for character in cleaned)


def test_clean_text_keeps_scripts_newlines_and_emoji() -> None:
    """Only what can harm is replaced."""
    text = "日本語\tกขค\n👩‍👩‍👧 ß"
    assert clean(text) == text


def test_page_gives_an_id_with_newlines_no_line_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    """File names become ids; what one holds never looks like a row of ours."""
    session = msgspec.structs.replace(HIT.session, session_id="codex:1\nforged row")

    write_page(page(msgspec.structs.replace(HIT, session=session)), resume=lambda _: "a\nb", context=lambda _: ([], []))

    lines = capsys.readouterr().out.splitlines()
    assert not any(line.startswith(("forged", "b")) for line in lines)
