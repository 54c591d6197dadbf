"""Which plugins are installed, read from distribution metadata. Imports no plugin and judges none.

Reads `entry_points.txt` of every `*.dist-info` and `*.egg-info` folder on the path itself: the standard library's
reader costs more to import than a whole search may take. Path entries that are not folders (zip files) still go
through it. A distribution that is found in two path entries counts where it is found first, as for an import.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

ENTRY_POINT_GROUP = "starweaver.plugins"
"""The same as in `hooks` (a test compares): importing it from there would cost a listing the whole contract."""
_INFO_SUFFIXES = (".dist-info", ".egg-info")
_METADATA_LINES = 64
"""Name and Version stand at the head of METADATA; this many lines of it are read."""


class Candidate(NamedTuple):
    """One entry point: `module` is its value as written, `location` the metadata it was read from."""

    plugin: str
    module: str
    distribution: str
    version: str
    location: str

    @property
    def source(self) -> str:
        """`distribution version`, for messages."""
        return f"{self.distribution} {self.version}"


class Listing(NamedTuple):
    """A plugin a product asks for; `where` is the file and line that name it, None when code does."""

    plugin: str
    where: str | None = None

    @property
    def named(self) -> str:
        """` (named in file:line)`, or nothing, for messages."""
        return "" if self.where is None else f" (named in {self.where})"


class Unreadable(NamedTuple):
    """Metadata that could not be read; `distribution` as its folder is named."""

    distribution: str
    location: str
    reason: str


class Discovery(NamedTuple):
    """Everything found: candidates sorted by plugin and distribution, and what could not be read."""

    candidates: tuple[Candidate, ...]
    unreadable: tuple[Unreadable, ...] = ()

    def named(self, plugin: str) -> tuple[Candidate, ...]:
        """Every candidate of one plugin name; more than one means it is installed twice."""
        return tuple(candidate for candidate in self.candidates if candidate.plugin == plugin)

    @property
    def names(self) -> tuple[str, ...]:
        """The plugin names, sorted, each once."""
        return tuple(sorted({candidate.plugin for candidate in self.candidates}))

    @property
    def doubled(self) -> tuple[str, ...]:
        """The plugin names that more than one distribution offers, sorted."""
        return tuple(name for name in self.names if len(self.named(name)) > 1)


def discover(path: Sequence[str] | None = None, *, group: str = ENTRY_POINT_GROUP) -> Discovery:
    """List the entry points of `group` on `path` (default `sys.path`). Never raises for bad metadata.

    Cost: one directory listing per path entry and one small read per distribution.
    """
    candidates: dict[tuple[str, str, str], Candidate] = {}
    unreadable: list[Unreadable] = []
    owner: dict[str, str] = {}
    for entry in dict.fromkeys(sys.path if path is None else path):
        folder = entry or os.curdir
        if not os.path.isdir(folder):  # noqa: PTH112 - pathlib would be imported for nothing else here
            found = _from_archive(folder, group) if os.path.isfile(folder) else ()  # noqa: PTH113
        else:
            found = _from_folder(folder, group, owner)
        for item in found:
            if isinstance(item, Unreadable):
                unreadable.append(item)
            else:
                candidates.setdefault((normalise(item.distribution), item.plugin, item.module), item)
    return Discovery(tuple(sorted(candidates.values())), tuple(unreadable))


def normalise(distribution: str) -> str:
    """A distribution's name as package indexes compare it."""
    return re.sub(r"[-_.]+", "-", distribution).lower()


def _from_folder(folder: str, group: str, owner: dict[str, str]) -> Iterator[Candidate | Unreadable]:
    for name in _info_folders(folder):
        distribution = normalise(name.rpartition(".")[0].partition("-")[0])
        if owner.setdefault(distribution, folder) != folder:
            continue
        location = f"{folder}{os.sep}{name}"
        try:
            yield from _from_metadata(location, distribution, group)
        except (OSError, ValueError) as error:
            yield Unreadable(distribution, location, f"{type(error).__name__}: {error}")


def _info_folders(folder: str) -> list[str]:
    try:
        return sorted(name for name in os.listdir(folder) if name.endswith(_INFO_SUFFIXES))  # noqa: PTH208
    except OSError:
        return []


def _from_metadata(location: str, distribution: str, group: str) -> Iterator[Candidate]:
    try:
        with open(f"{location}{os.sep}entry_points.txt", "rb") as file:  # noqa: PTH123
            content = file.read()
    except (FileNotFoundError, NotADirectoryError):
        return
    if group.encode() not in content:
        return
    points = list(_parse_group(content.decode("utf-8"), group))
    if points:
        name, version = _name_and_version(location)
        for plugin, module in points:
            yield Candidate(plugin, module, name or distribution, version or "unknown", location)


def _parse_group(text: str, group: str) -> Iterator[tuple[str, str]]:
    """The `name = value` lines below `[group]`. Raises ValueError for a line of another form."""
    section = None
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        if line.startswith("[") and line.endswith("]"):
            section = line[1:-1]  # not stripped: the standard library does not either
        elif section == group:
            name, equals, value = (part.strip() for part in line.partition("="))
            if not (name and equals and value):
                raise ValueError(f"entry_points.txt line {number} is not 'name = module'")
            yield name, value


def _name_and_version(location: str) -> tuple[str | None, str | None]:
    """Name and Version of METADATA (or PKG-INFO), None for what is not there."""
    fields: dict[str, str] = {}
    for file_name in ("METADATA", "PKG-INFO"):
        try:
            with open(f"{location}{os.sep}{file_name}", encoding="utf-8", errors="replace") as file:  # noqa: PTH123
                fields = _header(line for line, _ in zip(file, range(_METADATA_LINES), strict=False))
        except OSError:
            continue
        break
    return fields.get("name"), fields.get("version")


def _header(lines: Iterable[str]) -> dict[str, str]:
    fields: dict[str, str] = {}
    for line in lines:
        if not line.strip():
            break
        key, colon, value = line.partition(":")
        if colon and not line[0].isspace():
            fields.setdefault(key.lower(), value.strip())
    return fields


def _from_archive(archive: str, group: str) -> Iterator[Candidate | Unreadable]:
    import importlib.metadata

    try:
        for distribution in importlib.metadata.distributions(path=[archive]):
            for point in distribution.entry_points.select(group=group):
                yield Candidate(point.name, point.value, distribution.name, distribution.version, archive)
    except Exception as error:  # noqa: BLE001 - whatever an archive holds must not stop the listing
        yield Unreadable(archive, archive, f"{type(error).__name__}: {error}")


__all__ = ["ENTRY_POINT_GROUP", "Candidate", "Discovery", "Listing", "Unreadable", "discover", "normalise"]
