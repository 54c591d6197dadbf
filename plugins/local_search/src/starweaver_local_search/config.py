"""Configuration of local search: the keys of its table in a product's file. A zero or negative bound is refused."""

from __future__ import annotations

from typing import Annotated

import msgspec

Bound = Annotated[int, msgspec.Meta(ge=1)]


class LocalSearchConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one search may use. Passing a bound cuts the page short with a cursor that goes on; it is no error."""

    display_root: str | None = None
    """Folder of `display.compact.json` mirrors; a relative path is relative to the configuration's folder."""

    max_query_bytes: Bound = 4096
    """Longest query, in UTF-8 bytes; a longer one is refused."""

    max_page_size: Bound = 100
    """Most hits of a page; a larger limit is refused."""

    max_display_files: Bound = 1000
    """Most mirror files read for one page."""

    max_total_display_bytes: Bound = 67_108_864
    """Most bytes of mirror files read for one page."""

    max_display_hits: Bound = 10_000
    """Most matches taken from mirror files for one page."""

    scan_timeout_ms: Bound = 10_000
    """How long a page may scan before it is cut; long enough for a full miss over several gigabytes of text."""

    max_scan_bytes: Bound = 68_719_476_736
    """Most bytes of corpus text scanned for one page."""

    relevance_window: Bound = 500
    """How many of the newest matches are put in order of relevance; older ones follow newest first."""


__all__ = ["LocalSearchConfig"]
