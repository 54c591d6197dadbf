"""Reading new transcripts before a search, and what that means for the page.

On a terminal the reading is unbounded and shows progress; Ctrl-C keeps what was committed and goes on with it. Piped,
it is bounded by `[sources] piped_seconds`. What was not reached makes the page's coverage partial.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from starweaver_host.contract.errors import StoreError
from starweaver_host.services.importing import ImportService
from starweaver_host.services.importing_report import ImportLimits, ImportProgress, ImportReport
from starweaver_host.services.importing_survey import ConfiguredSource

from .driving import go_on, is_interrupt, raise_interrupt
from .progress import ProgressLine
from .render.stream import note

if TYPE_CHECKING:
    from pathlib import Path

    from starweaver_host.contract.search import SessionSearchPage

    from .opened import Opened

_TAKES_NOTHING = frozenset({"full", "unavailable"})
NOT_REACHED = "some transcripts have not been read yet; run `sw session import`"


def import_service(opened: Opened, names: Sequence[str] = (), extra_roots: Sequence[Path] = ()) -> ImportService:
    """An importer over the enabled sources, or over those named."""
    from starweaver_host.runtime import inline_offload

    chosen = [
        ConfiguredSource(source, opened.environment(name, *extra_roots))
        for name, source in opened.sources.items()
        if not names or name in names
    ]
    return ImportService(opened.store, chosen, clock=opened.application.clock, offload=inline_offload)


async def refresh_for_reading(opened: Opened, choice: bool | None, *, first_page: bool) -> ImportReport | None:  # noqa: FBT001 - a tri-state flag
    """Read what is new, as the flag (or else the configuration) says; None when nothing was to be read.

    Later pages of a search are not refreshed: their cursor stands on the first page's state. A store that is full or
    busy can still be read: what it holds is searched, and the report is not complete.
    """
    wanted = opened.config.sources.refresh == "auto" if choice is None else choice
    if not wanted or not first_page or not opened.sources:
        return None
    bounded = not (sys.stdout.isatty() and sys.stderr.isatty())
    clock = opened.application.clock
    deadline = clock.monotonic() + opened.config.sources.piped_seconds if bounded else None
    try:
        return await run_import(import_service(opened), ImportLimits(deadline=deadline))
    except StoreError as error:
        if error.code not in _TAKES_NOTHING:
            raise
        note(f"warning: new transcripts were not read: {error.message}" + (f" ({error.hint})" if error.hint else ""))
        return ImportReport(roots=(), complete=False)


async def run_import(service: ImportService, limits: ImportLimits) -> ImportReport:
    """Import with progress on a terminal. Ctrl-C stops it, with an event loop too; what was committed stays."""
    line = ProgressLine("reading transcripts")

    def show(progress: ImportProgress) -> None:
        raise_interrupt()
        line.update(progress.items_done, progress.items_total, progress.bytes_done, progress.bytes_total)

    try:
        return await service.run(limits=limits, on_progress=show)
    except BaseException as error:
        if not is_interrupt(error):
            raise
        line.close()
        await go_on()
        note("stopped; what was read is kept")
        return await service.survey()
    finally:
        line.close()


def with_refresh_coverage(page: SessionSearchPage, report: ImportReport | None) -> SessionSearchPage:
    """The page with the reading's gaps in its coverage: a complete page of a cut import is partial."""
    if report is None or report.complete:
        return page
    import msgspec

    from starweaver_host.contract.search import CoverageWarning

    coverage = page.coverage
    warnings = (*coverage.warnings, CoverageWarning(kind="limit_reached", message=NOT_REACHED))
    state = "partial" if coverage.state == "complete" else coverage.state
    return msgspec.structs.replace(page, coverage=msgspec.structs.replace(coverage, state=state, warnings=warnings))


__all__ = ["NOT_REACHED", "import_service", "refresh_for_reading", "run_import", "with_refresh_coverage"]
