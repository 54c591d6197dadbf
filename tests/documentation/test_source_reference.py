"""The page about sources names every place the importers look at and every variable that moves one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from starweaver_cli.product import PRODUCT
from starweaver_host.build import compose
from starweaver_host.config.places import places_in
from starweaver_host.contract.errors import SourceError
from starweaver_host.contract.transcripts import TOOL_RESULT_MAX_BYTES, SourceEnvironment, TranscriptSource

PAGE = "docs/reference/sources.md"
HEADINGS = {
    "claude-code": "Claude Code",
    "codex": "Codex",
    "gemini-cli": "Gemini CLI",
    "opencode": "OpenCode",
    "pi": "Pi",
}


class Asked(dict[str, str]):
    """An environment that remembers which variables were asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def get(self, key: str, default=None):  # type: ignore[no-untyped-def,override]
        self.names.add(key)
        return super().get(key, default)


@pytest.fixture
def sources(tmp_path: Path) -> dict[str, TranscriptSource]:
    """The importers of the product, by name."""
    registry = compose(PRODUCT, places=places_in(tmp_path), environ={}).registry
    assert registry is not None
    return {offer.name: offer.registration.factory(None) for offer in registry.transcript_sources}


def test_source_reference_has_a_section_for_every_source(page, sources) -> None:
    """Each source has a row in the overview and a section of its own."""
    assert set(HEADINGS) == set(sources)
    assert set(page(PAGE).rows("Which there are")) == set(sources)
    assert all(heading in page(PAGE).headings for heading in HEADINGS.values())


@pytest.mark.parametrize("name", HEADINGS)
def test_source_reference_names_every_default_place(page, sources, name: str, tmp_path: Path) -> None:
    """Each place that is looked at in an empty environment stands in the source's table."""
    env = SourceEnvironment(home=tmp_path, environ={})
    places = {"~/" + root.path.relative_to(tmp_path).as_posix() for root in sources[name].roots(env)}

    assert places <= set(page(PAGE).rows(HEADINGS[name]))


@pytest.mark.parametrize("name", HEADINGS)
def test_source_reference_names_every_variable(page, sources, name: str, tmp_path: Path) -> None:
    """Each variable that an importer asks for stands in its section."""
    asked = Asked()
    env = SourceEnvironment(home=tmp_path, environ=asked)
    for root in sources[name].roots(env):
        try:
            list(sources[name].items(env, root))
        except SourceError:
            continue
    named = set(re.findall(r"[A-Z][A-Z_]{3,}", page(PAGE).section(HEADINGS[name])))

    assert asked.names
    assert asked.names <= named


def test_source_reference_shows_how_sessions_are_resumed(page, sources) -> None:
    """The overview shows the command that each source answers with."""
    rows = page(PAGE).rows("Which there are")
    for name, source in sources.items():
        assert (source.resume_command("ID", None) or "") == rows[name][1].strip("`")


def test_source_reference_tells_the_bound_of_tool_results(page) -> None:
    """The bound that is written is the one that holds."""
    assert f"{TOOL_RESULT_MAX_BYTES} bytes" in page(PAGE).section("What is kept")
