"""`sw session import`: read transcripts into the store, all of them or from one place."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from starweaver_cli.options import output_option

if TYPE_CHECKING:
    from starweaver_cli.opened import Opened


@click.command("import")
@click.option("--source", "names", multiple=True, help="Only this source (claude-code, codex, ...); may be repeated.")
@click.option(
    "--root",
    "roots",
    multiple=True,
    type=click.Path(exists=True, path_type=Path),
    help="Look here as well, needs one --source; may be repeated.",
)
@output_option()
def command(names: tuple[str, ...], roots: tuple[Path, ...], output: str) -> None:
    """Read new and changed transcripts. What is unchanged costs a look at the file."""
    from starweaver_cli.failures import expected_errors
    from starweaver_cli.opened import run_opened

    with expected_errors(as_json=output != "text"):
        run_opened(lambda opened: _import(opened, names, roots, output), needs_search=False)


async def _import(opened: Opened, names: tuple[str, ...], roots: tuple[Path, ...], output: str) -> None:
    from starweaver_cli.refresh import import_service, run_import
    from starweaver_cli.render.sources import write_report
    from starweaver_host.services.importing_report import ImportLimits

    _check(opened, names, roots)
    report = await run_import(import_service(opened, names, roots), ImportLimits())
    write_report(report, output=output, only_found=True)


def _check(opened: Opened, names: tuple[str, ...], roots: tuple[Path, ...]) -> None:
    from starweaver_host.contract.errors import UsageError

    known = sorted(opened.sources)
    for name in names:
        if name not in opened.sources:
            raise UsageError(f"no source {name!r}", hint=f"enabled sources: {', '.join(known)}")
    if roots and len(names) != 1:
        raise UsageError("--root needs exactly one --source that knows its format", hint=f"one of {', '.join(known)}")


__all__ = ["command"]
