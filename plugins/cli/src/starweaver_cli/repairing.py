"""What `sw doctor --repair` does: the store builds its search text again where that is damaged or stale.

Only what can be made again from the records is written; nothing is deleted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from starweaver_host.contract.indexing import IndexMaintenance

from .checks import Finding

if TYPE_CHECKING:
    from starweaver_host.contract.store import SessionStore


async def repair_corpus(store: SessionStore) -> list[Finding]:
    """Compare the search text with the records, and build it again if it differs. Cost: one or two full reads."""
    if not isinstance(store, IndexMaintenance):
        return [Finding(level="warning", about="search text", text="this store has none that could be built again")]
    found = await store.verify()
    if found.healthy:
        return [Finding(level="ok", about="search text", text=f"{found.documents} texts are as the records have them")]
    built = await store.rebuild()
    why = f"{built.documents} texts were built again, because of: {found.detail}"
    findings = [Finding(level="ok", about="search text", text=why)]
    if not built.healthy:
        findings.append(Finding(level="problem", about="search text", text=built.detail or "it is still damaged"))
    return findings


__all__ = ["repair_corpus"]
