"""`sw config set`: change one key of the user's file, keeping its comments."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from starweaver_cli.options import output_option

if TYPE_CHECKING:
    from pathlib import Path

    from starweaver_host.contract.errors import StarweaverError


@click.command("set")
@click.argument("key")
@click.argument("value", required=False)
@click.option("--unset", is_flag=True, help="Remove the key, so that the default holds again.")
@output_option("text", "json")
def command(key: str, value: str | None, unset: bool, output: str) -> None:  # noqa: FBT001 - click calls by name
    """Set KEY to VALUE in the user's file. VALUE is TOML; text needs no quotes.

    A key that nobody knows and a value the product would not start with are refused, and nothing is written.
    """
    from starweaver_cli.failures import expected_errors

    with expected_errors(as_json=output != "text"):
        if unset == (value is not None):
            from starweaver_host.contract.errors import UsageError

            raise UsageError("expected a VALUE or --unset, and not both")
        written = _unset(key) if value is None else _set(key, value)
        _tell(written, output)


def _set(key: str, value: str) -> dict[str, object]:
    from starweaver_cli.product import PRODUCT
    from starweaver_host.build import known_keys
    from starweaver_host.config.edit import set_value

    with _tried_first() as (file, trial):
        written = set_value(trial, key, value, known_keys(PRODUCT))
    return {"file": str(file), "key": key, "value": written}


def _unset(key: str) -> dict[str, object]:
    from starweaver_cli.product import PRODUCT
    from starweaver_host.build import known_keys
    from starweaver_host.config.edit import unset_value

    with _tried_first() as (file, trial):
        removed = unset_value(trial, key, known_keys(PRODUCT))
    return {"file": str(file), "key": key, "removed": removed}


@contextmanager
def _tried_first() -> Iterator[tuple[Path, Path]]:
    """The user's file, and a copy beside it that takes its place if the product has no new problem with it.

    A file that is broken already can be repaired key by key: only problems that the edit added are refused.
    """
    import os

    from starweaver_cli.product import PRODUCT
    from starweaver_host.config.load import user_file
    from starweaver_host.config.places import find_places
    from starweaver_host.config.reading import read_file
    from starweaver_host.contract.errors import StartupError

    file = user_file(PRODUCT, find_places())
    trial = file.with_name(f".{file.name}.{os.getpid()}")
    old = read_file(file)
    with _refused_by_the_disk(file), _copied(old, trial):
        with _about(file, trial):
            yield file, trial
        before = {problem.message for problem in _problems(file, named=file)}
        added = [problem for problem in _problems(trial, named=file) if problem.message not in before]
        if added:
            raise StartupError(PRODUCT.name, added)
        _keep(file, old, read_file(trial))


@contextmanager
def _copied(content: bytes | None, trial: Path) -> Iterator[None]:
    """The copy, in a folder that may have to be made, for as long as the block runs."""
    trial.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        if content is not None:
            trial.touch(mode=0o600)
            trial.write_bytes(content)
        yield
    finally:
        trial.unlink(missing_ok=True)


def _keep(file: Path, old: bytes | None, new: bytes | None) -> None:
    """Let the user's file, or the file that a link of theirs leads to, hold what the copy holds."""
    from starweaver_host.config.files import write_atomically

    if new is not None and new != old:
        write_atomically(file, new.decode())


@contextmanager
def _refused_by_the_disk(file: Path) -> Iterator[None]:
    from starweaver_host.contract.errors import ConfigError

    try:
        yield
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise ConfigError(f"configuration cannot be written: {reason}", path=str(file)) from error


@contextmanager
def _about(file: Path, trial: Path) -> Iterator[None]:
    """Errors of the copy are told of the user's file."""
    from starweaver_host.contract.errors import ConfigError

    try:
        yield
    except ConfigError as error:
        raise ConfigError(error.message.replace(str(trial), str(file)), hint=error.hint) from error


def _problems(file: Path, *, named: Path) -> tuple[StarweaverError, ...]:
    """What keeps the product from starting with this file, told as if it were the one named."""
    import os

    from starweaver_cli.product import PRODUCT
    from starweaver_host.build import compose
    from starweaver_host.contract.errors import StartupError

    try:
        compose(PRODUCT, file if os.path.lexists(file) else None)
    except StartupError as error:
        for problem in error.problems:
            problem.message = problem.message.replace(str(file), str(named))
        return error.problems
    return ()


def _tell(written: dict[str, object], output: str) -> None:
    if output == "json":
        from starweaver_cli.render.wire import write_json

        write_json(written)
    elif "removed" in written:
        click.echo(f"{written['key']} {'removed' if written['removed'] else 'was not set'} ({written['file']})")
    else:
        click.echo(f"{written['key']} = {json.dumps(written['value'], default=str)} ({written['file']})")


__all__ = ["command"]
