"""A page of hits as text: identity, title, time, source, marked snippet, how to resume; then coverage and cursor."""

from __future__ import annotations

import shlex
from collections.abc import Callable

from starweaver_cli.times import show_time
from starweaver_host.contract.search import (
    SearchCoverage,
    SessionSearchHit,
    SessionSearchPage,
    SessionSummary,
    Snippet,
)

from .stream import clean_line, coloured, note, style, write_line

_SOURCE_NAMES = {
    "session_metadata": "title",
    "run_input": "input",
    "run_output_preview": "output",
    "display_message": "message",
}
Context = tuple[list[str], list[str]]
"""Lines before and after a hit."""
ResumeCommand = Callable[[SessionSummary], str | None]


def write_page(
    page: SessionSearchPage, *, resume: ResumeCommand, context: Callable[[SessionSearchHit], Context]
) -> None:
    """Write a page for a person. Hits and the cursor go to standard output, coverage warnings to standard error."""
    for hit in page.hits:
        _write_hit(hit, resume(hit.session), context(hit))
    write_coverage(page.coverage, empty=not page.hits, more=page.next_cursor is not None)
    if page.next_cursor:
        write_line(style("next: ", dim=True) + f"--after {shlex.quote(page.next_cursor)}")


def write_coverage(coverage: SearchCoverage, *, empty: bool, more: bool = False) -> None:
    """Tell what the page stands on, unless it is everything; say so when an empty page is not the whole answer.

    `more` pages follow: then an empty one is no answer at all.
    """
    if coverage.state == "complete":
        if empty and not more:
            note("no matches")
        return
    note(f"coverage: {coverage.state}" + (" (there may be matches that were not reached)" if empty else ""))
    for warning in coverage.warnings:
        note(f"warning: {warning.kind}: {warning.message}")
    if coverage.indexed_through:
        note(f"indexed through: {coverage.indexed_through}")


def mark(snippet: Snippet) -> str:
    """The snippet on one line, its matches coloured on a terminal and between « and » elsewhere."""
    pieces, at = [], 0
    for highlight in snippet.highlights:
        pieces.append(snippet.text[at : highlight.start])
        match = snippet.text[highlight.start : highlight.end]
        pieces.append(style(match, bold=True, fg="yellow") if coloured() else f"«{match}»")
        at = highlight.end
    return "".join([*pieces, snippet.text[at:]]).replace("\n", " ").strip()


def _write_hit(hit: SessionSearchHit, resume: str | None, context: Context) -> None:
    title = clean_line(hit.session.title or "untitled")
    write_line(style(title, bold=True))
    write_line("  " + style(_identity(hit), fg="cyan"))
    write_line("  " + style(_facts(hit), dim=True))
    for line in context[0]:
        write_line("  | " + line)
    if hit.snippet is not None:
        write_line("  " + mark(hit.snippet))
    for line in context[1]:
        write_line("  | " + line)
    if resume:
        write_line("  " + style("resume: ", dim=True) + clean_line(resume))
    write_line()


def _identity(hit: SessionSearchHit) -> str:
    """Composite identity; a folded subagent names its own session as well."""
    run = f" run {hit.run_id}" if hit.run_id else ""
    inside = hit.location.session_id
    via = f" (in subagent {inside})" if inside != hit.session.session_id else ""
    return clean_line(f"{hit.session.namespace_id}/{hit.session.session_id}{run}{via}")


def _facts(hit: SessionSearchHit) -> str:
    session = hit.session
    where = session.workspace or session.cwd
    facts = [show_time(session.updated_at), _SOURCE_NAMES[hit.source], session.agent, where, session.profile]
    status: list[str] = [session.status] if session.status != "active" else []
    return clean_line(" · ".join([fact for fact in facts if fact] + status))


__all__ = ["Context", "ResumeCommand", "mark", "write_coverage", "write_page"]
