"""The product `sw`: its default configuration, its keys, and the slots it fills.

The user's file is `cli.toml` in the configuration directory (`sw config path`); it overrides the defaults key by key.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from starweaver_host.config.model import ConfigTable, ProductConfig, ProductDefinition, Slot

DEFAULTS = """\
plugins = ["sqlite-store", "transcripts", "local-search"]

[store]
provider = "sqlite"

[search]
provider = "local"

[sources]
refresh = "auto"
piped_seconds = 5.0
tool_result_max_bytes = 65536

[output]
color = "auto"
"""
DEFAULTS_TABLE = {
    "plugins": ["sqlite-store", "transcripts", "local-search"],
    "store": {"provider": "sqlite"},
    "search": {"provider": "local"},
    "sources": {"refresh": "auto", "piped_seconds": 5.0, "tool_result_max_bytes": 65536},
    "output": {"color": "auto"},
}
"""What DEFAULTS says, for starts without a file of the user's: the TOML parser costs a third of a bare interpreter."""


class StoreTable(ConfigTable, frozen=True, kw_only=True):
    """`[store]`: `provider` names the SessionStore; its own keys stand beside it."""

    provider: str = "sqlite"


class SearchTable(ConfigTable, frozen=True, kw_only=True):
    """`[search]`: `provider` names the search provider; its own keys stand beside it."""

    provider: str = "local"


class SourcesTable(ConfigTable, frozen=True, kw_only=True):
    """`[sources]`: reading transcripts before a search. One sub-table per source (`enabled`, `roots`).

    `refresh` is `auto` (read what is new before a search) or `never`. `piped_seconds` bounds that reading when the
    output is not a terminal; what it did not reach makes the page partial. `tool_result_max_bytes` is how much of a
    tool's answer is kept; its size is always recorded, and what was read before keeps the bound it was read with.
    """

    refresh: Literal["auto", "never"] = "auto"
    piped_seconds: float = 5.0
    tool_result_max_bytes: Annotated[int, msgspec.Meta(ge=0)] = 65536


class OutputTable(ConfigTable, frozen=True, kw_only=True):
    """`[output]`: `color` is `auto` (on a terminal, unless NO_COLOR is set), `always` or `never`."""

    color: Literal["auto", "always", "never"] = "auto"


class CliConfig(ProductConfig, frozen=True, kw_only=True):
    """`cli.toml`."""

    store: StoreTable = StoreTable()
    search: SearchTable = SearchTable()
    sources: SourcesTable = SourcesTable()
    output: OutputTable = OutputTable()


PRODUCT = ProductDefinition(
    name="sw",
    file_name="cli.toml",
    defaults=DEFAULTS,
    defaults_table=DEFAULTS_TABLE,
    config=CliConfig,
    slots=(
        Slot(name="store", kind="session_store", table=("store",)),
        Slot(name="search", kind="search_provider", table=("search",)),
        Slot(name="sources", kind="transcript_source", table=("sources",), many=True, required=False),
    ),
)


__all__ = [
    "DEFAULTS",
    "DEFAULTS_TABLE",
    "PRODUCT",
    "CliConfig",
    "OutputTable",
    "SearchTable",
    "SourcesTable",
    "StoreTable",
]
