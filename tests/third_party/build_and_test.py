"""Builds the host and a distribution that is not of the workspace, and tests it where only their wheels are installed.

`python tests/third_party/build_and_test.py FOLDER`: wheels and the environment go below `FOLDER`. Needs `build` and
`hatchling` in the running environment. The exit status is the tests' own.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
OURS = ("host", "plugins/sqlite_store", "plugins/transcripts", "plugins/local_search", "plugins/cli")


def main(folder: Path) -> int:
    """Build, install, test, and import with `sw` what the source finds."""
    shutil.rmtree(folder, ignore_errors=True)
    wheels = folder / "dist"
    for place in (*(ROOT / each for each in OURS), HERE / "acme_source"):
        _run(sys.executable, "-m", "build", "-q", "--wheel", "--no-isolation", "--outdir", str(wheels), str(place))
    venv.create(folder / "env", with_pip=True)
    python = folder / "env" / "bin" / "python"
    found = [str(wheel) for wheel in wheels.iterdir() if not wheel.name.startswith("acme_source")]
    (acme,) = wheels.glob("acme_source-*.whl")
    _run(str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check", *found, f"{acme}[test]")
    shutil.copytree(HERE / "acme_source" / "tests", folder / "tests")
    _try_command(folder, python)
    tests = [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", "--import-mode=importlib", "tests"]
    return subprocess.run(tests, cwd=folder, check=False).returncode


def _try_command(folder: Path, python: Path) -> None:
    """The product lists the plugin, and finds what its source reads."""
    home = folder / "home"
    (home / ".acme").mkdir(parents=True)
    (home / ".acme" / "one.acme").write_text("rotate the token\tdone\n", encoding="utf-8")
    config = home / ".config" / "starweaver" / "cli.toml"
    config.parent.mkdir(parents=True)
    config.write_text('plugins = ["sqlite-store", "transcripts", "local-search", "acme-source"]\n', encoding="utf-8")
    command = [str(python.with_name("sw")), "session", "search", "rotate", "--output", "json"]
    environ = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(command, env=environ, cwd=folder, capture_output=True, text=True, check=False)
    if '"acme:one"' not in done.stdout:
        raise SystemExit(f"sw found no session of Acme:\n{done.stdout}{done.stderr}")


def _run(*command: str) -> None:
    subprocess.run(command, check=True)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
