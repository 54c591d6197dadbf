"""The programs of the how-to pages run as they are printed."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from starweaver_host.testing import install_distribution

_NAMED = re.compile(r"^`([\w/.]+\.py)`[^\n]*:\n\n```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def modules(text: str) -> dict[str, str]:
    """The files that a page prints, each below a line that begins with its name, by dotted module name."""
    return {name.removesuffix(".py").replace("/", "."): body for name, body in _NAMED.findall(text)}


def install(page_text: str, folder: Path, name: str, plugin: str) -> dict[str, str]:
    """Install what a page prints below `folder`; returns the environment that finds it."""
    found = modules(page_text)
    package = name.replace("-", "_")
    install_distribution(
        folder, name, plugins={plugin: f"{package}.plugin"}, modules={f"{package}.__init__": "", **found}
    )
    return {"PYTHONPATH": str(folder)}


@pytest.mark.parametrize("place", [0, 1], ids=["objects", "product"])
def test_embedding_programs_run_as_printed(page, new_person, place: int) -> None:
    """Each program of the page about embedding opens an empty store and says so."""
    person = new_person()

    done = person.run(sys.executable, "-", text=page("docs/how-to/embed.md").blocks("python")[place])

    assert (done.returncode, done.stdout) == (0, "0 sessions\n"), done.stderr


def test_importer_as_printed_is_imported_and_searched(page, new_person, tmp_path: Path) -> None:
    """The importer of the page, installed and listed, brings its example transcript into a search."""
    person = new_person()
    how_to = page("docs/how-to/write-an-importer.md")
    person.environ |= install(how_to.text, tmp_path, "starweaver-parrot", "parrot")
    (person.home / ".parrot").mkdir()
    (person.home / ".parrot" / "ship.jsonl").write_text(how_to.blocks("json")[0] + "no record\n")

    commands = [line for line in how_to.blocks("sh")[0].splitlines() if line.startswith("sw ")]
    printed = [person.run("sh", "-c", command) for command in commands]

    assert [done.returncode for done in printed] == [0] * len(commands), printed
    assert "1 records could not be understood" in printed[1].stdout
    assert "Say «pieces of eight»" in printed[2].stdout
    assert "resume: parrot --resume ship" in printed[2].stdout
    assert "Pieces of eight!" in printed[3].stdout


def test_provider_as_printed_composes_and_conforms(page, new_person, tmp_path: Path) -> None:
    """The store of the page is loaded by `sw`, and its test file collects the whole suite and passes a part of it."""
    person = new_person()
    how_to = page("docs/how-to/write-a-provider.md")
    person.environ |= install(how_to.text, tmp_path, "starweaver-desk", "desk-store")
    config = person.home / ".config" / "starweaver" / "cli.toml"
    config.parent.mkdir(parents=True)
    config.write_text(next(block for block in how_to.blocks("toml") if "[store]" in block))

    checked = person.sw("plugins", "check")
    tests = tmp_path / "test_desk.py"
    tests.write_text(modules(how_to.text)["tests.test_desk_store"])
    ran = person.run(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "catalog or log", str(tests))

    assert checked.returncode == 0, checked.stderr
    assert "session store: 'desk' of plugin 'desk-store'" in checked.stdout
    assert ran.returncode == 0, ran.stdout + ran.stderr


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
