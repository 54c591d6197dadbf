"""A small product with every kind of key, and its directories below a temporary folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Literal

import msgspec
import pytest

from starweaver_host.config.load import Reading, read_config
from starweaver_host.config.model import ConfigTable, ProductConfig, ProductDefinition, Slot
from starweaver_host.config.places import Places, places_in
from starweaver_host.contract.registration import Secret

DEFAULTS = """\
plugins = ["sqlite-store", "local-search"]

[store]
provider = "sqlite"
path = "desk.sqlite3"

[search]
provider = "local"
limit = 20

[desk]
folder = "papers"
"""


class StoreTable(ConfigTable, frozen=True, kw_only=True):
    provider: str


class SearchTable(ConfigTable, frozen=True, kw_only=True):
    enabled: bool = True
    provider: str = ""


class SourcesTable(ConfigTable, frozen=True, kw_only=True):
    refresh: Literal["auto", "never"] = "auto"


class Profile(ConfigTable, frozen=True, kw_only=True):
    model_id: str
    toolsets: tuple[str, ...] = ()


class DeskTable(ConfigTable, frozen=True, kw_only=True):
    folder: Path | None = None
    size: Annotated[int, msgspec.Meta(ge=1, le=9)] = 3
    token: Secret | None = None
    headers: dict[str, Secret] = msgspec.field(default_factory=dict)
    extras: tuple[Path, ...] = ()

    def __post_init__(self) -> None:
        if self.size == 7:
            raise ValueError("size must not be 7")


class DeskConfig(ProductConfig, frozen=True, kw_only=True):
    store: StoreTable
    search: SearchTable = SearchTable()
    sources: SourcesTable = SourcesTable()
    desk: DeskTable = DeskTable()
    profiles: dict[str, Profile] = msgspec.field(default_factory=dict)


DESK = ProductDefinition(
    name="desk",
    file_name="desk.toml",
    defaults=DEFAULTS,
    config=DeskConfig,
    slots=(
        Slot(name="store", kind="session_store", table=("store",)),
        Slot(name="search", kind="search_provider", table=("search",), switch="enabled", required=False),
        Slot(name="sources", kind="transcript_source", table=("sources",), many=True, required=False),
    ),
)

Read = Callable[..., Reading[DeskConfig]]


@pytest.fixture
def desk() -> ProductDefinition[DeskConfig]:
    return DESK


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return places_in(tmp_path)


@pytest.fixture
def user_path(places: Places) -> Path:
    places.config.path.mkdir(parents=True)
    return places.config.path / "desk.toml"


@pytest.fixture
def read(user_path: Path, places: Places) -> Read:
    def read_user_text(text: str, environ: Mapping[str, str] | None = None) -> Reading[DeskConfig]:
        user_path.write_text(text, encoding="utf-8")
        return read_config(DESK, environ=environ or {}, places=places)

    return read_user_text
