"""Links between pages lead somewhere."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote


def test_relative_links_resolve_to_files_and_anchors(all_pages, page) -> None:
    """Every relative link names a file of the project, and every fragment a heading of the page it leads to."""
    broken = []
    for source in all_pages:
        for link in source.links:
            if "://" in link or link.startswith("mailto:"):
                continue
            name, _, anchor = unquote(link).partition("#")
            target = (source.path.parent / name).resolve() if name else source.path
            if not target.exists():
                broken.append(f"{source.path.name}: {link}")
            elif anchor and anchor not in page(target).anchors:
                broken.append(f"{source.path.name}: {link} (no such heading)")

    assert broken == []


def test_every_page_is_reachable_from_the_index(all_pages, page) -> None:
    """Whoever follows links from the index of the documentation reaches every page."""
    found: set[Path] = set()
    queue = [page("docs/README.md").path]
    while queue:
        path = queue.pop()
        if path in found or path.suffix != ".md":
            continue
        found.add(path)
        targets = (link.partition("#")[0] for link in page(path).links if "://" not in link)
        queue.extend((path.parent / name).resolve() for name in targets if name)

    assert {each.path for each in all_pages} <= found
