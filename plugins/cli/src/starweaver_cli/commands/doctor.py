"""`sw doctor`: is the archive whole, private and up to date, and what deletes transcripts meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from starweaver_cli.options import output_option

if TYPE_CHECKING:
    from starweaver_cli.opened import Opened


@click.command("doctor")
@output_option("text", "json")
def command(output: str) -> None:
    """Check integrity, versions, permissions, sources and retention. Exits 1 when a finding is a problem."""
    from starweaver_cli.failures import expected_errors
    from starweaver_cli.opened import run_opened

    with expected_errors(as_json=output != "text"):
        healthy = run_opened(lambda opened: _examine(opened, output), needs_search=False)
    if not healthy:
        raise click.exceptions.Exit(1)


async def _examine(opened: Opened, output: str) -> bool:
    from starweaver_cli.checks import examine
    from starweaver_cli.render.findings import write_findings

    findings = await examine(opened)
    write_findings(findings, output=output)
    return not any(finding.level == "problem" for finding in findings)


__all__ = ["command"]
