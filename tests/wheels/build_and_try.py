"""Builds every distribution, looks into what was built, and installs and runs it as a person would.

`python tests/wheels/build_and_try.py FOLDER`: wheels and archives go to `FOLDER/dist`, environments beside it. Needs
`build` and `hatchling` in the running environment; libraries of others come from the configured index. Prints what it
does; the exit status is 1 when something is wrong.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from collections.abc import Iterator, Sequence
from email.parser import HeaderParser
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
CLI_SET = ("host", "sqlite_store", "transcripts", "local_search", "cli")
MUST_HOLD = {
    "cli": ("examples/README.md", "examples/claude/", "examples/codex/", "examples/pi/"),
    "sqlite_store": ("migrations/0001_store.sql",),
}
"""Folder -> files of the package that are no modules and must be in the wheel all the same."""


class WrongError(Exception):
    """Something is not as it must be."""


class Built(NamedTuple):
    """A distribution's folder name, and what was built of it."""

    name: str
    package: str
    wheel: Path
    archive: Path


def main(arguments: Sequence[str]) -> int:
    """Do everything below the folder that the one argument names."""
    if len(arguments) != 1:
        sys.stderr.write(f"usage: {Path(__file__).name} FOLDER\n")
        return 2
    folder = Path(arguments[0]).resolve()
    try:
        built = {each.name: each for each in build_all(folder / "dist")}
        for each in built.values():
            look_into(each)
        try_host(folder, built)
        try_plugins(folder, built)
        try_cli_set(folder, built)
    except WrongError as error:
        sys.stderr.write(f"wrong: {error}\n")
        return 1
    say("all distributions are well")
    return 0


def build_all(dist: Path) -> Iterator[Built]:
    """An archive of each distribution, and a wheel made from that archive."""
    shutil.rmtree(dist, ignore_errors=True)
    folders = [ROOT / "host", *(file.parent for file in sorted(ROOT.glob("plugins/*/pyproject.toml")))]
    for folder in folders:
        say(f"build {folder.name}")
        target = dist / folder.name
        run([sys.executable, "-m", "build", "--no-isolation", "--outdir", str(target), str(folder)])
        project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        yield Built(folder.name, project["name"].replace("-", "_"), one(target, "*.whl"), one(target, "*.tar.gz"))


def look_into(built: Built) -> None:
    """Types, licence and data files are in the wheel; the archive holds what building again needs."""
    say(f"look into {built.wheel.name}")
    with zipfile.ZipFile(built.wheel) as wheel:
        names = wheel.namelist()
        (info,) = {name.partition("/")[0] for name in names if ".dist-info/" in name}
        metadata = HeaderParser().parsestr(wheel.read(f"{info}/METADATA").decode())
        licence = wheel.read(f"{info}/licenses/LICENSE") if f"{info}/licenses/LICENSE" in names else b""
    expect(f"{built.package}/py.typed" in names, f"{built.wheel.name} lacks py.typed")
    expect(licence == (ROOT / "LICENSE").read_bytes(), f"{built.wheel.name} lacks the licence")
    expect(metadata["License-Expression"] == "Apache-2.0", f"{built.wheel.name} states another licence")
    expect(not [name for name in names if "/tests/" in name], f"{built.wheel.name} holds tests")
    expect(bool(str(metadata.get_payload()).strip()), f"{built.wheel.name} has no description")
    for wanted in MUST_HOLD.get(built.name, ()):
        found = any(name.startswith(f"{built.package}/{wanted}") for name in names)
        expect(found, f"{built.wheel.name} lacks {wanted}")
    with tarfile.open(built.archive) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    for wanted in ("pyproject.toml", "README.md", "LICENSE", f"src/{built.package}/__init__.py"):
        expect(wanted in held, f"{built.archive.name} lacks {wanted}")


def try_host(folder: Path, built: dict[str, Built]) -> None:
    """The host alone lists no plugin, and says so."""
    python = install(folder / "host", [built["host"]])
    listed = run([python, "-m", "starweaver_host", "plugins"])
    expect("no plugins are installed" in listed, f"the host alone lists {listed!r}")
    expect("contract 1." in run([python, "-m", "starweaver_host", "contract"]), "the host alone has no contract")


def try_plugins(folder: Path, built: dict[str, Built]) -> None:
    """Each plugin with the host and nothing else is found and imported, and offers what it has."""
    for each in built.values():
        if each.name == "host":
            continue
        python = install(folder / each.name, [built["host"], each])
        checked = run([python, "-m", "starweaver_host", "plugins", "--check"])
        name = each.name.replace("_", "-")
        expect(name in checked and "problem" not in checked, f"{name} with the host alone: {checked}")


def try_cli_set(folder: Path, built: dict[str, Built]) -> None:
    """The command answers its first search on a machine without transcripts."""
    python = install(folder / "cli_set", [built[name] for name in CLI_SET])
    home = folder / "home"
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir()
    sw = str(Path(python).with_name("sw"))
    version = built["cli"].wheel.name.split("-")[1]
    expect(run([sw, "--version"], home=home) == f"sw {version}\n", "sw does not say its version")
    expect("no problems" in run([sw, "plugins", "check"], home=home), "the command set does not compose")
    found = run([sw, "session", "search", "oauth refresh"], home=home)
    expect("«OAuth refresh»" in found, f"the first search found {found!r}")


def install(folder: Path, wheels: Sequence[Built]) -> str:
    """A fresh environment with these wheels; its interpreter."""
    say(f"install {' '.join(each.name for each in wheels)}")
    venv.create(folder, clear=True, with_pip=True, symlinks=os.name != "nt")
    python = str(folder / ("Scripts" if os.name == "nt" else "bin") / "python")
    run([python, "-m", "pip", "install", "-q", *(str(each.wheel) for each in wheels)])
    run([python, "-m", "pip", "check"])
    return python


def run(command: Sequence[str], *, home: Path | None = None) -> str:
    """What a command prints; an error when it fails. It sees no packages of this process and, with `home`, no files."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "STARWEAVER_"))}
    environ = {**environ, "PYTHONIOENCODING": "utf-8", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    if home is not None:
        hidden = ("XDG_", "CLAUDE_", "CODEX_", "GEMINI_", "OPENCODE_", "PI_")
        environ = {name: value for name, value in environ.items() if not name.startswith(hidden)} | {"HOME": str(home)}
    done = subprocess.run(command, env=environ, cwd=home, capture_output=True, text=True, encoding="utf-8", check=False)
    expect(done.returncode == 0, f"{' '.join(command)}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def one(folder: Path, pattern: str) -> Path:
    """The one file of a pattern."""
    found = list(folder.glob(pattern))
    expect(len(found) == 1, f"one {pattern} was wanted in {folder}, found {len(found)}")
    return found[0]


def expect(holds: bool, otherwise: str) -> None:
    """Raise when something does not hold."""
    if not holds:
        raise WrongError(otherwise)


def say(text: str) -> None:
    """Tell how far it is."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
