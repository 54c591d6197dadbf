"""The JSON that `sw` prints is what its schemas, its reference page and its golden files say."""

from __future__ import annotations

import importlib.util
import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import pytest

import starweaver_cli

HERE = Path(__file__).parent
EXAMPLES = Path(starweaver_cli.__file__).parent / "examples"
_spec = importlib.util.spec_from_file_location("wire_schemas", HERE / "wire_schemas.py")
assert _spec is not None
assert _spec.loader is not None
wire: ModuleType = importlib.util.module_from_spec(_spec)
sys.modules[wire.__name__] = wire  # msgspec resolves annotations there
_spec.loader.exec_module(wire)

SESSION = "claude-code:6f1d2c3b-0000-4000-8000-00000000a001"
WHOLE = {
    "session-search-page": ["session", "search", "oauth"],
    "session-list": ["session", "list"],
    "session-show": ["session", "show", SESSION],
    "session-replay": ["session", "replay", SESSION],
    "session-edited": ["session", "rename", SESSION, "another title"],
    "import-report": ["sources", "--all"],
    "plugins-list": ["plugins", "list"],
    "plugins-check": ["plugins", "check"],
    "config-show": ["config", "show"],
    "config-get": ["config", "get", "search.provider"],
    "config-set": ["config", "set", "output.color", "never"],
    "config-path": ["config", "path"],
    "doctor": ["doctor"],
}
LINES = {
    "session-search-trailer": (["session", "search", "oauth"], ["session-search-hit"]),
    "session-list-trailer": (["session", "list"], ["session"]),
    "session-show-trailer": (["session", "show", SESSION], ["session", "run"]),
    "session-replay-trailer": (["session", "replay", SESSION], ["display-message"]),
    "import-trailer": (["session", "import"], ["source-report"]),
}


def assert_fits(text: str, shape: str) -> None:
    """The text decodes as the shape, and has no field and lacks no field that the shape does not."""
    kind = wire.SHAPES[shape]

    assert json.loads(msgspec.json.encode(msgspec.json.decode(text, type=kind))) == json.loads(text)


def golden_text(output: str, form: str) -> str:
    """Output as its golden file has it: readable, and without the generation, which is another in every store."""
    lines = [json.loads(line) for line in output.splitlines()]
    for line in lines:
        if "coverage" in line:
            provider, _, rest = line["coverage"]["generation"].partition("-")
            assert rest
            line["coverage"]["generation"] = f"{provider}-*"
    return "".join(json.dumps(line, indent=2 if form == "json" else None, ensure_ascii=False) + "\n" for line in lines)


@pytest.fixture(scope="module")
def imported(new_person) -> Callable[..., Any]:
    """`sw` of a person whose transcripts are the bundled examples, all of them imported. Shapes do not mind edits."""
    person = new_person()
    shutil.copytree(EXAMPLES / "claude", person.home / ".claude")
    shutil.copytree(EXAMPLES / "codex", person.home / ".codex")
    shutil.copytree(EXAMPLES / "pi", person.home / ".pi" / "agent")
    done = person.sw("session", "import")
    assert done.returncode == 0, done.stderr
    return person.sw


@pytest.mark.parametrize("name", wire.SHAPES)
def test_schema_file_is_current(name: str) -> None:
    """Each schema file is what the classes give; `python tests/documentation/wire_schemas.py` writes them anew."""
    assert wire.schema_text(wire.SHAPES[name]) == (wire.FOLDER / f"{name}.json").read_text(encoding="utf-8")


def test_json_reference_links_every_schema_and_no_other(page) -> None:
    """Each schema file is one of ours, and the page links it."""
    linked = {Path(link).stem for link in page("docs/reference/json.md").links if link.startswith("schemas/")}
    files = {path.stem for path in wire.FOLDER.glob("*.json")}

    assert set(wire.SHAPES) == files == linked


@pytest.mark.parametrize("name", WHOLE)
def test_json_output_fits_its_schema(imported, name: str) -> None:
    """`--output json` prints one object of the documented shape."""
    done = imported(*WHOLE[name], "--output", "json")

    assert done.returncode == 0, done.stderr
    assert_fits(done.stdout, name)


@pytest.mark.parametrize("trailer", LINES)
def test_json_lines_output_fits_its_schemas(imported, trailer: str) -> None:
    """`--output jsonl` prints items of the documented shapes, then one trailer."""
    arguments, shapes = LINES[trailer]
    done = imported(*arguments, "--output", "jsonl")
    *items, last = done.stdout.splitlines()

    assert items
    assert_fits(last, trailer)
    for place, item in enumerate(items):
        assert_fits(item, shapes[min(place, len(shapes) - 1)])


@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_json_error_fits_its_schema(imported, form: str) -> None:
    """A failed command prints one error object to standard error and nothing to standard output."""
    done = imported("session", "show", "nope", "--output", form)

    assert (done.returncode, done.stdout) == (3, "")
    assert_fits(done.stderr, "error")


def test_json_error_of_a_refused_start_lists_its_problems(new_person) -> None:
    """A product that cannot start says every problem in the documented shape."""
    person = new_person()
    file = person.home / ".config" / "starweaver" / "cli.toml"
    file.parent.mkdir(parents=True)
    file.write_text('plugins = ["sqlite-store", "transcripts", "local-search", "nope"]\ncolour = 1\n')

    done = person.sw("session", "list", "--output", "json")

    assert done.returncode == 2
    assert_fits(done.stderr, "error")
    assert len(json.loads(done.stderr)["error"]["problems"]) == 2


@pytest.mark.parametrize(
    ("name", "arguments"),
    {
        "occurrences": ["oauth", "--granularity", "occurrence"],
        "sessions": ["oauth refresh"],
        "script": ["中文"],
        "browse": [],
    }.items(),
)
@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_search_output_over_the_examples_is_golden(new_person, name: str, arguments: list[str], form: str) -> None:
    """A search in an empty home folder prints the golden file, but for what differs from store to store."""
    done = new_person().sw("session", "search", *arguments, "--output", form)

    golden = (HERE / "golden" / f"search-{name}.{form}").read_text(encoding="utf-8")
    assert golden == golden_text(done.stdout, form)


def test_json_reference_shows_what_is_printed(page, new_person) -> None:
    """The search on the page is the golden one, and the error is printed as shown."""
    whole, last, error = page("docs/reference/json.md").blocks("json")
    printed = new_person().sw("session", "show", "nope", "--output", "json").stderr

    assert whole == (HERE / "golden" / "search-sessions.json").read_text(encoding="utf-8")
    assert last == (HERE / "golden" / "search-sessions.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)[-1]
    assert error == printed
    assert page("docs/reference/errors.md").blocks("json") == [printed]


def test_error_reference_shows_what_is_printed(page, new_person) -> None:
    """An error in text is the two lines that the page shows."""
    printed = new_person().sw("session", "show", "nope").stderr

    assert printed in page("docs/reference/errors.md").blocks("text")
