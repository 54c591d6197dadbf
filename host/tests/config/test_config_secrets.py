"""Secrets come from the environment or a file, are never written in the configuration, and are never shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from starweaver_host.config.show import HIDDEN, effective_entries, effective_value
from starweaver_host.contract.errors import ConfigError


def test_secret_from_the_environment_is_resolved_and_hidden(read: Any) -> None:
    """The value is there for the provider and nowhere in a repr."""
    value = read('[desk]\ntoken = { env = "TOKEN" }\n', {"TOKEN": "hunter2"}).value

    assert value.desk.token.value == "hunter2"
    assert "hunter2" not in repr(value)


@pytest.mark.parametrize("content", ["hunter2", "hunter2\n", "hunter2\r\n"])
def test_secret_from_a_file_leaves_out_the_line_end(read: Any, user_path: Path, content: str) -> None:
    """A relative file is relative to the configuration; the line end an editor adds is not part of the secret."""
    (user_path.parent / "token.txt").write_bytes(content.encode())

    assert read('[desk]\ntoken = { file = "token.txt" }\n').value.desk.token.value == "hunter2"


def test_secret_in_a_table_of_free_keys_is_resolved(read: Any) -> None:
    """References work wherever the type says secret."""
    value = read('[desk.headers]\nauth = { env = "A" }\n', {"A": "x"}).value

    assert value.desk.headers["auth"].value == "x"


@pytest.mark.parametrize(
    ("reference", "fault"),
    [
        ('{ env = "ABSENT" }', "names variable 'ABSENT', which is not set"),
        ('{ env = "EMPTY" }', "names an empty secret: env 'EMPTY'"),
        ('{ file = "absent.txt" }', "cannot be read: no such file or directory"),
        ('"hunter2"', "must be a reference to a secret"),
        ('{ value = "hunter2" }', "must be a reference to a secret"),
        ('{ env = "A", file = "b" }', "must be a reference to a secret"),
        ("{ env = 3 }", "must be a reference to a secret"),
        ("{}", "must be a reference to a secret"),
    ],
)
def test_secret_that_cannot_be_had_is_a_problem_without_its_value(read: Any, reference: str, fault: str) -> None:
    """A wrong reference names its key and line; a value written in plain is refused and not repeated."""
    (problem,) = read(f"[desk]\ntoken = {reference}\n", {"EMPTY": ""}).problems

    assert fault in problem.message
    assert problem.message.startswith("key 'desk.token' ")
    assert problem.line == 2
    assert "hunter2" not in problem.message


def test_effective_entries_hide_what_sounds_secret_and_keep_references(read: Any) -> None:
    """Showing a configuration shows where a secret comes from, and hides one that somebody wrote in plain."""
    reading = read('[search]\napi_key = "hunter2"\nlimit = 5\n[desk]\ntoken = { env = "T" }\n', {"T": "x"})
    shown = {entry.key: (entry.value, entry.where.rpartition("/")[2]) for entry in effective_entries(reading.layers)}

    assert shown["search.api_key"] == (HIDDEN, "desk.toml:2")
    assert shown["desk.token"] == ({"env": "T"}, "desk.toml:5")
    assert shown["search.limit"] == (5, "desk.toml:3")
    assert shown["store.provider"] == ("sqlite", "defaults of desk:4")


def test_effective_value_of_an_unset_key_names_the_nearest(read: Any) -> None:
    """Asking for a key that nothing says is answered with the nearest that something says."""
    layers = read("").layers

    assert effective_value(layers, ("search", "limit")) == 20
    with pytest.raises(ConfigError, match=r"key 'search\.limt' is not set") as caught:
        effective_value(layers, ("search", "limt"))
    assert caught.value.hint == "did you mean 'limit'?"
