"""`sw doctor`: is the archive whole, private and up to date, and what deletes transcripts meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from starweaver_cli.options import output_option

if TYPE_CHECKING:
    from starweaver_cli.opened import Opened


@click.command("doctor")
@click.option("--repair", is_flag=True, help="Build the search text again where it is damaged or of another version.")
@output_option("text", "json")
def command(repair: bool, output: str) -> None:  # noqa: FBT001 - click gives a flag
    """Check integrity, versions, permissions, sources and retention. Exits 1 when a finding is a problem."""
    from starweaver_cli.failures import expected_errors
    from starweaver_cli.opened import run_opened

    with expected_errors(as_json=output != "text"):
        healthy = run_opened(lambda opened: _examine(opened, output, repair=repair), needs_search=False)
    if not healthy:
        raise click.exceptions.Exit(1)


async def _examine(opened: Opened, output: str, *, repair: bool) -> bool:
    from starweaver_cli.checks import examine
    from starweaver_cli.render.findings import write_findings

    repaired = []
    if repair:
        from starweaver_cli.repairing import repair_corpus

        repaired = await repair_corpus(opened.store)
    findings = [*repaired, *await examine(opened)]
    write_findings(findings, output=output)
    return not any(finding.level == "problem" for finding in findings)


__all__ = ["command"]
