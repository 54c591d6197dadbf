"""What `sw doctor` looks at. Each finding names what was seen and, unless all is well, one remedy."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from starweaver_host.contract.values import Value

from .refresh import import_service
from .render.sources import CONFIGURED

if TYPE_CHECKING:
    from starweaver_host.contract.store import StoreHealth
    from starweaver_host.services.importing_report import SourceReport

    from .opened import Opened


REPAIR = "sw doctor --repair"
REIMPORT = "move the file away and run `sw session import`; transcripts that still exist are read again"


class Finding(Value, frozen=True, kw_only=True):
    """One line of a check-up. `about` is the part examined; `remedy` an action, where there is one."""

    level: Literal["ok", "warning", "problem"]
    about: str
    text: str
    remedy: str | None = None


async def examine(opened: Opened) -> list[Finding]:
    """All findings, the store's first. Reads the whole store; writes nothing."""
    health = await opened.store.check()
    report = await import_service(opened).survey()
    found = [*_of_store(health), *_of_permissions(health, opened.application.data_dir)]
    for root in report.roots:
        if root.exists:
            found.extend(_of_root(root))
        elif root.reason == CONFIGURED:
            text = f"configured root {root.root} does not exist"
            found.append(Finding(level="warning", about=f"source {root.source}", text=text, remedy="sw config show"))
    if not any(root.exists for root in report.roots):
        found.append(Finding(level="warning", about="sources", text="no transcripts found", remedy="sw sources --all"))
    return found


def _of_store(health: StoreHealth) -> Iterator[Finding]:
    facts = f"{health.engine}, schema {health.schema_version}, {health.sessions} sessions, {health.events} events"
    size = f"{health.size_bytes / 1e6:.1f} MB at {health.location}"
    if not health.problems:
        yield Finding(level="ok", about="store", text=f"{facts}, {size}, integrity ok")
    for problem in health.problems:
        remedy = REPAIR if problem.startswith("corpus") else REIMPORT
        yield Finding(level="problem", about="store", text=problem, remedy=remedy)


def _of_permissions(health: StoreHealth, data_dir: Path) -> Iterator[Finding]:
    """Files of the store are for their owner alone."""
    places = [data_dir] if health.location is None else [data_dir, Path(health.location)]
    for path in places:
        try:
            mode = stat.S_IMODE(path.stat().st_mode)
        except OSError:
            continue
        if mode & 0o077:
            wanted = "700" if path.is_dir() else "600"
            text = f"{path} is open to others (mode {mode:o})"
            yield Finding(level="problem", about="permissions", text=text, remedy=f"chmod {wanted} {path}")
        else:
            yield Finding(level="ok", about="permissions", text=f"{path} is private (mode {mode:o})")


def _of_root(root: SourceReport) -> Iterator[Finding]:
    about = f"source {root.source}"
    behind = root.found - root.unchanged - len(root.unreadable)
    if behind > 0:
        text = f"{behind} of {root.found} transcripts in {root.root} are new or changed"
        yield Finding(level="warning", about=about, text=text, remedy="sw session import")
    else:
        yield Finding(level="ok", about=about, text=f"{root.found} transcripts in {root.root} are in the store")
    if root.unreadable:
        text = f"{len(root.unreadable)} in {root.root} cannot be read: {root.unreadable[0].text}"
        yield Finding(level="warning", about=about, text=text, remedy="sw sources --output json names all of them")
    for note in root.notes[:3]:
        yield Finding(level="warning", about=about, text=f"{note.path}: {note.text}")
    if root.warning:
        yield Finding(level="warning", about=about, text=root.warning, remedy="import regularly: sw session import")


__all__ = ["Finding", "examine"]
