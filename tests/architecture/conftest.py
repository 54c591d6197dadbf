"""The repository as a tree of distributions."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]


class Distribution(NamedTuple):
    """One folder with a `pyproject.toml`, and the package it holds."""

    folder: Path
    project: dict[str, Any]

    @property
    def package(self) -> str:
        """The import name."""
        return str(self.project["project"]["name"]).replace("-", "_")

    @property
    def source(self) -> Path:
        """The package's folder."""
        return self.folder / "src" / self.package


def _read(file: Path) -> Distribution:
    return Distribution(file.parent, tomllib.loads(file.read_text(encoding="utf-8")))


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository's folder."""
    return ROOT


@pytest.fixture(scope="session")
def workspace() -> dict[str, Any]:
    """The tool tables of the workspace."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def plugins() -> list[Distribution]:
    """Every plugin's distribution, products included."""
    return [_read(file) for file in sorted(ROOT.glob("plugins/*/pyproject.toml"))]


@pytest.fixture(scope="session")
def distributions(plugins: list[Distribution]) -> list[Distribution]:
    """Every distribution, the host's first."""
    return [_read(ROOT / "host" / "pyproject.toml"), *plugins]
