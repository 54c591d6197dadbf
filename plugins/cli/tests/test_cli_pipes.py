"""What happens when nobody reads the output."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("unbuffered", ["", "1"], ids=["buffered", "unbuffered"])
@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["config", "path"]], ids=" ".join)
def test_command_whose_reader_went_away_succeeds_in_silence(
    arguments: list[str], unbuffered: str, tmp_path: Path
) -> None:
    """A pipe that its reader closed is no failure and no traceback, whenever the writing fails."""
    reading, writing = os.pipe()
    os.close(reading)

    done = subprocess.run(
        [sys.executable, "-c", "from starweaver_cli.main import console; console()", *arguments],
        stdout=writing,
        stderr=subprocess.PIPE,
        env={**os.environ, "HOME": str(tmp_path), "PYTHONUNBUFFERED": unbuffered},
        check=False,
    )
    os.close(writing)

    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("redirections", [">&-", "2>&-", "<&-", ">&- 2>&- <&-"])
@pytest.mark.parametrize("arguments", ["--version", "--help", "config path", "config show --output json"])
def test_command_with_a_closed_standard_stream_succeeds(arguments: str, redirections: str, tmp_path: Path) -> None:
    """A stream that the caller closed is written to nowhere; the command does its work all the same."""
    done = run_in_shell(f"{arguments} {redirections}", tmp_path)

    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the device is of Linux")
@pytest.mark.parametrize("arguments", ["--version", "--help", "config path", "config show --output json"])
def test_command_whose_output_cannot_be_written_fails_with_one_line(arguments: str, tmp_path: Path) -> None:
    """Lost output is a failure with a status and a reason, not a traceback and not a success."""
    done = run_in_shell(f"{arguments} >/dev/full", tmp_path)

    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "output cannot be written: no space left on device" in done.stderr


def run_in_shell(command: str, home: Path) -> subprocess.CompletedProcess[str]:
    program = f'"{sys.executable}" -c "from starweaver_cli.main import console; console()"'
    return subprocess.run(
        ["/bin/sh", "-c", f"{program} {command}"],
        capture_output=True,
        text=True,
        env={**os.environ, "HOME": str(home)},
        check=False,
    )


def test_interrupt_while_the_program_loads_ends_in_silence() -> None:
    """Ctrl-C before a command begins is status 130 like any other, without a traceback."""
    program = (
        "import starweaver_cli.main as m\ndef interrupted(): raise KeyboardInterrupt\nm.main = interrupted\nm.console()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)

    assert (done.returncode, done.stderr) == (130, b"")
