"""The JSON of Session Search, to the letter: what it shows decodes, and what we send has its shape."""

from __future__ import annotations

import json

import msgspec
import pytest

from starweaver_host.contract.search import (
    CoverageWarning,
    Highlight,
    ReplayPosition,
    SearchCoverage,
    SearchLocation,
    SessionSearchHit,
    SessionSearchPage,
    SessionSearchQuery,
    SessionSummary,
    Snippet,
)

PARAMS = b"""
{
    "query": "oauth refresh",
    "filters": {
      "status": ["active"],
      "workspace": "/workspace/project"
    },
    "sources": ["session_metadata", "run_input"],
    "granularity": "session",
    "limit": 20,
    "cursor": null
}
"""


def test_wire_query_of_the_seed_decodes() -> None:
    """The request of the specification is a query, field by field."""
    query = msgspec.json.decode(PARAMS, type=SessionSearchQuery)

    assert (query.text, query.granularity, query.limit, query.cursor) == ("oauth refresh", "session", 20, None)
    assert (query.filters.status, query.filters.workspace) == (("active",), "/workspace/project")
    assert query.sources == ("session_metadata", "run_input")
    assert (query.mode, query.sort) == ("literal", "auto")


@pytest.mark.parametrize(
    "body", [b'{"query": "x", "tenant": "other"}', b'{"filters": {"namespace": "n"}}', b'{"limit": "many"}']
)
def test_wire_query_refuses_unknown_keys_and_types(body: bytes) -> None:
    """No request can name a tenant, a namespace or anything else that is not a query's."""
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(body, type=SessionSearchQuery)


def test_wire_empty_page_has_the_shape_of_the_seed() -> None:
    """An empty last page shows hits, a null cursor and its coverage with both source lists and the generation."""
    coverage = SearchCoverage(state="complete", searched_sources=("session_metadata",), generation="local-v1-00")
    page = json.loads(msgspec.json.encode(SessionSearchPage(hits=(), coverage=coverage)))

    assert page == {
        "hits": [],
        "nextCursor": None,
        "coverage": {
            "state": "complete",
            "searchedSources": ["session_metadata"],
            "unavailableSources": [],
            "generation": "local-v1-00",
            "indexedThrough": None,
            "warnings": [],
        },
    }


def test_wire_hit_names_are_camel_case_and_composite() -> None:
    """A hit carries the session and run identity, where it was found, and a snippet with code-point marks."""
    hit = SessionSearchHit(
        session=SessionSummary(namespace_id="local", session_id="s", status="active", created_at=1, updated_at=2),
        run_id="r",
        source="display_message",
        location=SearchLocation(
            session_id="s",
            run_id="r",
            source="display_message",
            document_id="doc1.ab",
            archive_scope="run:r",
            source_run_id="r",
            display_sequence=3,
            cursor=ReplayPosition(scope="run:r", sequence=3),
        ),
        snippet=Snippet(text="a needle", highlights=(Highlight(start=2, end=8),)),
        score=0.5,
        matched_at=2,
    )

    body = json.loads(msgspec.json.encode(hit))

    assert {"session", "runId", "source", "location", "snippet", "score", "matchedAt"} == set(body)
    assert body["location"] == {
        "sessionId": "s",
        "runId": "r",
        "source": "display_message",
        "documentId": "doc1.ab",
        "archiveScope": "run:r",
        "sourceAgentId": None,
        "sourceRunId": "r",
        "displaySequence": 3,
        "cursor": {"family": "display", "scope": "run:r", "sequence": 3},
        "alsoIn": [],
    }
    assert body["snippet"] == {"text": "a needle", "highlights": [{"start": 2, "end": 8}]}
    assert hit == msgspec.json.decode(msgspec.json.encode(hit), type=SessionSearchHit)


def test_wire_warning_has_kind_and_message() -> None:
    """A warning is its kind and a fixed text."""
    warning = CoverageWarning(kind="limit_reached", message="the search stopped at a limit")

    assert msgspec.to_builtins(warning) == {"kind": "limit_reached", "message": "the search stopped at a limit"}
