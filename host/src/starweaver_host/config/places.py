"""Where configuration and data live on this platform. Creates nothing.

`STARWEAVER_CONFIG_DIR` and `STARWEAVER_DATA_DIR` come first; then XDG on Linux and other Unix, `Library` on macOS,
`AppData` on Windows. Written out here because the library for it costs 20 ms to import.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

CONFIG_VARIABLE = "STARWEAVER_CONFIG_DIR"
DATA_VARIABLE = "STARWEAVER_DATA_DIR"
_FOLDER = "starweaver"


class Place(NamedTuple):
    """A directory and the rule that chose it."""

    path: Path
    reason: str


class Places(NamedTuple):
    """The two directories of an installation."""

    config: Place
    data: Place


def find_places(
    environ: Mapping[str, str] | None = None, *, home: Path | None = None, platform: str = sys.platform
) -> Places:
    """The directories for this environment. An empty or relative XDG variable counts as unset, as its rules say."""
    variables = os.environ if environ is None else environ
    base = Path.home() if home is None else home
    config, data = _platform_places(variables, base, platform)
    return Places(_overridden(variables, CONFIG_VARIABLE, config), _overridden(variables, DATA_VARIABLE, data))


def places_in(folder: Path) -> Places:
    """Directories below one folder, for a program that keeps everything in one place."""
    return Places(Place(folder / "config", "given"), Place(folder / "data", "given"))


def _overridden(environ: Mapping[str, str], variable: str, place: Place) -> Place:
    value = environ.get(variable)
    return Place(Path(value).expanduser().absolute(), variable) if value else place


def _platform_places(environ: Mapping[str, str], home: Path, platform: str) -> tuple[Place, Place]:
    if platform == "darwin":
        library = home / "Library" / "Application Support" / _FOLDER
        return Place(library, "macOS"), Place(library, "macOS")
    if platform == "win32":
        roaming = Path(environ.get("APPDATA") or home / "AppData" / "Roaming")
        local = Path(environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
        return Place(roaming / _FOLDER, "APPDATA"), Place(local / _FOLDER, "LOCALAPPDATA")
    config = _xdg(environ, "XDG_CONFIG_HOME", home / ".config")
    return config, _xdg(environ, "XDG_DATA_HOME", home / ".local" / "share")


def _xdg(environ: Mapping[str, str], variable: str, default: Path) -> Place:
    value = Path(environ.get(variable, ""))
    if value.is_absolute():
        return Place(value / _FOLDER, variable)
    return Place(default / _FOLDER, f"default of {variable}")


__all__ = ["CONFIG_VARIABLE", "DATA_VARIABLE", "Place", "Places", "find_places", "places_in"]
