"""`sw config show`: every effective key, its value and where it is said. Imports no plugin."""

from __future__ import annotations

import json

import click

from starweaver_cli.options import output_option


@click.command("show")
@output_option("text", "json")
def command(output: str) -> None:
    """Print the effective configuration, with the file and line each value comes from."""
    from starweaver_cli.failures import expected_errors

    with expected_errors(as_json=output != "text"):
        _show(output)


def _show(output: str) -> None:
    from starweaver_cli.failures import raise_first
    from starweaver_cli.product import PRODUCT
    from starweaver_host.config.load import read_config
    from starweaver_host.config.show import effective_entries

    reading = read_config(PRODUCT)
    try:
        entries = effective_entries(reading.layers)
    except LookupError:
        raise_first(reading.problems)
    if output == "json":
        from starweaver_cli.render.wire import write_json

        write_json({"keys": [{"key": entry.key, "value": entry.value, "where": entry.where} for entry in entries]})
        return
    from starweaver_cli.render.stream import note, write_line

    for entry in entries:
        write_line(f"{entry.key} = {json.dumps(entry.value, default=str)}  ({entry.where})")
    for problem in reading.problems:
        note(f"problem: {problem.message}" + (f" (hint: {problem.hint})" if problem.hint else ""))


__all__ = ["command"]
