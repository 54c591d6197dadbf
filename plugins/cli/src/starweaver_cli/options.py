"""Options that several commands share, so that one flag means one thing everywhere."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


def output_option(*forms: str) -> Callable[[F], F]:
    """`--output`, text first."""
    choices = forms or ("text", "json", "jsonl")
    return click.option(
        "--output", type=click.Choice(choices), default="text", show_default=True, help="How to print the result."
    )


def limit_option(default: int, most: int) -> Callable[[F], F]:
    """`--limit`, bounded."""
    return click.option(
        "--limit", type=click.IntRange(1, most), default=default, show_default=True, help=f"Most rows, 1 to {most}."
    )


class TimeType(click.ParamType):  # type: ignore[type-arg]  # generic from click 8.4 on, not before
    """A point in time, as UTC microseconds."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Parse what a person wrote."""
        if isinstance(value, int):
            return value
        from .times import parse_time

        try:
            return parse_time(value, now=datetime.now().astimezone())
        except ValueError as error:
            self.fail(str(error), param, ctx)


TIME = TimeType()


def as_text(argument: str) -> str:
    """An argument with U+FFFD for the bytes that are no text, which is how importers keep them."""
    return argument if argument.isascii() else argument.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def workspace_filter(text: str | None, *, here: str) -> str | None:
    """`.` and relative paths become absolute directories; a trailing `/` (everything below) is kept."""
    text = None if text is None else as_text(text)
    if text is None or not (text in {".", ".."} or text.startswith(("./", "../", "~"))):
        return text
    import os

    full = os.path.normpath(os.path.join(as_text(here), os.path.expanduser(text)))  # noqa: PTH111, PTH118
    return full.rstrip("/") + "/" if text.endswith("/") else full


__all__ = ["TIME", "TimeType", "as_text", "limit_option", "output_option", "workspace_filter"]
