"""Shared options: workspaces and page tokens."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starweaver_cli.options import workspace_filter
from starweaver_cli.tokens import decode_token, encode_token
from starweaver_host.contract.errors import UsageError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (None, None),
        (".", "/src/app"),
        ("./", "/src/app/"),
        ("..", "/src"),
        ("../lib", "/src/lib"),
        ("../lib/", "/src/lib/"),
        ("/else/where", "/else/where"),
        ("team-a", "team-a"),
    ],
)
def test_workspace_dot_means_here_and_slash_all_below(text: str | None, expected: str | None) -> None:
    """`.` resolves to the current directory, a final slash stays, ids and labels are left alone."""
    assert workspace_filter(text, here="/src/app") == expected


@given(st.integers(), st.text(st.characters(exclude_categories=["Cs"])))
def test_page_token_round_trips(time: int, session_id: str) -> None:
    """A token is the keyset position and nothing else."""
    assert decode_token(encode_token((time, session_id))) == (time, session_id)


@pytest.mark.parametrize("token", ["", "x", "bnVsbA", "WzEsMl0", "!!!", "WyJhIiwgImIiXQ", "é"])
def test_page_token_of_somebody_else_is_a_usage_error(token: str) -> None:
    """A token that is not ours is refused, whatever it decodes to."""
    with pytest.raises(UsageError):
        decode_token(token)


def test_directory_whose_name_is_no_text_is_a_workspace_like_any_other() -> None:
    """Bytes that are no text become U+FFFD, so that a filter never fails for where it is asked."""
    assert workspace_filter(".", here="/src/\udcff") == "/src/\ufffd"
    assert workspace_filter("/src/\udcff/é", here="/") == "/src/\ufffd/é"
