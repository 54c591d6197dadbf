"""Errors: one line and a hint, or one JSON object; every code has one exit status."""

from __future__ import annotations

import json

import click
import pytest

from starweaver_cli.exits import EXIT_OF_CODE, exit_status
from starweaver_cli.failures import expected_errors, report_error, wants_json
from starweaver_host.contract.errors import (
    SEARCH_ERROR_CODES,
    STORE_ERROR_CODES,
    PluginError,
    SearchError,
    StartupError,
    StoreError,
)


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("invalid_query", 2),
        ("invalid_cursor", 2),
        ("not_found", 3),
        ("unsupported", 4),
        ("unavailable", 5),
        ("conflict", 6),
        ("failed", 1),
        ("corrupt", 1),
        ("full", 1),
        ("permission_denied", 1),
    ],
)
def test_exit_status_of_each_code_is_the_documented_one(code: str, status: int) -> None:
    """0 ok, 1 failed, 2 usage, 3 not found, 4 unsupported, 5 unavailable, 6 conflict."""
    assert exit_status(code) == status


def test_exit_table_names_only_codes_that_exist() -> None:
    """A misspelt code in the table would silently be `failed`."""
    extra = {"usage", "config_invalid", "plugin_invalid", "startup_refused", "ambiguous"}
    assert set(EXIT_OF_CODE) <= {*STORE_ERROR_CODES, *SEARCH_ERROR_CODES, *extra}


def test_expected_error_is_one_line_with_a_hint(capsys: pytest.CaptureFixture[str]) -> None:
    """People read `error:` and `hint:` on standard error and nothing else."""
    with pytest.raises(click.exceptions.Exit) as caught, expected_errors(as_json=False):
        raise StoreError("not_found", "no session is 'x'", hint="see `sw session list`")

    assert caught.value.exit_code == 3
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == "error: no session is 'x'\nhint: see `sw session list`\n"


def test_expected_error_is_one_json_object_when_asked(capsys: pytest.CaptureFixture[str]) -> None:
    """Programs read code, message and hint."""
    with pytest.raises(click.exceptions.Exit), expected_errors(as_json=True):
        raise SearchError("invalid_cursor", "cursor is not one of ours")

    body = json.loads(capsys.readouterr().err)
    assert body == {"error": {"code": "invalid_cursor", "message": "cursor is not one of ours", "hint": None}}


def test_unexpected_error_keeps_its_traceback() -> None:
    """A bug is not dressed up as an expected failure."""
    with pytest.raises(ZeroDivisionError), expected_errors(as_json=False):
        1 / 0  # noqa: B018


def test_refused_start_lists_every_problem(capsys: pytest.CaptureFixture[str]) -> None:
    """One report, each problem with its own hint."""
    problems = [PluginError("not_installed", "a", "no a", hint="install a"), PluginError("import_failed", "b", "no b")]

    assert report_error(StartupError("sw", problems), as_json=False) == 2

    err = capsys.readouterr().err
    assert "2 problems" in err
    assert "- no a\n    hint: install a\n  - no b\n" in err


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["session", "search", "--output", "json"], True),
        (["session", "search", "--output=jsonl"], True),
        (["session", "search", "json"], False),
        (["--output", "text"], False),
        ([], False),
    ],
)
def test_json_wish_is_seen_before_arguments_are_parsed(arguments: list[str], expected: bool) -> None:
    """A usage error answers in the form that was asked for."""
    assert wants_json(arguments) is expected
