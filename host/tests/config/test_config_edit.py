"""Editing keeps what a person wrote, refuses what the product would refuse, and never leaves half a file."""

from __future__ import annotations

import os
import stat
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from starweaver_host.config.edit import parse_key, set_value, unset_value
from starweaver_host.config.keys import KeySpace
from starweaver_host.config.places import Places
from starweaver_host.contract.errors import ConfigError

TEXT = """\
# my desk
plugins = ["sqlite-store"]  # only this

[desk]
# as big as it gets
size = 4   # was 3
"""


class LocalConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    limit: int = 20
    note: str = ""


@pytest.fixture
def keys(desk: Any) -> KeySpace:
    return KeySpace(desk, {("search",): LocalConfig, ("sources", "pi"): None, ("sources", "claude"): None})


@pytest.fixture
def change(user_path: Path, keys: KeySpace, places: Places) -> Callable[[str, str], object]:
    return lambda key, text: set_value(user_path, key, text, keys, environ={}, places=places)


def test_edit_keeps_comments_order_and_layout(change: Any, user_path: Path) -> None:
    """Only the value changes; every comment and space around it stays."""
    user_path.write_text(TEXT)

    change("desk.size", "5")

    assert user_path.read_text() == TEXT.replace("size = 4 ", "size = 5 ")


def test_edit_of_a_new_file_creates_it_private(change: Any, user_path: Path) -> None:
    """The first setting makes the file, readable by its owner alone."""
    user_path.parent.rmdir()

    change("search.provider", "local")

    assert user_path.read_text() == '[search]\nprovider = "local"\n'
    assert stat.S_IMODE(user_path.stat().st_mode) == 0o600
    assert stat.S_IMODE(user_path.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("search.limit", "7", 7),
        ("search.enabled", "false", False),
        ("search.note", "two words", "two words"),
        ("search.note", '"two words"', "two words"),
        ("search.note", "12", "12"),
        ("search.note", 'say "x"\nand more', 'say "x"\nand more'),
        ("sources.refresh", "never", "never"),
        ("desk.folder", "/some/where", "/some/where"),
        ("desk.extras", '["a", "b"]', ["a", "b"]),
        ("sources.pi.enabled", "false", False),
        ("profiles.fast.model_id", "m-1", "m-1"),
        ('profiles."a.b".model_id', "m-1", "m-1"),
    ],
)
def test_edit_reads_a_value_as_its_key_wants_it(
    change: Any, user_path: Path, key: str, text: str, value: object
) -> None:
    """Text needs no quotes where text is wanted; everything else is TOML; what is written is what was meant."""
    assert change(key, text) == value

    found: Any = tomllib.loads(user_path.read_text())
    for part in parse_key(key):
        found = found[part]
    assert found == value


def test_edit_of_a_secret_writes_the_reference_on_one_line(user_path: Path, keys: KeySpace, places: Places) -> None:
    """A reference stays readable as one."""
    set_value(user_path, "desk.token", '{ env = "T" }', keys, environ={"T": "x"}, places=places)

    assert user_path.read_text() == '[desk]\ntoken = {env = "T"}\n'


@pytest.mark.parametrize(
    ("key", "text", "message", "hint"),
    [
        ("desk.sise", "4", "unknown key 'desk.sise'", "did you mean 'size'?"),
        ("dest.size", "4", "unknown key 'dest'", "did you mean 'desk'?"),
        ("search.limt", "4", "unknown key 'search.limt'", "did you mean 'limit'?"),
        ("store.path", "x", "unknown key 'store.path'", None),
        ("sources.cluade.enabled", "true", "unknown key 'sources.cluade'", "did you mean 'claude'?"),
        ("desk", "4", "'desk' is a table, not a key", "set one of its keys"),
        ("desk.size.more", "4", "unknown key 'desk.size.more'", None),
        ("desk.size", "big", "value of 'desk.size' must be a TOML value, found 'big'", None),
        ("desk.size", "12", "key 'desk.size' must be int <= 9", None),
        ("desk.size", '"4"', "key 'desk.size' must be int, found str", None),
        ("search.limit", "1.5", "key 'search.limit' must be int, found float", None),
        ("sources.refresh", "nevr", "key 'sources.refresh' is not valid", "did you mean 'never'?"),
        ("desk.token", '"hunter2"', "key 'desk.token' must be a reference to a secret", None),
        ("desk..size", "4", "key must be words joined by dots", None),
        ("", "4", "key must be words joined by dots", None),
    ],
)
def test_edit_that_the_product_would_refuse_writes_nothing(
    change: Any, user_path: Path, key: str, text: str, message: str, hint: str | None
) -> None:
    """Unknown keys and wrong values are refused with a way out before anything is written."""
    user_path.write_text(TEXT)

    with pytest.raises(ConfigError) as caught:
        change(key, text)

    assert caught.value.message.startswith(message)
    assert hint is None or caught.value.hint == hint
    assert user_path.read_text() == TEXT


def test_edit_repairs_a_file_that_has_other_problems(change: Any, user_path: Path) -> None:
    """A file can be repaired one key at a time: only a new problem is refused."""
    user_path.write_text('[desk]\nsize = "big"\nfoldr = 1\n')

    change("desk.size", "5")

    assert user_path.read_text() == "[desk]\nsize = 5\nfoldr = 1\n"


def test_edit_of_a_file_that_is_no_toml_refuses_and_names_the_line(change: Any, user_path: Path) -> None:
    """What cannot be parsed cannot be edited."""
    user_path.write_text("[desk]\nsize = = 3\n")

    with pytest.raises(ConfigError, match=r"not TOML.*:2\)"):
        change("desk.size", "5")
    with pytest.raises(ConfigError, match="not TOML"):
        change("store.key-of-a-provider-that-could-not-be-known", "5")


def test_unset_removes_a_key_and_the_default_holds_again(user_path: Path, keys: KeySpace, places: Places) -> None:
    """Removing a key keeps everything else; removing what is not there says so."""
    user_path.write_text(TEXT)

    assert unset_value(user_path, "desk.size", keys, environ={}, places=places)
    assert user_path.read_text() == TEXT.replace("size = 4   # was 3\n", "")
    assert not unset_value(user_path, "desk.size", keys, environ={}, places=places)


def test_unset_removes_unknown_keys(user_path: Path, keys: KeySpace, places: Places) -> None:
    """A key that stops the product from starting can be removed with the same command."""
    user_path.write_text("[desk]\nfoldr = 1\nsize = 3\n")

    assert unset_value(user_path, "desk.foldr", keys, environ={}, places=places)
    assert user_path.read_text() == "[desk]\nsize = 3\n"


def test_unset_that_the_product_would_refuse_writes_nothing(user_path: Path, keys: KeySpace, places: Places) -> None:
    """A key that something else needs stays."""
    text = '[profiles.fast]\nmodel_id = "m"\n'
    user_path.write_text(text)

    with pytest.raises(ConfigError, match=r"'profiles\.fast\.model_id' is missing"):
        unset_value(user_path, "profiles.fast.model_id", keys, environ={}, places=places)
    assert user_path.read_text() == text


def test_edit_through_a_link_changes_the_file_behind_it(change: Any, user_path: Path, tmp_path: Path) -> None:
    """A link into somebody's dotfiles stays a link."""
    target = tmp_path / "dotfiles.toml"
    target.write_text(TEXT)
    user_path.symlink_to(target)

    change("desk.size", "5")

    assert user_path.is_symlink()
    assert "size = 5" in target.read_text()


def test_edit_keeps_windows_line_ends(change: Any, user_path: Path) -> None:
    """Line ends belong to the person who wrote the file."""
    user_path.write_bytes(TEXT.replace("\n", "\r\n").encode())

    change("desk.size", "5")

    assert user_path.read_bytes() == TEXT.replace("\n", "\r\n").replace("size = 4 ", "size = 5 ").encode()


def test_edit_that_fails_while_writing_leaves_the_old_file_alone(
    change: Any, user_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk costs the change, not the file, and leaves no litter."""
    user_path.write_text(TEXT)

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)

    with pytest.raises(ConfigError, match="cannot be written: no space left on device"):
        change("desk.size", "5")
    assert user_path.read_text() == TEXT
    assert os.listdir(user_path.parent) == ["desk.toml"]  # noqa: PTH208 - names are what is compared


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(note=st.text(max_size=30).filter(lambda text: "\x7f" not in text))
def test_edit_of_any_text_reads_back_as_that_text(change: Any, user_path: Path, note: str) -> None:
    """Whatever a person types for a text key is what the product reads."""
    try:
        expected = tomllib.loads(f"v = {note}")["v"] if "\n" not in note else note
    except tomllib.TOMLDecodeError:
        expected = note

    change("search.note", note)

    read = tomllib.loads(user_path.read_text(encoding="utf-8"))["search"]["note"]
    assert read == (expected if isinstance(expected, str) else note)


@pytest.mark.parametrize("text", ["a.b", '"a.b".c', "a-b_1", "  a . b "])
def test_key_is_read_as_toml_reads_it(text: str) -> None:
    """Quoting works as in a file."""
    found: Any = tomllib.loads(f"{text} = 1")
    for part in parse_key(text):
        found = found[part]

    assert found == 1
