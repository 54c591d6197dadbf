"""Reports of imports: roots with their counts, notes and warnings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .stream import clean_line, note, style, write_line
from .wire import write_json, write_json_lines

if TYPE_CHECKING:
    from starweaver_host.services.importing_report import ImportReport, SourceReport

_NOTES_SHOWN = 10
CONFIGURED = "configured"
"""The reason of a root that a person named: it is shown also when it is not there."""
_COUNTS = ("imported", "extended", "rewritten", "unchanged", "remaining")


def write_report(report: ImportReport, *, output: str, only_found: bool) -> None:
    """Write an import's report. Text leaves out roots that do not exist when `only_found`."""
    if output == "json":
        write_json(report)
        return
    if output == "jsonl":
        write_json_lines(report.roots, {"type": "import_report", "complete": report.complete})
        return
    shown = [root for root in report.roots if root.exists or root.reason == CONFIGURED or not only_found]
    for root in shown:
        _write_root(root)
    if not shown:
        note("no transcripts found on this machine (`sw sources --all` shows where they were looked for)")
    if not report.complete:
        note("not everything was read; run `sw session import`")


def _write_root(root: SourceReport) -> None:
    write_line(f"{style(root.source, bold=True)}  {clean_line(root.root)}  ({root.reason})")
    if not root.exists:
        write_line("  does not exist")
        return
    counts = [f"{getattr(root, name)} {name}" for name in _COUNTS if getattr(root, name)]
    write_line(f"  {root.found} found" + (": " + ", ".join(counts) if counts else ""))
    if root.skipped_records:
        write_line(f"  {root.skipped_records} records could not be understood and were left out")
    for label, notes in (("unreadable", root.unreadable), ("note", root.notes)):
        for each in notes[:_NOTES_SHOWN]:
            write_line(f"  {label}: {clean_line(each.path)}: {clean_line(each.text)}")
        if len(notes) > _NOTES_SHOWN:
            write_line(f"  {label}: and {len(notes) - _NOTES_SHOWN} more (--output json shows all)")
    if root.warning:
        write_line("  " + style("warning: ", fg="yellow") + clean_line(root.warning))


__all__ = ["write_report"]
