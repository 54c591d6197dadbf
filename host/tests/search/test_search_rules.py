"""What is refused before storage is touched, and what two spellings of one query have in common."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from starweaver_host.contract.errors import SearchError
from starweaver_host.contract.search import (
    SearchCapabilities,
    SearchTimeRange,
    SessionSearchFilter,
    SessionSearchQuery,
    SessionSearchScope,
)
from starweaver_host.services.search_rules import SearchPlan, plan_search

SCOPE = SessionSearchScope(namespace_id="local", include_deleted=True)
CAPABILITIES = SearchCapabilities(provider="local", query_modes=("literal",))


def plan(
    scope: SessionSearchScope = SCOPE, capabilities: SearchCapabilities = CAPABILITIES, **fields: Any
) -> SearchPlan:
    return plan_search(scope, SessionSearchQuery(**fields), capabilities=capabilities)


def refusal(**fields: Any) -> SearchError:
    with pytest.raises(SearchError) as caught:
        plan(**fields)
    return caught.value


@pytest.mark.parametrize("limit", [0, -1, 101])
def test_search_rules_refuse_limit_out_of_range(limit: int) -> None:
    """A limit is at least one and at most the provider's page size."""
    error = refusal(text="x", limit=limit)

    assert error.code == "invalid_query"
    assert str(limit) in error.message


def test_search_rules_measure_the_query_in_bytes() -> None:
    """Length counts UTF-8 bytes of the trimmed text; exactly the limit passes."""
    assert plan(text="  " + "語" * 1365 + "a  ").needle
    assert refusal(text="語" * 1366).code == "invalid_query"


@pytest.mark.parametrize("text", [None, "", " \t\n ", "\u3000\x85"])
def test_search_rules_take_blank_text_for_browsing(text: str | None) -> None:
    """No text and blank text are the same: sessions newest first, whatever sources are named."""
    browsing = plan(text=text, sources=("display_message",), sort="relevance")

    assert (browsing.order, browsing.needle, browsing.sources) == ("browse", "", ("session_metadata",))


@pytest.mark.parametrize(("start", "until"), [(5, 5), (6, 5)])
@pytest.mark.parametrize("name", ["created", "updated"])
def test_search_rules_refuse_empty_time_range(name: str, start: int, until: int) -> None:
    """A range that cannot hold a moment is a mistake."""
    filters = msgspec.structs.replace(SessionSearchFilter(), **{name: SearchTimeRange(start=start, until=until)})

    assert refusal(text="x", filters=filters).code == "invalid_query"


def test_search_rules_refuse_unknown_run_status() -> None:
    """A run status that no run can have is a mistake, and the choices are named."""
    error = refusal(text="x", filters=SessionSearchFilter(run_status=("done",)))

    assert error.code == "invalid_query"
    assert "completed" in error.message


@pytest.mark.parametrize("mode", ["terms", "phrase", "prefix", "semantic"])
def test_search_rules_refuse_mode_that_is_not_advertised(mode: str) -> None:
    """Another mode is `unsupported`, never answered as if it were literal."""
    assert refusal(text="x", mode=mode).code == "unsupported"


@pytest.mark.parametrize(
    ("narrowed", "fields"),
    [
        ({"sources": ("run_input",)}, {"sources": ("run_input", "display_message")}),
        ({"granularities": ("session",)}, {"granularity": "run"}),
        ({"sorts": ("auto", "relevance")}, {"sort": "updated_desc"}),
        ({"filters": ("profile",)}, {"filters": SessionSearchFilter(workspace="w")}),
        ({"filters": ()}, {"filters": SessionSearchFilter(roles=("user",))}),
    ],
)
def test_search_rules_refuse_what_is_not_advertised(narrowed: dict[str, Any], fields: dict[str, Any]) -> None:
    """A source, granularity, sort or filter the provider does not advertise is `unsupported`."""
    capabilities = msgspec.structs.replace(CAPABILITIES, **narrowed)

    assert refusal(text="x", capabilities=capabilities, **fields).code == "unsupported"


@pytest.mark.parametrize("visibility", ["diagnostic", "internal"])
def test_search_rules_refuse_other_visibility_than_public(visibility: Any) -> None:
    """Only public display text is ever searched; asking for more is refused."""
    filters = SessionSearchFilter(display_visibilities=("public", visibility))

    assert refusal(text="x", filters=filters).code == "unsupported"
    assert plan(text="x", filters=SessionSearchFilter(display_visibilities=("public",))).needle == "x"


def test_search_rules_map_roles_to_sources() -> None:
    """A person says run inputs, an assistant output previews and display messages; nobody says a title."""
    user = plan(text="x", filters=SessionSearchFilter(roles=("user",)))
    assistant = plan(text="x", filters=SessionSearchFilter(roles=("assistant",)))
    neither = plan(text="x", sources=("session_metadata",), filters=SessionSearchFilter(roles=("user", "assistant")))

    assert user.sources == ("run_input",)
    assert assistant.sources == ("run_output_preview", "display_message")
    assert neither.sources == ()


@pytest.mark.parametrize(
    ("workspace", "expected"),
    [("w", (("w",), None)), ("/a/b/", ((), "/a/b")), ("/", ((), "/")), ("/a/b", (("/a/b",), None))],
)
def test_search_rules_take_trailing_slash_for_a_directory(workspace: str, expected: Any) -> None:
    """A workspace is an id or label; with a trailing slash it is a directory and what lies below."""
    filters = plan(text="x", filters=SessionSearchFilter(workspace=workspace)).filter

    assert expected == (filters.workspaces, filters.cwd_prefix)


@pytest.mark.parametrize(
    ("allowed", "status", "expected"),
    [(True, ("deleted",), True), (True, (), False), (True, ("active",), False), (False, ("deleted",), False)],
)
def test_search_rules_see_tombstones_only_by_name_and_right(
    allowed: bool, status: tuple[Any, ...], expected: bool
) -> None:
    """Deleted sessions are seen when they are asked for by name and the scope allows it."""
    scope = SessionSearchScope(namespace_id="local", include_deleted=allowed)

    assert expected is plan(scope, text="x", filters=SessionSearchFilter(status=status)).access.include_deleted


SAME: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "case and padding": ({"text": "OAuth  Refresh"}, {"text": " oauth refresh "}),
    "page size": ({"text": "x", "limit": 1}, {"text": "x", "limit": 50}),
    "cursor": ({"text": "x", "cursor": None}, {"text": "x", "cursor": "ssc1.AA"}),
    "default sources": (
        {"text": "x"},
        {"text": "x", "sources": ("display_message", "run_output_preview", "run_input", "session_metadata")},
    ),
    "order of lists": (
        {"text": "x", "filters": SessionSearchFilter(session_ids=("a", "b"), status=("failed", "active"))},
        {"text": "x", "filters": SessionSearchFilter(session_ids=("b", "a", "a"), status=("active", "failed"))},
    ),
    "auto and relevance": ({"text": "x", "sort": "auto"}, {"text": "x", "sort": "relevance"}),
    "undecodable path": (
        {"text": "x", "filters": SessionSearchFilter(workspace="/\udcff/")},
        {"text": "X", "filters": SessionSearchFilter(workspace="/\udcff/")},
    ),
}


@pytest.mark.parametrize("name", SAME)
def test_search_fingerprint_ignores_what_asks_the_same(name: str) -> None:
    """Two spellings of one query share their cursors."""
    one, other = SAME[name]

    assert plan(**one).fingerprint() == plan(**other).fingerprint()


DIFFERENT: list[dict[str, Any]] = [
    {"text": "y"},
    {"text": "x", "sources": ("run_input",)},
    {"text": "x", "granularity": "run"},
    {"text": "x", "sort": "updated_desc"},
    {"text": "x", "fold_subagents": True},
    {"text": "x", "filters": SessionSearchFilter(profile="p")},
    {"text": "x", "filters": SessionSearchFilter(roles=("assistant",))},
    {"text": "x", "filters": SessionSearchFilter(created=SearchTimeRange(start=1))},
    {"text": "x", "filters": SessionSearchFilter(updated=SearchTimeRange(start=1))},
]


def test_search_fingerprint_differs_for_each_part_of_a_query() -> None:
    """Everything that changes the answer changes the fingerprint."""
    prints = [plan(**fields).fingerprint() for fields in [{"text": "x"}, *DIFFERENT]]

    assert len(set(prints)) == len(prints)
