"""What one search finds, and what a hit says."""

from __future__ import annotations

from typing import Any


def test_local_search_finds_text_in_each_source(store: Any, search: Any) -> None:
    """All four sources are searched by default, each hit naming its own."""
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
    assert page.coverage.state == "complete"
    assert page.next_cursor is None
