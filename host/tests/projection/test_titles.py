"""Titles from prompts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starweaver_host.projection.titles import TITLE_LENGTH, title_from_prompt


@pytest.mark.parametrize(
    ("prompt", "title"),
    [
        ("Fix the login page", "Fix the login page"),
        ("  Fix\n\nthe\tlogin page ", "Fix the login page"),
        ("## Fix the login page", "Fix the login page"),
        ("- fix it", "fix it"),
        ("-1 is wrong", "-1 is wrong"),
        ("<system-reminder>\nnever mind\n</system-reminder>\nFix it", "Fix it"),
        ("Fix it <ide_selection file='a'>x = 1</ide_selection> please", "Fix it please"),
        ("<a-b>one</a-b><a-b>two</a-b>three", "three"),
        ("<command-name>/review</command-name>\n<command-args>all of it</command-args>", "/review all of it"),
        ("<command-message>clear</command-message><command-name>/clear</command-name>", "/clear"),
        ("<environment_context><cwd>/home</cwd></environment_context>", ""),
        ("Why does <my-element> not close?", "Why does <my-element> not close?"),
        ("make <b>it</b> bold", "make <b>it</b> bold"),
        ("a\x1b[31mb\u202e", "a [31mb"),
        ("日本語でお願いします", "日本語でお願いします"),
        (" \n", ""),
        ("<a-b></a-b>", ""),
    ],
)
def test_title_is_the_prompt_on_one_line(prompt: str, title: str) -> None:
    """What a person asked for, without what their tools wrapped around it."""
    assert title_from_prompt(prompt) == title


def test_title_is_cut_at_a_word() -> None:
    """A long prompt loses whole words and says so."""
    title = title_from_prompt("wordy " * 30)

    assert title == "wordy " * 12 + "wordy…"


@pytest.mark.parametrize(
    ("prompt", "title"),
    [("あ" * 100, "あ" * 79 + "…"), ("x" * 100, "x" * 79 + "…"), ("👍🏽" * 50, "👍🏽" * 39 + "…")],
    ids=["kana", "ascii", "emoji"],
)
def test_title_without_words_is_cut_between_characters(prompt: str, title: str) -> None:
    """Scripts without spaces are cut at the bound, and no character is torn."""
    assert title_from_prompt(prompt) == title


@given(st.text() | st.text("<a-b>/ \n\u0301é\ud800"))
def test_title_is_one_short_line_of_any_prompt(prompt: str) -> None:
    """Whatever is pasted, the title fits a list."""
    title = title_from_prompt(prompt)

    assert len(title) <= TITLE_LENGTH
    assert title == " ".join(title.split())
    title.encode()
