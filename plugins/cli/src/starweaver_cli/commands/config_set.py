"""`sw config set`: change one key of the user's file, keeping its comments."""

from __future__ import annotations

import json

import click

from starweaver_cli.options import output_option


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
    from starweaver_host.config.load import user_file
    from starweaver_host.config.places import find_places

    file = user_file(PRODUCT, find_places())
    return {"file": str(file), "key": key, "value": set_value(file, key, value, known_keys(PRODUCT))}


def _unset(key: str) -> dict[str, object]:
    from starweaver_cli.product import PRODUCT
    from starweaver_host.build import known_keys
    from starweaver_host.config.edit import unset_value
    from starweaver_host.config.load import user_file
    from starweaver_host.config.places import find_places

    file = user_file(PRODUCT, find_places())
    return {"file": str(file), "key": key, "removed": unset_value(file, key, known_keys(PRODUCT))}


def _tell(written: dict[str, object], output: str) -> None:
    if output == "json":
        from starweaver_cli.render.wire import write_json

        write_json(written)
    elif "removed" in written:
        click.echo(f"{written['key']} {'removed' if written['removed'] else 'was not set'} ({written['file']})")
    else:
        click.echo(f"{written['key']} = {json.dumps(written['value'], default=str)} ({written['file']})")


__all__ = ["command"]
