"""What is loaded, and when: plugin modules describe, light commands stay light. Asked of a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

HEAVY = {
    "asyncio",
    "dependency_injector",
    "importlib.metadata",
    "msgspec",
    "pluggy",
    "sqlite3",
    "structlog",
    "tomlkit",
}
"""What a command that only prints about itself has no use for."""
_PRINT_MODULES = "import sys; sys.stderr.write(' '.join(sorted(sys.modules)))"


def modules_after(code: str) -> set[str]:
    """The modules a fresh interpreter has loaded once it ran `code`."""
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{_PRINT_MODULES}"], capture_output=True, text=True, check=True
    )
    return set(done.stderr.splitlines()[-1].split())


@pytest.mark.parametrize(
    "arguments",
    [["--version"], ["--help"], ["session", "--help"], ["session", "search", "--help"], ["completion", "bash"]],
    ids=" ".join,
)
def test_light_command_loads_nothing_heavy(arguments: list[str]) -> None:
    """Version, help and completion load neither plugins nor the container, the logger, the engine or an event loop."""
    loaded = modules_after(f"from starweaver_cli.main import main\nmain({arguments!r})")

    assert "starweaver_cli.main" in loaded
    assert loaded & HEAVY == set()
    assert {
        name for name in loaded if name.startswith("starweaver_") and not name.startswith("starweaver_cli")
    } == set()


UNUSED_BY_ANY_SEARCH = {
    "asyncio",
    "base64",
    "bz2",
    "dependency_injector",
    "importlib.metadata",
    "json",
    "lzma",
    "shutil",
    "structlog",
    "subprocess",
    "tempfile",
    "tomlkit",
    "tomllib",
}
_STORE_WRITERS = {"admission", "edits", "health", "importing", "leases", "log", "rebuild"}
_READERS = {
    "delivery",
    "emit",
    "jsonrows",
    "nodes",
    "prefix",
    "reading",
    "turns",
    "claude.reader",
    "codex.reader",
    "gemini.readings",
    "gemini.reader",
    "opencode.copies",
    "opencode.readings",
    "pi.reader",
}
UNUSED_BY_A_REFRESH_WITHOUT_NEWS = {
    "starweaver_host.conformance",
    "starweaver_host.container",
    "starweaver_host.projection.surface",
    "starweaver_host.services.importing_item",
    *(f"starweaver_sqlite_store.{name}" for name in _STORE_WRITERS),
    *(f"starweaver_transcripts.{name}" for name in _READERS),
}
UNUSED_WITHOUT_HITS = {
    "hashlib",
    "hmac",
    "starweaver_host.projection.documents",
    "starweaver_host.projection.mapping",
    "starweaver_host.projection.snippets",
    "starweaver_host.services.search_hits",
    "starweaver_sqlite_store.listing",
    "starweaver_sqlite_store.texts",
}


@pytest.fixture
def searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], set[str]]:
    """The modules a search loads in a home whose one transcript was already read."""
    for name in ("HOME", "STARWEAVER_CONFIG_DIR", "STARWEAVER_DATA_DIR"):
        monkeypatch.setenv(name, str(tmp_path))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    file = tmp_path / ".claude" / "projects" / "p" / "0b7c2f0e-6a3d-4c44-9d8a-5f1d6f1c2a10.jsonl"
    file.parent.mkdir(parents=True)
    said = {"role": "user", "content": "renew the oauth token"}
    record = {"type": "user", "uuid": "u1", "parentUuid": None, "sessionId": file.stem, "cwd": "/w", "message": said}
    file.write_text(json.dumps({**record, "timestamp": "2026-01-02T03:04:05.000Z"}) + "\n", encoding="utf-8")

    def search(word: str) -> set[str]:
        return modules_after(
            f"from starweaver_cli.main import main\nmain(['session', 'search', {word!r}, '--output', 'json'])"
        )

    assert "starweaver_transcripts.claude.reader" in search("oauth")
    return search


def test_search_without_news_or_hits_loads_nothing_it_does_not_use(searched: Callable[[str], set[str]]) -> None:
    """A refresh that finds everything as it was loads no reader and no writer; a page without hits hashes nothing."""
    loaded = searched("zebra")

    assert {"sqlite3", "starweaver_sqlite_store.scan", "starweaver_transcripts.claude.source"} <= loaded
    assert loaded & (UNUSED_BY_ANY_SEARCH | UNUSED_BY_A_REFRESH_WITHOUT_NEWS | UNUSED_WITHOUT_HITS) == set()


def test_search_with_hits_loads_no_reader_or_writer(searched: Callable[[str], set[str]]) -> None:
    """A hit's text is read from the store: neither by what reads transcripts nor with what writes logs."""
    loaded = searched("oauth")

    assert UNUSED_WITHOUT_HITS - {"hmac"} <= loaded
    assert loaded & (UNUSED_BY_ANY_SEARCH | UNUSED_BY_A_REFRESH_WITHOUT_NEWS) == set()


def test_importing_the_host_package_loads_nothing_of_it() -> None:
    """The package is a name; what is imported from it decides what is paid."""
    loaded = modules_after("import starweaver_host")

    assert {name for name in loaded if name.startswith("starweaver_")} == {"starweaver_host"}
    assert loaded & HEAVY == set()


def test_plugin_modules_import_contract_and_hooks_only(plugins) -> None:
    """A plugin's module describes: of ours it loads the contract, the hooks, and its own configuration at most."""
    for each in plugins:
        loaded = modules_after(f"import {each.package}.plugin")
        own = {each.package, f"{each.package}.plugin", f"{each.package}.config"}
        ours = {name for name in loaded if name.startswith("starweaver_")} - own
        others = {name for name in ours if not name.startswith(("starweaver_host.contract", "starweaver_host.hooks"))}

        assert others <= {"starweaver_host"}, each.package
        assert loaded & (HEAVY - {"msgspec", "pluggy", "importlib.metadata"}) == set(), each.package


def test_contract_and_hooks_stay_light() -> None:
    """Contract and hooks themselves stay without event loop, logger, container and engine."""
    loaded = modules_after("import starweaver_host.hooks, starweaver_host.contract.registration")

    assert loaded & {"asyncio", "dependency_injector", "sqlite3", "structlog", "tomlkit"} == set()
