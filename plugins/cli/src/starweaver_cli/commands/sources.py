"""`sw sources`: every root, what was found there, what was read, and why not the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from starweaver_cli.options import output_option

if TYPE_CHECKING:
    from starweaver_cli.opened import Opened


@click.command("sources")
@click.option("--all", "everything", is_flag=True, help="Show roots that do not exist as well.")
@output_option()
def command(everything: bool, output: str) -> None:  # noqa: FBT001 - click calls by name
    """Show where transcripts are looked for and what was read. Reads nothing and changes nothing."""
    from starweaver_cli.failures import expected_errors
    from starweaver_cli.opened import run_opened

    with expected_errors(as_json=output != "text"):
        run_opened(lambda opened: _show(opened, output, only_found=not everything), needs_search=False)


async def _show(opened: Opened, output: str, *, only_found: bool) -> None:
    from starweaver_cli.refresh import import_service
    from starweaver_cli.render.sources import write_report

    write_report(await import_service(opened).survey(), output=output, only_found=only_found)


__all__ = ["command"]
