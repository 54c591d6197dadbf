"""Every error code, every problem of a plugin and every exit status is documented, and nothing that does not exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import starweaver_host
from starweaver_cli import exits
from starweaver_host.contract import errors
from starweaver_host.contract.errors import StarweaverError

ERRORS = "docs/reference/errors.md"
EXITS = "docs/reference/exit-codes.md"
UNIONS = {
    "Store errors": errors.STORE_ERROR_CODES,
    "Search errors": errors.SEARCH_ERROR_CODES,
    "Session query errors": errors.SESSION_QUERY_ERROR_CODES,
    "Agent errors": errors.AGENT_ERROR_CODES,
}
_PROBLEM = re.compile(r'(?:PluginError|_problem|_crashed)\(\s*"(\w+)"|(?:problem, why =|return) "(\w+)", ')


@pytest.mark.parametrize("heading", UNIONS)
def test_error_reference_lists_exactly_the_codes_of_a_union(page, heading: str) -> None:
    """Each union of codes has a table with a meaning and a remedy for each of them, in its order."""
    rows = page(ERRORS).rows(heading)

    assert list(UNIONS[heading]) == list(rows)
    assert all(meaning and remedy for meaning, remedy in rows.values())


def test_error_reference_lists_the_codes_of_other_classes(page) -> None:
    """Each error class with a code of its own has a row that names class and code."""
    classes = {
        cls.code: cls.__name__
        for cls in vars(errors).values()
        if isinstance(cls, type) and issubclass(cls, StarweaverError) and isinstance(vars(cls).get("code"), str)
    }
    rows = page(ERRORS).rows("Other errors")

    assert classes == {code: row[0].strip("`") for code, row in rows.items() if code != "ambiguous"}


def test_error_reference_lists_the_problems_of_plugins(page) -> None:
    """Each word that a PluginError can carry as its problem has a row, and each row is such a word."""
    host = Path(starweaver_host.__file__).parent
    sources = [path.read_text(encoding="utf-8") for path in sorted(host.glob("*.py"))]
    raised = {word for text in sources for match in _PROBLEM.findall(text) for word in match if word}
    rows = set(page(ERRORS).rows("Problems of plugins"))

    assert raised <= rows
    assert {word for word in rows if not any(f'"{word}"' in text for text in sources)} == set()


def test_exit_codes_lists_every_status(page) -> None:
    """Each exit status of `sw` has a row."""
    statuses = {str(getattr(exits, name)) for name in exits.__all__ if name.isupper() and name != "EXIT_OF_CODE"}
    rows = page(EXITS).section("Exit codes").partition("\n## ")[0]

    assert statuses == set(re.findall(r"^\| `(\d+)`", rows, re.MULTILINE))


def test_exit_codes_maps_every_code(page) -> None:
    """The table of codes and statuses is the one the command uses."""
    rows = page(EXITS).rows("Codes behind them")

    assert {code: int(row[0]) for code, row in rows.items()} == exits.EXIT_OF_CODE
