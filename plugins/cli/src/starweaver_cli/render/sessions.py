"""Sessions and runs as text or JSON."""

from __future__ import annotations

from collections.abc import Sequence

from starweaver_cli.times import show_time
from starweaver_host.contract.records import Run, Session

from .stream import clean_line, note, style, write_line
from .wire import write_json, write_json_lines


def write_sessions(sessions: Sequence[Session], after: str | None, *, output: str) -> None:
    """Write a list of sessions and the token of the next page."""
    if output == "json":
        write_json({"sessions": sessions, "after": after})
    elif output == "jsonl":
        write_json_lines(sessions, {"type": "session_list_page", "after": after})
    else:
        for session in sessions:
            _write_row(session)
        if not sessions:
            note("no sessions")
        if after:
            write_line(style("next: ", dim=True) + f"--after {after}")


def _write_row(session: Session) -> None:
    title = clean_line(session.title or "untitled")
    status = "" if session.status == "active" else f" [{session.status}]"
    write_line(style(title, bold=True) + status)
    counts = f"{session.counts.messages} messages, {session.counts.tool_calls} tool calls"
    where = session.header.cwd or (session.header.workspace.id if session.header.workspace else "")
    facts = [session.key.session_id, show_time(session.updated_at), where, counts]
    write_line("  " + style(clean_line(" · ".join(fact for fact in facts if fact)), dim=True))


def write_session(session: Session, runs: Sequence[Run], resume: str | None, *, output: str) -> None:
    """Write one session and its runs."""
    if output == "json":
        write_json({"session": session, "runs": runs, "resume": resume})
    elif output == "jsonl":
        write_json_lines([session, *runs], {"type": "session_show", "resume": resume})
    else:
        _write_row(session)
        _write_facts(session, resume)
        for run in runs:
            _write_run(run)


def _write_facts(session: Session, resume: str | None) -> None:
    header = session.header
    facts = {
        "created": show_time(header.created_at),
        "imported": show_time(session.imported_at) if session.imported_at else None,
        "profile": session.profile,
        "parent": header.parent_session_id,
        "written by": header.external.source if header.external else None,
        "revision": f"{session.revision} (activity {session.activity_revision})",
        "resume": resume,
    }
    for name, value in facts.items():
        if value:
            write_line(f"  {name}: {clean_line(value)}")


def _write_run(run: Run) -> None:
    write_line(f"  #{run.sequence_no} {clean_line(run.run_id)} {run.status} {show_time(run.created_at)}")
    texts = [part.text for part in run.input if hasattr(part, "text")]
    for label, text in (("> ", " ".join(texts)), ("< ", run.output_preview or "")):
        line = " ".join(clean_line(text).split())
        if line:
            write_line(f"     {label}{line[:160]}")
    if run.terminal_error:
        write_line(f"     ! {clean_line(run.terminal_error.code)}: {clean_line(run.terminal_error.message)}")


__all__ = ["write_session", "write_sessions"]
