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
