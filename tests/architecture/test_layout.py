"""The folders are the architecture: what stands where, how large it may be, and what every distribution has."""

from __future__ import annotations

import ast
from pathlib import Path

ROOMS = {"host", "plugins", "tests", "docs", "bench"}
OTHER_ROOMS = {"examples", ".ci"}
DOCUMENTS = {"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE"}
FILES = DOCUMENTS | {"pyproject.toml", "tox.ini", "conftest.py", ".gitignore"}
MOST_LINES = 400


def visible(folder: Path, *, folders: bool) -> set[str]:
    """Names below a folder without what tools leave behind."""
    leftovers = {"__pycache__", "build", "dist", "site", "htmlcov"}
    return {
        each.name
        for each in folder.iterdir()
        if each.is_dir() == folders and not each.name.startswith(".") and each.name not in leftovers
    }


def test_top_level_holds_the_rooms_of_the_architecture(root: Path) -> None:
    """Each room is there, and no folder or file that the architecture does not name."""
    assert ROOMS <= visible(root, folders=True) <= ROOMS | OTHER_ROOMS
    assert {name for name in FILES if not (root / name).is_file()} == set()
    assert visible(root, folders=False) <= FILES


def test_every_plugin_folder_is_a_distribution(root: Path, plugins) -> None:
    """One distribution per folder, named after it, with a flat import name."""
    assert {each.folder.name for each in plugins} == visible(root / "plugins", folders=True)
    for each in plugins:
        assert each.project["project"]["name"] == f"starweaver-{each.folder.name.replace('_', '-')}"
        assert each.source.is_dir()


def test_no_file_of_ours_is_longer_than_the_limit(root: Path) -> None:
    """A file that grows past 400 lines wants splitting."""
    files = [path for room in ("host", "plugins", "tests", "bench", "examples") for path in (root / room).rglob("*.py")]
    lengths = {str(path.relative_to(root)): path.read_bytes().count(b"\n") for path in files}

    assert {name: length for name, length in lengths.items() if length > MOST_LINES} == {}


def test_every_distribution_has_what_an_index_wants(root: Path, distributions) -> None:
    """Each is typed, has a README, and carries the licence of the repository."""
    licence = (root / "LICENSE").read_bytes()
    for each in distributions:
        assert (each.source / "py.typed").is_file(), each.folder
        assert (each.folder / "README.md").read_text(encoding="utf-8").strip(), each.folder
        assert (each.folder / "LICENSE").read_bytes() == licence, each.folder
        assert each.project["project"]["license"] == "Apache-2.0"
        assert each.project["project"]["readme"] == "README.md"


def test_all_distributions_have_one_version(distributions) -> None:
    """The repository has one version, and plugins ask for a host of its minor line."""
    versions = {each.package: _version(each.source / "__init__.py") for each in distributions}
    (version,) = set(versions.values())
    major, minor, _ = version.split(".")

    for each in distributions[1:]:
        wanted = f"starweaver-host>={major}.{minor},<{major}.{int(minor) + 1}"
        assert wanted in each.project["project"]["dependencies"], each.package


def test_every_plugin_names_its_module_in_the_group(plugins) -> None:
    """The entry point of a folder's plugin is named after it and leads to its `plugin` module."""
    for each in plugins:
        points = each.project["project"]["entry-points"]["starweaver.plugins"]

        assert points == {each.folder.name.replace("_", "-"): f"{each.package}.plugin"}
        assert (each.source / "plugin.py").is_file(), each.package


def _version(file: Path) -> str:
    """`__version__` as written, without importing the package."""
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", None) == "__version__":
            return str(ast.literal_eval(node.value))
    raise AssertionError(f"{file} says no __version__")
