"""Discovery reads what installers write, and agrees with the standard library about it."""

from __future__ import annotations

import importlib.metadata
import shutil
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starweaver_host import discovery, hooks
from starweaver_host.discovery import discover, normalise
from starweaver_host.testing import install_distribution


def standard(path: list[str] | None = None, group: str = hooks.ENTRY_POINT_GROUP) -> set[tuple[str, str, str, str]]:
    """The same listing by importlib.metadata."""
    found = importlib.metadata.distributions() if path is None else importlib.metadata.distributions(path=path)
    seen: dict[str, importlib.metadata.Distribution] = {}
    for distribution in found:
        seen.setdefault(normalise(distribution.name), distribution)
    return {
        (point.name, point.value, distribution.name, distribution.version)
        for distribution in seen.values()
        for point in distribution.entry_points
        if point.group == group
    }


def ours(path: list[str] | None = None, group: str = hooks.ENTRY_POINT_GROUP) -> set[tuple[str, str, str, str]]:
    """Our listing, without locations."""
    return {candidate[:4] for candidate in discover(path, group=group).candidates}


@pytest.mark.parametrize("group", [hooks.ENTRY_POINT_GROUP, "console_scripts", "pytest11"])
def test_discovery_of_this_environment_agrees_with_the_standard_library(group: str) -> None:
    """What is installed here is listed as importlib.metadata lists it, in groups of many distributions too."""
    assert standard(group=group) == ours(group=group)
    assert group != "pytest11" or standard(group=group)


def test_discovery_group_is_the_group_of_the_hooks() -> None:
    """Two modules spell the group so that listing costs no contract; they spell it alike."""
    assert hooks.ENTRY_POINT_GROUP == discovery.ENTRY_POINT_GROUP


def test_discovery_of_an_installed_distribution_gives_name_version_and_place(tmp_path: Path) -> None:
    """A candidate says plugin, module, distribution, version, and where that was read."""
    info = install_distribution(tmp_path, "starweaver-desk", version="2.5", plugins={"desk": "starweaver_desk.plugin"})

    (candidate,) = discover([str(tmp_path)]).candidates

    assert ("desk", "starweaver_desk.plugin", "starweaver-desk", "2.5", str(info)) == candidate
    assert candidate.source == "starweaver-desk 2.5"


def test_discovery_imports_no_plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A plugin that raises on import is listed like any other."""
    monkeypatch.syspath_prepend(str(tmp_path))
    install_distribution(tmp_path, "bomb", plugins={"bomb": "bomb_plugin"}, modules={"bomb_plugin": "raise SystemExit"})

    assert "bomb" in discover().names


def test_discovery_of_malformed_metadata_reports_it_and_lists_the_rest(tmp_path: Path) -> None:
    """One distribution's broken metadata is a report about that one."""
    install_distribution(tmp_path, "good", plugins={"good": "good_plugin"})
    broken = install_distribution(tmp_path, "broken", plugins={"broken": "broken_plugin"})
    (broken / "entry_points.txt").write_text("[starweaver.plugins]\nno equals sign\n")

    found = discover([str(tmp_path)])

    assert found.names == ("good",)
    assert [(item.distribution, item.location) for item in found.unreadable] == [("broken", str(broken))]
    assert "line 2" in found.unreadable[0].reason


def test_discovery_of_undecodable_metadata_reports_it(tmp_path: Path) -> None:
    """Bytes that are not UTF-8 in a file of ours are a report, not a traceback."""
    info = install_distribution(tmp_path, "latin", plugins={"latin": "latin_plugin"})
    (info / "entry_points.txt").write_bytes(b"[starweaver.plugins]\n\xff = x\n")

    assert [item.distribution for item in discover([str(tmp_path)]).unreadable] == ["latin"]


def test_discovery_ignores_the_metadata_of_distributions_without_our_group(tmp_path: Path) -> None:
    """Only distributions that name our group are read further, however broken others are."""
    info = install_distribution(tmp_path, "other", plugins={"x": "y"})
    (info / "entry_points.txt").write_bytes(b"[console_scripts]\nbroken line \xff\n")
    (info / "METADATA").unlink()
    (info / "METADATA").mkdir()

    assert discover([str(tmp_path)]) == ((), ())


def test_discovery_without_metadata_names_the_distribution_after_its_folder(tmp_path: Path) -> None:
    """A half-removed distribution can still be named in a report."""
    info = install_distribution(tmp_path, "half-gone", plugins={"half": "half_plugin"})
    (info / "METADATA").unlink()

    (candidate,) = discover([str(tmp_path)]).candidates

    assert candidate.source == "half-gone unknown"


def test_discovery_lists_two_distributions_with_one_plugin_name_as_doubled(tmp_path: Path) -> None:
    """Neither of two distributions that offer a name is dropped."""
    install_distribution(tmp_path, "first", plugins={"same": "first_plugin"})
    install_distribution(tmp_path, "second", plugins={"same": "second_plugin"})

    found = discover([str(tmp_path)])

    assert found.doubled == ("same",)
    assert [candidate.distribution for candidate in found.named("same")] == ["first", "second"]


def test_discovery_counts_an_editable_install_seen_twice_once(tmp_path: Path) -> None:
    """Metadata in site-packages and again in a source folder on the path is one distribution."""
    site, source = tmp_path / "site", tmp_path / "src"
    info = install_distribution(site, "twice", plugins={"twice": "twice_plugin"})
    shutil.copytree(info, source / "twice.egg-info")
    (source / "twice.egg-info" / "METADATA").rename(source / "twice.egg-info" / "PKG-INFO")

    found = discover([str(site), str(source)])

    assert [candidate.location for candidate in found.candidates] == [str(info)]
    assert found.doubled == ()


def test_discovery_counts_a_leftover_version_with_the_same_module_once(tmp_path: Path) -> None:
    """A folder that an interrupted upgrade left behind is not a second offer of the plugin."""
    install_distribution(tmp_path, "kept", version="1.0", plugins={"kept": "kept_plugin"})
    install_distribution(tmp_path, "kept", version="1.1", plugins={"kept": "kept_plugin"})

    assert len(discover([str(tmp_path)]).candidates) == 1


def test_discovery_prefers_the_path_entry_that_comes_first(tmp_path: Path) -> None:
    """A distribution shadowed by an earlier entry is invisible, as it is to an import."""
    near, far = tmp_path / "near", tmp_path / "far"
    install_distribution(near, "shadow", version="2.0", plugins={"shadow": "new_plugin"})
    install_distribution(far, "shadow", version="1.0", plugins={"shadow": "old_plugin"})

    path = [str(near), str(far)]

    assert {("shadow", "new_plugin", "shadow", "2.0")} == ours(path) == standard(path)


def test_discovery_reads_egg_info_folders(tmp_path: Path) -> None:
    """Older installers' metadata counts."""
    info = tmp_path / "old.egg-info"
    info.mkdir()
    (info / "PKG-INFO").write_text("Metadata-Version: 1.0\nName: old\nVersion: 0.9\n")
    (info / "entry_points.txt").write_text("[starweaver.plugins]\nold = old_plugin\n")

    assert {("old", "old_plugin", "old", "0.9")} == ours([str(tmp_path)]) == standard([str(tmp_path)])


def test_discovery_reads_zip_archives(tmp_path: Path) -> None:
    """A path entry that is no folder goes through the standard library."""
    info = install_distribution(tmp_path / "tree", "zipped", plugins={"zipped": "zipped_plugin"})
    archive = tmp_path / "bundle.zip"
    with zipfile.ZipFile(archive, "w") as bundle:
        for file in info.iterdir():
            bundle.write(file, f"{info.name}/{file.name}")

    assert {("zipped", "zipped_plugin", "zipped", "1.0")} == ours([str(archive)])


def test_discovery_survives_path_entries_that_are_not_there_or_not_archives(tmp_path: Path) -> None:
    """The path of a real interpreter holds names of nothing."""
    junk = tmp_path / "junk.zip"
    junk.write_bytes(b"not a zip")

    assert discover([str(tmp_path / "absent"), str(junk), ""]).names == ()


def test_discovery_reads_comments_blank_lines_and_other_groups(tmp_path: Path) -> None:
    """The file's grammar is the standard one."""
    info = install_distribution(tmp_path, "many", plugins={})
    (info / "entry_points.txt").write_text(
        "# comment\n[console_scripts]\nx = y:z\n\n[starweaver.plugins]\n  a  =  mod.a \n\n# end\n[gui]\nb = c\n"
    )

    assert {("a", "mod.a", "many", "1.0")} == ours([str(tmp_path)])


@given(st.text(alphabet="aB9-_.", min_size=1))
def test_discovery_normalises_names_as_the_standard_library_does(name: str) -> None:
    """Runs of separators are one, case does not count."""
    prepared: Any = vars(importlib.metadata)["Prepared"]

    assert prepared.normalize(name).replace("_", "-") == normalise(name)


NAMES = st.text(alphabet="aZ9_-. ", min_size=1, max_size=6).map(str.strip).filter(bool)
LINES = st.one_of(
    st.tuples(NAMES, st.sampled_from(["mod", "mod.plugin", "a_b.c"])).map(" = ".join),
    st.sampled_from(["", "   ", "# comment", "[starweaver.plugins]", "[console_scripts]", "[ starweaver.plugins ]"]),
)


@given(st.lists(LINES, max_size=12))
def test_discovery_reads_any_entry_points_file_as_the_standard_library_does(lines: list[str]) -> None:
    """Sections, comments, blank lines and repeated headers mean what they mean to importlib.metadata."""
    with tempfile.TemporaryDirectory() as folder:
        info = install_distribution(Path(folder), "any", plugins={})
        (info / "entry_points.txt").write_text("[starweaver.plugins]\n" + "\n".join(lines))

        assert standard([folder]) == ours([folder])
