"""Reading a product's configuration: layers, types, origins, and one report of everything that is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from starweaver_host.config.load import load_config, read_config
from starweaver_host.config.places import Places
from starweaver_host.contract.errors import StartupError


class LmdbConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    path: Path | None = None
    map_size: int = 1


def messages(reading: Any) -> list[str]:
    """Messages of all problems, files by name only."""
    folder = f"{reading.places.config.path}/"
    return [problem.message.replace(folder, "") for problem in reading.report]


def test_config_without_a_user_file_is_the_defaults(desk: Any, places: Places) -> None:
    """A product starts on a machine that has never seen it."""
    configuration = load_config(desk, environ={}, places=places)

    assert configuration.file is None
    assert configuration.value.plugins == ("sqlite-store", "local-search")
    assert configuration.listings[1] == ("local-search", "defaults of desk:1")


def test_config_of_the_user_overrides_key_by_key(read: Any) -> None:
    """A key the user does not say keeps its default, beside one that the user says."""
    reading = read("[search]\nlimit = 5\n[desk]\nsize = 4\n")

    assert reading.problems == []
    assert reading.value.desk.size == 4
    assert reading.value.desk.folder.name == "papers"
    assert [(s.provider, s.options) for s in reading.selections[:2]] == [
        ("sqlite", {"path": "desk.sqlite3"}),
        ("local", {"limit": 5}),
    ]


def test_config_list_of_the_user_replaces_the_default_list(read: Any) -> None:
    """Lists do not merge: what the user lists is what there is."""
    reading = read('plugins = [\n  "lmdb",\n]\n')

    assert [listing.plugin for listing in reading.listings] == ["lmdb"]
    assert reading.listings[0].where.endswith("desk.toml:2")


def test_config_of_another_provider_drops_the_default_providers_keys(read: Any) -> None:
    """Keys that mean something to the default provider are not handed to the one the user chose."""
    reading = read('[store]\nprovider = "lmdb"\nmap_size = 9\n')

    assert reading.selections[0].options == {"map_size": 9}
    assert reading.options(reading.selections[0], LmdbConfig) == LmdbConfig(map_size=9)


def test_config_of_the_same_provider_keeps_the_default_providers_keys(read: Any) -> None:
    """Saying the default provider again changes nothing else."""
    assert read('[store]\nprovider = "sqlite"\n').selections[0].options == {"path": "desk.sqlite3"}


def test_config_problems_are_gathered_with_file_and_line(read: Any) -> None:
    """Every wrong key is reported at once, each with its place and a way out."""
    reading = read(
        'plugin = []\n[store]\nprovder = "x"\n[desk]\nsize = "big"\nfoldr = 1\n\n[profiles.fast]\nmodel = "m"\n'
    )
    reading.options(reading.selections[0], LmdbConfig)

    assert messages(reading) == [
        "unknown key 'plugin' (desk.toml:1)",
        "unknown key 'store.provder' (desk.toml:3)",
        "key 'desk.size' must be int, found str (desk.toml:5)",
        "unknown key 'desk.foldr' (desk.toml:6)",
        "key 'profiles.fast.model_id' is missing (desk.toml:8)",
        "unknown key 'profiles.fast.model' (desk.toml:9)",
    ]
    assert [problem.hint for problem in reading.report] == [
        "did you mean 'plugins'?",
        "did you mean 'provider'?",
        None,
        "did you mean 'folder'?",
        None,
        "did you mean 'model_id'?",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[desk]\nsize = 12\n", "key 'desk.size' must be int <= 9 (desk.toml:2)"),
        ("[desk]\nsize = 7\n", "table 'desk': size must not be 7 (desk.toml:1)"),
        ("[desk]\nfolder = 3\n", "key 'desk.folder' must be path, found int (desk.toml:2)"),
        ('[desk]\nextras = [\n"a",\n4,\n]\n', "key 'desk.extras[1]' must be path, found int (desk.toml:4)"),
        ("[desk]\nfolder = { a = 1 }\n", "key 'desk.folder' must be path, found table (desk.toml:2)"),
        ("plugins = { a = 1 }\n", "key 'plugins' must be array, found table (desk.toml:1)"),
        ("plugins = 3\n", "key 'plugins' must be array, found int (desk.toml:1)"),
        ("plugins = ['a',\n 3]\n", "key 'plugins[1]' must be str, found int (desk.toml:2)"),
        ("store = 3\n", "key 'store' must be table, found int (desk.toml:1)"),
        ("[profiles]\nfast = 3\n", "key 'profiles.fast' must be table, found int (desk.toml:2)"),
        ("[sources]\nrefersh = 'never'\n", "unknown key 'sources.refersh' (desk.toml:2)"),
        ("[sources.pi]\nroots = 'x'\n", "key 'sources.pi.roots' must be array, found str (desk.toml:2)"),
    ],
)
def test_config_value_of_the_wrong_type_says_what_was_wanted(read: Any, text: str, message: str) -> None:
    """A wrong value names its key as a person would write it, what was wanted and what was found."""
    assert message in messages(read(text))


def test_config_choice_out_of_its_list_names_the_nearest(read: Any) -> None:
    """A word that is close to an allowed one comes with it."""
    (problem,) = read("[sources]\nrefresh = 'nevr'\n").problems

    assert problem.hint == "did you mean 'never'?"


def test_config_that_is_no_toml_names_the_line(read: Any) -> None:
    """A file that cannot be parsed is one problem with its line, not a traceback."""
    reading = read("[desk]\nsize = \n")

    assert messages(reading) == ["configuration is not TOML: invalid value (desk.toml:2)"]
    assert reading.value is None


@pytest.mark.parametrize("content", [b"\xff\xfe", b'x = "\xe9"'])
def test_config_that_is_no_text_is_a_problem(desk: Any, user_path: Path, places: Places, content: bytes) -> None:
    """Bytes that are not UTF-8 are reported by name."""
    user_path.write_bytes(content)

    assert "is not UTF-8 text" in read_config(desk, environ={}, places=places).problems[0].message


def test_config_with_a_byte_order_mark_is_read(desk: Any, user_path: Path, places: Places) -> None:
    """An editor that writes a mark does no harm."""
    user_path.write_bytes(b"\xef\xbb\xbfplugins = []\n")

    assert load_config(desk, environ={}, places=places).value.plugins == ()


def test_config_named_by_the_caller_must_exist(desk: Any, tmp_path: Path, places: Places) -> None:
    """A file asked for by name that is not there is a problem; the usual one may be missing."""
    with pytest.raises(StartupError) as caught:
        load_config(desk, tmp_path / "absent.toml", environ={}, places=places)

    assert caught.value.problems[0].message.startswith("configuration cannot be read: no such file")


def test_config_paths_are_relative_to_what_says_them(desk: Any, user_path: Path, places: Places) -> None:
    """A path in the user's file is relative to that file, one in the defaults to the data directory."""
    user_path.write_text('[desk]\nextras = ["near", "/far", "~/home"]\n')

    value = load_config(desk, environ={}, places=places).value.desk

    assert value.folder == places.data.path / "papers"
    assert value.extras == (user_path.parent / "near", Path("/far"), Path.home() / "home")


def test_config_of_a_many_slot_splits_host_keys_from_provider_keys(read: Any, user_path: Path) -> None:
    """Each provider's table holds the host's keys beside its own."""
    reading = read('[sources.pi]\nroots = ["a"]\nenabled = false\ndepth = 3\n[sources."my.tool"]\n')

    pi, own = reading.selections[2:]
    assert (pi.provider, pi.options, pi.settings.enabled) == ("pi", {"depth": 3}, False)
    assert pi.settings.roots == (user_path.parent / "a",)
    assert (own.provider, own.settings.enabled) == ("my.tool", True)


def test_config_switch_turns_a_slot_off_and_keeps_its_provider(read: Any) -> None:
    """A slot that is off remembers what it would hold."""
    search = read("[search]\nenabled = false\n").selections[1]

    assert (search.provider, search.settings.enabled) == ("local", False)


def test_config_provider_without_keys_refuses_any(read: Any) -> None:
    """A provider that declares no configuration class takes no keys."""
    reading = read("")
    reading.options(reading.selections[0], None)

    assert [problem.message for problem in reading.problems] == ["unknown key 'store.path' (defaults of desk:5)"]


@pytest.mark.parametrize("text", ["plugins = []", "[desk]\ntoken = { env = 'T' }"])
def test_config_objects_are_frozen(read: Any, text: str) -> None:
    """Nobody changes a configuration after it was read."""
    reading = read(text, {"T": "x"})

    with pytest.raises(AttributeError):
        reading.value.desk.size = 1
