"""The programs of the how-to pages run as they are printed."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import starweaver_cli
from starweaver_host.testing import install_distribution

_NAMED = re.compile(r"^`([\w/.]+)`[^\n]*:\n\n```(?:python|toml)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXAMPLES = Path(starweaver_cli.__file__).parent / "examples"
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check")


def write_distribution(page: Any, folder: Path) -> None:
    """Write the files that a page prints, each below a line that begins with its name, and run its first commands."""
    (folder / "tests").mkdir(parents=True)  # the package's own folder is what the commands make
    subprocess.run(["sh", "-e", "-c", page.blocks("sh")[0]], cwd=folder, check=True)
    for name, body in _NAMED.findall(page.text):
        (folder / name).write_text(body, encoding="utf-8")


def install(page: Any, person: Any, folder: Path) -> Path:
    """Build and install exactly what a page prints, for `person`; returns the distribution's folder. Asks no index."""
    project, site = folder / "project", folder / "site"
    write_distribution(page, project)
    build = (*PIP, "install", "--no-build-isolation", "--no-deps", "--no-index", "--target", str(site), str(project))
    built = person.run(*build)
    assert built.returncode == 0, built.stdout + built.stderr
    person.environ["PYTHONPATH"] = str(site)
    return project


def run_tests(person: Any, project: Path, *options: str) -> str:
    """Run a distribution's own tests as installed; returns what pytest printed."""
    folder = project.with_name("tests")
    (project / "tests").rename(folder)  # away from the package's source, which would be imported instead
    done = person.run(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, str(folder))
    assert done.returncode == 0, done.stdout + done.stderr
    return str(done.stdout)


@pytest.fixture
def archive(new_person: Any) -> Any:
    """A person with the bundled examples where the tools would have written them."""
    person = new_person()
    for name, place in {"claude": ".claude", "codex": ".codex", "pi": ".pi/agent"}.items():
        shutil.copytree(EXAMPLES / name, person.home / place)
    return person


@pytest.mark.parametrize("place", [0, 1], ids=["objects", "product"])
def test_embedding_programs_run_as_printed(page, archive, place: int) -> None:
    """Each program of the page about embedding reads the transcripts into a folder of its own and finds one of them."""
    program = page("docs/how-to/embed.md").blocks("python")[place]

    done = archive.run(sys.executable, "-", text=program)
    again = archive.run(sys.executable, "-", text=program)

    read, *hits = done.stdout.splitlines()
    assert done.returncode == 0, done.stderr
    assert (int(read.partition(" ")[0]) > 2, again.stdout.splitlines()) == (True, ["0 transcripts read", *hits])
    assert any("I suspect the OAuth refresh never happens" in hit for hit in hits)
    assert list((archive.home / "desk").rglob("starweaver.sqlite3"))


def test_importer_as_printed_is_imported_and_searched(page, new_person, tmp_path: Path) -> None:
    """The importer of the page, built, installed and listed, brings its example transcript into a search."""
    person = new_person()
    how_to = page("docs/how-to/write-an-importer.md")
    install(how_to, person, tmp_path)
    (person.home / ".parrot").mkdir()
    (person.home / ".parrot" / "ship.jsonl").write_text(how_to.blocks("json")[0] + "no record\n")

    (block,) = (each for each in how_to.blocks("sh") if "sw session import" in each)
    commands = [line for line in block.splitlines() if line.startswith("sw ")]
    printed = [person.run("sh", "-c", command) for command in commands]

    assert [done.returncode for done in printed] == [0] * len(commands), printed
    assert "1 records could not be understood" in printed[1].stdout
    assert "Say «pieces of eight»" in printed[2].stdout
    assert "resume: parrot --resume ship" in printed[2].stdout
    assert "Pieces of eight!" in printed[3].stdout


def test_importer_as_printed_conforms(page, new_person, tmp_path: Path) -> None:
    """The test file of the page runs the whole suites for the importer as installed, and passes."""
    person = new_person()
    project = install(page("docs/how-to/write-an-importer.md"), person, tmp_path)

    printed = run_tests(person, project)

    assert "TestParrotSource does not declare capability 'tools'" in printed


def test_providers_as_printed_compose(page, new_person, tmp_path: Path) -> None:
    """The store and the search provider of the page, built, installed and chosen, are what `sw` works with."""
    person = new_person()
    how_to = page("docs/how-to/write-a-provider.md")
    install(how_to, person, tmp_path)
    config = person.home / ".config" / "starweaver" / "cli.toml"
    config.parent.mkdir(parents=True)
    config.write_text(next(block for block in how_to.blocks("toml") if "[store]" in block))

    checked = person.sw("plugins", "check")
    searched = person.sw("session", "search", "oauth refresh")

    assert (checked.returncode, searched.returncode) == (0, 0), checked.stderr + searched.stderr
    assert "session store: 'desk' of plugin 'desk-store'" in checked.stdout
    assert "search provider: 'desk' of plugin 'desk-search'" in checked.stdout
    assert "«OAuth refresh»" in searched.stdout


def test_providers_as_printed_conform(page, new_person, tmp_path: Path) -> None:
    """The test files of the page run for the providers as installed; of the store's long suite a part is run."""
    person = new_person()
    project = install(page("docs/how-to/write-a-provider.md"), person, tmp_path)

    run_tests(person, project, "-k", "Search or Plugin or catalog or log")


def test_backup_as_printed_is_a_whole_archive(page, new_person) -> None:
    """The copy that the page makes opens as an archive, is private, and says the same as the original."""
    person = new_person()
    searched = person.sw("session", "search", "oauth")  # in the examples' store
    data = person.home / ".local" / "share" / "starweaver"
    (data / "starweaver.sqlite3").write_bytes((data / "examples" / "starweaver.sqlite3").read_bytes())
    (script,) = (block for block in page("docs/how-to/back-up-and-move.md").blocks("sh") if ".backup(" in block)

    done = person.run("sh", "-c", script)
    (person.home / "backup.sqlite3").replace(data / "starweaver.sqlite3")
    again = person.sw("session", "search", "oauth", "--no-refresh")

    assert done.returncode == 0, done.stderr
    assert (data / "starweaver.sqlite3").stat().st_mode & 0o777 == 0o600
    assert (again.returncode, again.stdout) == (0, searched.stdout)


def test_settings_as_printed_are_accepted(page, new_person) -> None:
    """Each setting that the page about moving shows can be set and is one the product starts with."""
    person = new_person()
    blocks = page("docs/how-to/back-up-and-move.md").blocks("sh")
    settings = [line for block in blocks for line in block.splitlines() if line.startswith("sw config set")]
    done = [person.run("sh", "-c", setting) for setting in settings]

    assert [each.returncode for each in done] == [0] * len(settings), done
    assert person.sw("plugins", "check").returncode == 0


def test_loop_over_pages_as_printed_lists_every_session(page, archive) -> None:
    """The loop of the command reference prints what one long page holds, however short its pages are."""
    (loop,) = (block for block in page("docs/reference/cli.md").blocks("sh") if "--after" in block)
    archive.sw("session", "import")
    whole = archive.sw("session", "list", "--output", "jsonl").stdout.splitlines()[:-1]

    paged = archive.run("sh", "-c", loop.replace("--limit 100", "--limit 1"))

    assert len(whole) > 2
    assert (paged.returncode, paged.stdout.splitlines()) == (0, whole), paged.stderr


def test_command_as_printed_counts_sessions(page, new_person, tmp_path: Path) -> None:
    """The command of the page about hooks, installed and listed, is a command of `sw`."""
    person = new_person()
    (module,) = (block for block in page("docs/reference/hooks.md").blocks("python") if "starweaver_commands" in block)
    install_distribution(tmp_path, "acme-count", plugins={"count": "acme_count"}, modules={"acme_count": module})
    person.environ["PYTHONPATH"] = str(tmp_path)
    file = person.home / ".config" / "starweaver" / "cli.toml"
    file.parent.mkdir(parents=True)
    file.write_text('plugins = ["sqlite-store", "transcripts", "local-search", "count"]\n')

    done = person.sw("session", "count")

    assert (done.returncode, done.stdout) == (0, "0\n"), done.stderr
