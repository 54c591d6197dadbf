"""Findings of a check-up as text or JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .stream import clean_line, style, write_line
from .wire import write_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starweaver_cli.checks import Finding

_COLORS = {"ok": "green", "warning": "yellow", "problem": "red"}


def write_findings(findings: Sequence[Finding], *, output: str) -> None:
    """Write all findings in order."""
    if output == "json":
        write_json({"healthy": all(each.level != "problem" for each in findings), "findings": findings})
        return
    for finding in findings:
        level = style(f"{finding.level:8}", fg=_COLORS[finding.level])
        write_line(f"{level} {finding.about}: {clean_line(finding.text)}")
        if finding.remedy:
            write_line(f"         remedy: {clean_line(finding.remedy)}")


__all__ = ["write_findings"]
