"""`sw session search`: refresh from the transcripts, ask the search provider, print one page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import click

from starweaver_cli.options import TIME, output_option, workspace_filter

if TYPE_CHECKING:
    from starweaver_cli.opened import Opened
    from starweaver_host.contract.corpus import SearchSource
    from starweaver_host.contract.search import SessionSearchHit, SessionSearchQuery

DEFAULT_LIMIT = 20
_SOURCES = ("session_metadata", "run_input", "run_output_preview", "display_message", "display")
_STATUSES = ("active", "archived", "failed", "deleted")
_RUN_STATUSES = ("queued", "starting", "running", "waiting", "completed", "failed", "cancelled")


@click.command("search")
@click.argument("text", required=False)
@click.option("--workspace", help="Id or label of a workspace, or a directory; `.` is here, a final / is all below.")
@click.option("--status", multiple=True, type=click.Choice(_STATUSES), help="Session status; may be repeated.")
@click.option("--run-status", multiple=True, type=click.Choice(_RUN_STATUSES), help="Run status; may be repeated.")
@click.option("--source", "sources", multiple=True, type=click.Choice(_SOURCES), help="Where to look; repeatable.")
@click.option(
    "--granularity", type=click.Choice(["session", "run", "occurrence"]), default="session", show_default=True
)
@click.option(
    "--mode", type=click.Choice(["literal", "terms", "phrase", "prefix"]), default="literal", show_default=True
)
@click.option("--profile", help="Exact profile of the session.")
@click.option("--agent", "agents", multiple=True, help="Tool that wrote the transcript (claude-code, codex, ...).")
@click.option("--role", "roles", multiple=True, type=click.Choice(["user", "assistant"]), help="Who said it.")
@click.option("--session", "session_ids", multiple=True, help="Only in this session; may be repeated.")
@click.option("--since", type=TIME, help="Sessions with activity at or after: ISO 8601, 7d, yesterday.")
@click.option("--until", type=TIME, help="Sessions begun before: ISO 8601, 7d, yesterday.")
@click.option("--sort", type=click.Choice(["auto", "relevance", "updated_desc"]), default="auto", show_default=True)
@click.option("--limit", type=click.IntRange(1, 100), help="Most hits, 1 to 100; 20 unless the provider allows fewer.")
@click.option("--after", help="Cursor of the page before.")
@click.option("--include-subagents", is_flag=True, help="Show subagent sessions as hits of their own.")
@click.option("--context", type=click.IntRange(0, 20), default=0, help="Messages to print around each hit.")
@click.option("--refresh/--no-refresh", default=None, help="Read new transcripts first (default), or not.")
@output_option()
def command(**flags: Any) -> None:
    """Find sessions by what was said in them.

    TEXT is a literal: letters in any case, any script, no regular expression. Without it, sessions are listed newest
    first. A TEXT that begins with - goes after --.
    """
    from starweaver_cli.failures import expected_errors
    from starweaver_cli.opened import run_opened

    with expected_errors(as_json=flags["output"] != "text"):
        run_opened(lambda opened: _search(opened, flags), bundled_examples=True)


async def _search(opened: Opened, flags: dict[str, Any]) -> None:
    from starweaver_cli.refresh import refresh_for_reading, with_refresh_coverage

    _warn_of_unknown(flags["agents"], opened)
    refreshed = await refresh_for_reading(opened, flags["refresh"], first_page=flags["after"] is None)
    page = await opened.search.search(opened.search_scope(), await _query(opened, flags))
    page = with_refresh_coverage(page, refreshed)
    if flags["output"] == "text":
        await _write_text(opened, page, flags)
    elif flags["output"] == "json":
        from starweaver_cli.render.wire import write_json

        write_json(page)
    else:
        from starweaver_cli.render.wire import write_json_lines

        trailer = {"type": "session_search_page", "nextCursor": page.next_cursor, "coverage": page.coverage}
        write_json_lines(page.hits, trailer)


def _warn_of_unknown(agents: tuple[str, ...], opened: Opened) -> None:
    """A misspelt agent finds nothing, and should not look as if there were nothing."""
    from starweaver_cli.render.stream import note

    for agent in agents:
        if agent not in opened.sources:
            note(f"no source is named {agent!r} (enabled: {', '.join(sorted(opened.sources))})")


async def _query(opened: Opened, flags: dict[str, Any]) -> SessionSearchQuery:
    import os

    from starweaver_host.contract.search import SearchTimeRange, SessionSearchFilter, SessionSearchQuery

    names = ("display_message" if name == "display" else name for name in flags["sources"])
    sources = cast("tuple[SearchSource, ...]", tuple(dict.fromkeys(names)))
    ids = await _session_ids(opened, flags["session_ids"]) if flags["session_ids"] else ()
    return SessionSearchQuery(
        text=flags["text"],
        mode=flags["mode"],
        filters=SessionSearchFilter(
            status=flags["status"],
            run_status=flags["run_status"],
            profile=flags["profile"],
            workspace=workspace_filter(flags["workspace"], here=os.getcwd()),  # noqa: PTH109 - pathlib costs a start
            session_ids=ids,
            agents=flags["agents"],
            roles=flags["roles"],
            updated=SearchTimeRange(start=flags["since"]) if flags["since"] is not None else None,
            created=SearchTimeRange(until=flags["until"]) if flags["until"] is not None else None,
        ),
        sources=sources,
        granularity=flags["granularity"],
        sort=flags["sort"],
        limit=flags["limit"] or min(DEFAULT_LIMIT, opened.search.capabilities().max_page_size),
        cursor=flags["after"],
        fold_subagents=not flags["include_subagents"],
    )


async def _session_ids(opened: Opened, texts: tuple[str, ...]) -> tuple[str, ...]:
    from starweaver_cli.sessions import resolve_session

    return tuple([await resolve_session(opened, text) for text in texts])


async def _write_text(opened: Opened, page: Any, flags: dict[str, Any]) -> None:
    from starweaver_cli.neighbours import neighbours
    from starweaver_cli.render.search import Context, write_page

    around: dict[str, Context] = {}
    if flags["context"]:
        for hit in page.hits:
            around[hit.location.document_id] = await neighbours(opened, hit, flags["context"])

    def context(hit: SessionSearchHit) -> Context:
        return around.get(hit.location.document_id, ([], []))

    write_page(page, resume=opened.resume_command, context=context)


__all__ = ["command"]
