"""What may lie where a configuration file is looked for: every obstacle is one problem, soon told."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from starweaver_host.config.edit import set_value
from starweaver_host.config.keys import KeySpace
from starweaver_host.config.lines import index_lines
from starweaver_host.config.load import read_config
from starweaver_host.config.places import Places
from starweaver_host.config.reading import MAX_BYTES
from starweaver_host.contract.errors import ConfigError

HOSTILE = {
    "lists": "x = " + "[" * 5000 + "]" * 5000,
    "tables": "a" + ".a" * 200 + " = 1",
    "number": "x = " + "9" * 5000,
    "size": "# " + "x" * MAX_BYTES,
}


def only_problem(desk: Any, places: Places) -> str:
    (problem,) = read_config(desk, environ={}, places=places).problems
    return problem.message


@pytest.mark.parametrize("name", HOSTILE)
def test_config_that_no_parser_bears_is_one_problem(name: str, desk: Any, user_path: Path, places: Places) -> None:
    """Depth, digits and size have bounds, and passing one names the file."""
    user_path.write_text(HOSTILE[name])

    assert str(user_path) in only_problem(desk, places)


@pytest.mark.parametrize("name", HOSTILE)
def test_edit_of_a_file_that_no_parser_bears_refuses(name: str, desk: Any, user_path: Path, places: Places) -> None:
    """The same bounds hold for editing, which reads with another parser."""
    user_path.write_text(HOSTILE[name])

    with pytest.raises(ConfigError):
        set_value(user_path, "sources.refresh", "never", KeySpace(desk, {}), environ={}, places=places)


def test_edit_of_a_file_with_a_key_twice_names_the_line(desk: Any, user_path: Path, places: Places) -> None:
    """What one parser refuses and the other fails on is a refusal."""
    user_path.write_text('[search]\nprovider = "a"\nprovider = "b"\n')

    with pytest.raises(ConfigError, match=r":3\)"):
        set_value(user_path, "sources.refresh", "never", KeySpace(desk, {}), environ={}, places=places)


@pytest.mark.parametrize("text", ["[" * 3000, "9" * 5000, "\udcff"])
def test_edit_to_a_value_that_is_none_refuses_and_writes_nothing(
    text: str, desk: Any, user_path: Path, places: Places
) -> None:
    """A value that no parser bears and bytes that are no text are refused like any wrong value."""
    with pytest.raises(ConfigError):
        set_value(user_path, "desk.size", text, KeySpace(desk, {}), environ={}, places=places)

    assert not user_path.exists()


def test_config_in_a_folder_that_may_not_be_entered_is_a_problem(
    desk: Any, user_path: Path, places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that may be there but cannot be looked at does not count as missing."""
    original = os.open

    def refusing(path: Any, *arguments: Any, **options: Any) -> int:
        if Path(path) == user_path:
            raise PermissionError(13, "Permission denied", str(path))
        return original(path, *arguments, **options)

    monkeypatch.setattr(os, "open", refusing)

    assert "cannot be read: permission denied" in only_problem(desk, places)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names are of Unix")
def test_config_that_is_a_pipe_is_a_problem_and_never_waits(desk: Any, user_path: Path, places: Places) -> None:
    """A pipe that nobody writes to is refused at once."""
    os.mkfifo(user_path)

    assert "is no regular file" in only_problem(desk, places)


def test_config_that_is_a_folder_or_a_loop_of_links_is_a_problem(desk: Any, user_path: Path, places: Places) -> None:
    """Neither counts as a file that is not there."""
    user_path.mkdir()
    folder = only_problem(desk, places)
    user_path.rmdir()
    user_path.symlink_to(user_path.name)

    assert "is a directory" in folder
    assert "symbolic links" in only_problem(desk, places)


def test_path_of_a_home_nobody_has_is_a_problem_of_its_key(desk: Any, user_path: Path, places: Places) -> None:
    """`~name` of an unknown user and a NUL are told with file and line."""
    for path in ("~nobody-of-this-name/x", "a\\u0000b"):
        user_path.write_text(f'[desk]\nfolder = "{path}"\n')

        assert only_problem(desk, places).startswith("key 'desk.folder' is not valid")


def test_lines_of_a_long_document_are_counted_once() -> None:
    """The line of the last of many keys is right; each stretch of text is looked at once."""

    class Counted(str):
        __slots__ = ()
        looked_at = 0

        def count(self, part: str, start: int = 0, end: int = 0, /) -> int:  # type: ignore[override]
            Counted.looked_at += end - start
            return super().count(part, start, end)

    text = Counted("".join(f"k{number} = 1\n" for number in range(500)))

    assert index_lines(text)[("k499",)] == 500
    assert Counted.looked_at <= len(text)
