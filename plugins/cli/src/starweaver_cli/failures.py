"""How an expected error is shown: one line and a hint on standard error, or one JSON object there."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NoReturn

from starweaver_host.contract.errors import StartupError, StarweaverError

from .exits import exit_status


def wants_json(arguments: Sequence[str]) -> bool:
    """Whether the raw arguments ask for JSON output; used before they could be parsed."""
    follows = [*arguments[1:], ""]
    return any(
        (name == "--output" and value in {"json", "jsonl"}) or name in {"--output=json", "--output=jsonl"}
        for name, value in zip(arguments, follows, strict=False)
    )


def report_failure(code: str, message: str, hint: str | None, *, as_json: bool) -> int:
    """Write one error to standard error; returns its exit status."""
    if as_json:
        _write_json({"code": code, "message": message, "hint": hint})
    else:
        _write_lines([f"error: {message}", *([f"hint: {hint}"] if hint else [])])
    return exit_status(code)


def report_error(error: StarweaverError, *, as_json: bool) -> int:
    """Report any expected error; a refused start-up lists every problem."""
    if not isinstance(error, StartupError):
        return report_failure(error.code, error.message, error.hint, as_json=as_json)
    if as_json:
        problems = [{"code": p.code, "message": p.message, "hint": p.hint} for p in error.problems]
        body = {"code": error.code, "message": error.message, "hint": error.hint, "problems": problems}
        _write_json(body)
    else:
        lines = [f"error: {error.message}"]
        for problem in error.problems:
            lines.append(f"  - {problem.message}")
            lines.extend([f"    hint: {problem.hint}"] if problem.hint else [])
        _write_lines(lines)
    return exit_status(error.code)


def _write_lines(lines: Sequence[str]) -> None:
    """What an error names, an id or a path, may hold anything; it is shown like any other text of a transcript."""
    from .render.stream import clean_line, note

    for line in lines:
        note(clean_line(line))


def _write_json(error: Mapping[str, object]) -> None:
    import json

    sys.stderr.write(json.dumps({"error": error}) + "\n")


def raise_first(problems: Sequence[StarweaverError]) -> NoReturn:
    """Raise the first of some problems; there is at least one."""
    raise problems[0]


_show_traceback = False


def set_traceback(wanted: bool) -> None:  # noqa: FBT001 - set once, from the flag
    """Whether an expected error also prints where it came from (`sw --traceback`)."""
    global _show_traceback  # noqa: PLW0603 - one process, one command
    _show_traceback = wanted


def _print_traceback(error: StarweaverError) -> None:
    import traceback

    for each in (error, *(error.problems if isinstance(error, StartupError) else ())):
        traceback.print_exception(each, file=sys.stderr)


@contextmanager
def expected_errors(*, as_json: bool) -> Iterator[None]:
    """Turn an expected error inside the block into a report and an exit."""
    import click

    try:
        yield
    except StarweaverError as error:
        if _show_traceback:
            _print_traceback(error)
        status = report_error(error, as_json=as_json)
        raise click.exceptions.Exit(status) from error


__all__ = ["expected_errors", "raise_first", "report_error", "report_failure", "set_traceback", "wants_json"]
