"""The JSON that `sw` prints, as classes, and the JSON Schema files made of them.

`python tests/documentation/wire_schemas.py` writes `docs/reference/schemas/*.json` anew. Contract values are taken
from the contract; what the command line puts around them is declared here. Not for input: `sw` reads no JSON.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

import msgspec

from starweaver_cli.checks import Finding
from starweaver_host.contract.display import DisplayMessage
from starweaver_host.contract.records import Run, Session
from starweaver_host.contract.search import SearchCoverage, SessionSearchHit, SessionSearchPage
from starweaver_host.services.importing_report import ImportReport, SourceReport

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "reference" / "schemas"


class Shape(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """Base of what the command line prints around contract values."""


class SessionSearchTrailer(Shape, frozen=True, kw_only=True):
    """The last line of `sw session search --output jsonl`."""

    type: Literal["session_search_page"]
    next_cursor: str | None
    coverage: SearchCoverage


class SessionList(Shape, frozen=True, kw_only=True):
    """`sw session list --output json`."""

    sessions: tuple[Session, ...]
    after: str | None


class SessionListTrailer(Shape, frozen=True, kw_only=True):
    """The last line of `sw session list --output jsonl`."""

    type: Literal["session_list_page"]
    after: str | None


class SessionShow(Shape, frozen=True, kw_only=True):
    """`sw session show --output json`."""

    session: Session
    runs: tuple[Run, ...]
    resume: str | None


class SessionShowTrailer(Shape, frozen=True, kw_only=True):
    """The last line of `sw session show --output jsonl`."""

    type: Literal["session_show"]
    resume: str | None


class SessionReplay(Shape, frozen=True, kw_only=True):
    """`sw session replay --output json`."""

    session_id: str
    messages: tuple[DisplayMessage, ...]


class SessionReplayTrailer(Shape, frozen=True, kw_only=True):
    """The last line of `sw session replay --output jsonl`."""

    type: Literal["session_replay_page"]
    session_id: str
    last_sequence: int | None


class SessionEdited(Shape, frozen=True, kw_only=True):
    """`sw session rename|archive|delete --output json`."""

    session: Session
    outcome: Literal["renamed", "archived", "active again", "deleted", "deleted already"]


class ImportTrailer(Shape, frozen=True, kw_only=True):
    """The last line of `sw sources` and `sw session import` with `--output jsonl`."""

    type: Literal["import_report"]
    complete: bool


class InstalledPlugin(Shape, frozen=True, kw_only=True):
    """One plugin of `sw plugins list`."""

    plugin: str
    module: str
    distribution: str
    version: str
    location: str
    enabled: bool


class PluginsList(Shape, frozen=True, kw_only=True):
    """`sw plugins list --output json`."""

    plugins: tuple[InstalledPlugin, ...]
    missing: tuple[str, ...]


class OfferedProvider(Shape, frozen=True, kw_only=True):
    """One provider of `sw plugins check`."""

    kind: str
    name: str
    plugin: str


class Problem(Shape, frozen=True, kw_only=True):
    """One problem of a product that cannot start."""

    code: str
    message: str
    hint: str | None


class PluginsCheck(Shape, frozen=True, kw_only=True):
    """`sw plugins check --output json`, when nothing is wrong."""

    product: str
    offers: tuple[OfferedProvider, ...]
    problems: tuple[Problem, ...]


class ConfigEntry(Shape, frozen=True, kw_only=True):
    """One effective key."""

    key: str
    value: Any
    where: str


class ConfigShow(Shape, frozen=True, kw_only=True):
    """`sw config show --output json`."""

    keys: tuple[ConfigEntry, ...]


class ConfigGet(Shape, frozen=True, kw_only=True):
    """`sw config get --output json`."""

    key: str
    value: Any


class ConfigSet(Shape, frozen=True, kw_only=True, omit_defaults=True):
    """`sw config set --output json`: `value` after setting, `removed` after `--unset`."""

    file: str
    key: str
    value: Any | msgspec.UnsetType = msgspec.UNSET
    removed: bool | msgspec.UnsetType = msgspec.UNSET


class ConfigPath(Shape, frozen=True, kw_only=True):
    """`sw config path --output json`."""

    file: str
    exists: bool
    data_dir: str


class Doctor(Shape, frozen=True, kw_only=True):
    """`sw doctor --output json`."""

    healthy: bool
    findings: tuple[Finding, ...]


class ErrorBody(Shape, frozen=True, kw_only=True, omit_defaults=True):
    """What went wrong. `problems` is there when a product cannot start."""

    code: str
    message: str
    hint: str | None
    problems: tuple[Problem, ...] | msgspec.UnsetType = msgspec.UNSET


class Error(Shape, frozen=True, kw_only=True):
    """What a failed command prints to standard error with `--output json` or `jsonl`."""

    error: ErrorBody


SHAPES: dict[str, type[msgspec.Struct]] = {
    "session-search-page": SessionSearchPage,
    "session-search-hit": SessionSearchHit,
    "session-search-trailer": SessionSearchTrailer,
    "session-list": SessionList,
    "session": Session,
    "session-list-trailer": SessionListTrailer,
    "session-show": SessionShow,
    "run": Run,
    "session-show-trailer": SessionShowTrailer,
    "session-replay": SessionReplay,
    "display-message": DisplayMessage,
    "session-replay-trailer": SessionReplayTrailer,
    "session-edited": SessionEdited,
    "import-report": ImportReport,
    "source-report": SourceReport,
    "import-trailer": ImportTrailer,
    "plugins-list": PluginsList,
    "plugins-check": PluginsCheck,
    "config-show": ConfigShow,
    "config-get": ConfigGet,
    "config-set": ConfigSet,
    "config-path": ConfigPath,
    "doctor": Doctor,
    "error": Error,
}
"""Schema file (without its ending) -> what it describes."""


def schema_text(shape: type[msgspec.Struct]) -> str:
    """The JSON Schema (2020-12) of a shape, as its file holds it."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **msgspec.json.schema(shape)}
    return json.dumps(schema, indent=2, sort_keys=True) + "\n"


def main() -> None:
    """Write every schema."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, shape in SHAPES.items():
        (FOLDER / f"{name}.json").write_text(schema_text(shape), encoding="utf-8")


if __name__ == "__main__":
    main()
