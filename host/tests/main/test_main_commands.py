"""`python -m starweaver_host`: answers when every plugin is broken and no configuration can be read."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from starweaver_host.contract.version import CONTRACT_VERSION
from starweaver_host.testing import install_distribution

BREAKAGES = {
    "raises": "raise RuntimeError('broken')",
    "exits": "raise SystemExit(9)",
    "dies": "import os; os._exit(7)",
    "shouts": "print('{}'); import sys; sys.stdout.flush(); raise ValueError('loud')",
    "typo": "from starweaver_host.hooks import hookimpl\n@hookimpl\ndef starweaver_session_store():\n    return ()\n",
}
FINE = """\
print('hello from a plugin')
from starweaver_host.contract.registration import FrontEndRegistration
from starweaver_host.hooks import hookimpl
@hookimpl
def starweaver_front_ends():
    yield FrontEndRegistration(name="desk", summary="s", contract="1.0", main=len)
"""


class Answer:
    """What a process printed and how it ended."""

    def __init__(self, done: subprocess.CompletedProcess[str]) -> None:
        self.status = done.returncode
        self.text = done.stdout
        self.errors = done.stderr

    @property
    def data(self) -> Any:
        """The output as JSON."""
        return json.loads(self.text)


Host = Callable[..., Answer]


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    folder.mkdir()
    return folder


@pytest.fixture
def host(tmp_path: Path, site: Path) -> Host:
    """Run the module with `site` on the path and directories of its own."""

    def run(*arguments: str) -> Answer:
        environ = {
            **os.environ,
            "PYTHONPATH": str(site),
            "STARWEAVER_CONFIG_DIR": str(tmp_path / "config"),
            "STARWEAVER_DATA_DIR": str(tmp_path / "data"),
        }
        command = [sys.executable, "-m", "starweaver_host", *arguments]
        return Answer(subprocess.run(command, capture_output=True, text=True, env=environ, cwd=site, check=False))

    return run


@pytest.fixture
def broken(site: Path) -> Path:
    """Every plugin of this site is broken in its own way."""
    for name, source in BREAKAGES.items():
        module = f"broken_{name}_plugin"
        install_distribution(site, f"broken-{name}", plugins={name: module}, modules={module: source})
    return site


@pytest.mark.parametrize("output", ["text", "json"])
def test_plugins_lists_broken_plugins_without_importing_them(host: Host, broken: Path, output: str) -> None:
    """Listing is reading metadata: a plugin that ends the interpreter is listed like any other."""
    answer = host("plugins", "--output", output)

    assert answer.status == 0
    assert answer.errors == ""
    assert all(name in answer.text for name in BREAKAGES)


def test_plugins_json_says_where_each_candidate_comes_from(host: Host, broken: Path) -> None:
    """A program gets plugin, module, distribution, version and place."""
    found = {plugin["plugin"]: plugin for plugin in host("plugins", "--output", "json").data["plugins"]}

    assert found["raises"] == {
        "plugin": "raises",
        "module": "broken_raises_plugin",
        "distribution": "broken-raises",
        "version": "1.0",
        "location": str(broken / "broken_raises-1.0.dist-info"),
    }


def test_plugins_check_reports_every_broken_plugin_and_survives_them_all(host: Host, broken: Path) -> None:
    """Each is imported in a process of its own; what it does to that process is its report."""
    install_distribution(broken, "fine", plugins={"desk": "fine_plugin"}, modules={"fine_plugin": FINE})

    answer = host("plugins", "--check", "--output", "json")

    problems = {problem["plugin"]: problem["problem"] for problem in answer.data["problems"]}
    assert answer.status == 1
    assert "Traceback" not in answer.errors
    assert {name: problems[name] for name in BREAKAGES} == {
        "raises": "import_failed",
        "exits": "import_failed",
        "dies": "import_crashed",
        "shouts": "import_failed",
        "typo": "misspelt_hook",
    }
    assert "desk" not in problems
    offers = {plugin["plugin"]: plugin.get("offers") for plugin in answer.data["plugins"]}
    assert offers["desk"] == ["front_end desk"]


def test_plugins_check_with_traceback_shows_where_an_import_failed(host: Host, site: Path) -> None:
    """The hint of a failed import leads to the line that failed; without it nothing is on standard error."""
    install_distribution(site, "deep", plugins={"deep": "deep_plugin"}, modules={"deep_plugin": "x = 1\n1 / 0\n"})

    quiet, loud = host("plugins", "--check"), host("plugins", "--check", "--traceback")

    assert quiet.errors == ""
    assert "  hint: run again with --traceback to see where" in quiet.text
    assert 'deep_plugin.py", line 2' in loud.errors
    assert quiet.text == loud.text


def test_plugins_reports_doubled_names_and_unreadable_metadata(host: Host, site: Path) -> None:
    """Problems that show in metadata need no import, and are the command's failure."""
    install_distribution(site, "alpha", plugins={"same": "a"})
    install_distribution(site, "beta", plugins={"same": "b"})
    bad = install_distribution(site, "gamma", plugins={"x": "y"})
    (bad / "entry_points.txt").write_text("[starweaver.plugins]\nbroken\n")

    answer = host("plugins")

    assert answer.status == 1
    assert "problem: plugin 'same' is installed twice: alpha 1.0 as 'a', beta 1.0 as 'b'" in answer.text
    assert "  hint: uninstall alpha or beta" in answer.text
    assert "problem: metadata of 'gamma' cannot be read" in answer.text


def test_plugins_check_reports_a_doubled_name_once(host: Host, site: Path) -> None:
    """A problem that listing found is not repeated by checking."""
    install_distribution(site, "alpha", plugins={"same": "a"})
    install_distribution(site, "beta", plugins={"same": "b"})

    problems = host("plugins", "--check", "--output", "json").data["problems"]

    assert [problem["problem"] for problem in problems].count("installed_twice") == 1


def test_config_shows_directories_when_there_is_nothing(host: Host, tmp_path: Path) -> None:
    """The first question of a new user has an answer."""
    answer = host("config")

    assert answer.status == 0
    assert f"config directory: {tmp_path / 'config'} (STARWEAVER_CONFIG_DIR)" in answer.text
    assert "no configuration files" in answer.text


def test_config_shows_keys_with_file_and_line(host: Host, tmp_path: Path) -> None:
    """Every key of every file, with its place, and no secret."""
    file = tmp_path / "config" / "desk.toml"
    file.parent.mkdir()
    file.write_text('plugins = ["a"]\n\n[search]\napi_token = "hunter2"\n')

    answer = host("config")

    assert f'  plugins = ["a"]  ({file}:1)' in answer.text
    assert f'  search.api_token = "****"  ({file}:4)' in answer.text


@pytest.mark.parametrize("output", ["text", "json"])
def test_config_of_a_malformed_file_names_the_line_and_shows_the_others(
    host: Host, broken: Path, tmp_path: Path, output: str
) -> None:
    """One file that cannot be parsed is one problem; broken plugins do not matter here."""
    folder = tmp_path / "config"
    folder.mkdir()
    (folder / "bad.toml").write_text("[x]\ny = = 1\n")
    (folder / "good.toml").write_text("z = 1\n")

    answer = host("config", "--output", output)

    assert answer.status == 2
    assert "bad.toml:2" in answer.text
    assert "good.toml:1" in answer.text
    assert "Traceback" not in answer.errors


def test_config_of_a_named_file_that_is_not_there_says_so(host: Host) -> None:
    """Asking for one file by name is answered about that file."""
    answer = host("config", "--file", "absent.toml", "--output", "json")

    assert answer.status == 2
    assert "cannot be read: no such file" in answer.data["problems"][0]["message"]


def test_contract_prints_version_and_schema_of_every_wire_value(host: Host, broken: Path) -> None:
    """The contract is data for people who write in other languages."""
    document = host("contract", "--output", "json").data

    assert document["contractVersion"] == CONTRACT_VERSION
    query = document["$defs"]["SessionSearchQuery"]
    assert query["additionalProperties"] is False
    assert "limit" in query["properties"]
    assert host("contract").text.startswith(f"contract {CONTRACT_VERSION}\n")


def test_contract_schema_has_no_dangling_reference(host: Host) -> None:
    """Every reference of the document leads to a definition in it."""
    document = host("contract", "--output", "json").data

    def references(value: Any) -> set[str]:
        if isinstance(value, dict):
            own = {value["$ref"]} if "$ref" in value else set()
            return own.union(*(references(item) for item in value.values()))
        return set().union(*(references(item) for item in value)) if isinstance(value, list) else set()

    found = references(document)
    assert found
    assert {reference.removeprefix("#/$defs/") for reference in found} <= document["$defs"].keys()


@pytest.mark.parametrize("arguments", [(), ("plugin",), ("config", "--output", "xml")])
def test_wrong_arguments_are_usage_errors(host: Host, arguments: tuple[str, ...]) -> None:
    """A wrong call is status 2 and a usage line."""
    answer = host(*arguments)

    assert answer.status == 2
    assert answer.errors.startswith("usage: python -m starweaver_host")
