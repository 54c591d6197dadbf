"""The command tree: every entry loads, help costs no plugin, `--version` costs nothing."""

from __future__ import annotations

import json
import subprocess
import sys

import click
import pytest

from starweaver_cli import __version__
from starweaver_cli.app import CONFIG, PLUGINS, SESSION, TOP
from starweaver_cli.lazy import load_command
from starweaver_cli.main import main

ENTRIES = {**TOP, **SESSION, **PLUGINS, **CONFIG}
HEAVY = {"pluggy", "dependency_injector", "structlog", "asyncio", "sqlite3", "tomlkit", "importlib.metadata", "rich"}


@pytest.mark.parametrize("name", sorted(ENTRIES))
def test_table_entry_loads_a_command_with_help(name: str) -> None:
    """Import paths in the table are strings; each must lead to a command that says what it does."""
    command = load_command(ENTRIES[name].target)

    assert isinstance(command, click.Command)
    assert command.get_short_help_str()


def test_version_prints_the_distribution_version(capsys: pytest.CaptureFixture[str]) -> None:
    """`sw --version` names program and version."""
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"sw {__version__}\n"


def loaded_by(*arguments: str) -> set[str]:
    code = (
        "import sys, json, io, contextlib\n"
        "from starweaver_cli.main import main\n"
        "with contextlib.redirect_stdout(io.StringIO()):\n"
        f"    status = main({list(arguments)!r})\n"
        "print(json.dumps([status, sorted(sys.modules)]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    status, modules = json.loads(done.stdout)
    assert status == 0
    return set(modules)


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["session", "--help"], ["completion", "bash"]])
def test_light_command_loads_no_plugin_container_or_logger(arguments: list[str]) -> None:
    """Help, version and completion pay for none of what they do not use."""
    loaded = loaded_by(*arguments)

    assert not HEAVY & loaded
    assert not {name for name in loaded if name.startswith("starweaver_") and "cli" not in name.split(".")[0]} - {
        "starweaver_host"
    }


def test_version_loads_not_even_click() -> None:
    """The cheapest question is answered before anything is imported."""
    assert "click" not in loaded_by("--version")


def test_usage_error_exits_two(capsys: pytest.CaptureFixture[str]) -> None:
    """Unknown flags are usage errors."""
    assert main(["session", "list", "--nonsense"]) == 2
    assert "--nonsense" in capsys.readouterr().err


def test_usage_error_answers_in_json_when_asked(capsys: pytest.CaptureFixture[str]) -> None:
    """One object on standard error, also when the arguments could not be parsed."""
    assert main(["session", "list", "--output", "json", "--nonsense"]) == 2
    assert json.loads(capsys.readouterr().err)["error"]["code"] == "usage"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_script_is_for_the_shell(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The script calls back into `sw` through its completion variable."""
    assert main(["completion", shell]) == 0
    assert "_SW_COMPLETE" in capsys.readouterr().out
