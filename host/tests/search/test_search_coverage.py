"""Coverage never contradicts itself."""

from __future__ import annotations

from starweaver_host.services.search_coverage import CoverageLog


def test_coverage_without_incident_is_complete() -> None:
    """Everything asked for was searched: complete, in the contract's order of sources."""
    coverage = CoverageLog(("display_message", "session_metadata"), generation="g").build()

    assert (coverage.state, coverage.generation, coverage.warnings) == ("complete", "g", ())
    assert coverage.searched_sources == ("session_metadata", "display_message")


def test_coverage_with_a_warning_is_partial() -> None:
    """A warning and a complete state never stand together; the same warning is said once."""
    gathered = CoverageLog(("run_input",), generation="g")
    gathered.warn("limit_reached", "stopped")
    gathered.warn("limit_reached", "stopped")

    coverage = gathered.build()

    assert (coverage.state, len(coverage.warnings)) == ("partial", 1)


def test_coverage_lists_a_source_searched_in_part_twice() -> None:
    """A source that was stopped halfway is searched and unavailable, and the page is partial."""
    gathered = CoverageLog(("display_message",), generation="g")
    gathered.unavailable("display_message")

    coverage = gathered.build()

    assert coverage.searched_sources == coverage.unavailable_sources == ("display_message",)
    assert coverage.state == "partial"


def test_coverage_keeps_the_first_sixteen_warnings() -> None:
    """A page never drowns in warnings."""
    gathered = CoverageLog((), generation="g")
    for count in range(40):
        gathered.warn("malformed_source", f"kind {count}")

    assert [f"kind {count}" for count in range(16)] == [w.message for w in gathered.build().warnings]


def test_coverage_state_of_an_index_can_be_set() -> None:
    """A provider with an index says its own state and how far the index reaches."""
    coverage = CoverageLog((), generation="g").build(state="eventually_consistent", indexed_through="9")

    assert (coverage.state, coverage.indexed_through) == ("eventually_consistent", "9")
