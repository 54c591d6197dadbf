"""`sw config get`: one effective value."""

from __future__ import annotations

import json

import click

from starweaver_cli.options import output_option


@click.command("get")
@click.argument("key")
@output_option("text", "json")
def command(key: str, output: str) -> None:
    """Print the effective value of KEY, a dotted path such as search.provider."""
    from starweaver_cli.failures import expected_errors

    with expected_errors(as_json=output != "text"):
        _get(key, output)


def _get(key: str, output: str) -> None:
    from starweaver_cli.product import PRODUCT
    from starweaver_host.config.edit import parse_key
    from starweaver_host.config.load import load_config, read_config
    from starweaver_host.config.show import effective_value

    reading = read_config(PRODUCT)
    try:
        value = effective_value(reading.layers, parse_key(key))
    except LookupError:
        load_config(PRODUCT)
        raise
    if output == "json":
        from starweaver_cli.render.wire import write_json

        write_json({"key": key, "value": value})
    else:
        click.echo(value if isinstance(value, str) else json.dumps(value, default=str))


__all__ = ["command"]
