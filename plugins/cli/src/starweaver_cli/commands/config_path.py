"""`sw config path`: where the configuration and the data are."""

from __future__ import annotations

import click

from starweaver_cli.options import output_option


@click.command("path")
@output_option("text", "json")
def command(output: str) -> None:
    """Print the path of the configuration file (existing or not); JSON adds the data directory."""
    from starweaver_cli.product import PRODUCT
    from starweaver_host.config.load import user_file
    from starweaver_host.config.places import find_places

    places = find_places()
    file = user_file(PRODUCT, places)
    if output == "json":
        from starweaver_cli.render.wire import write_json

        write_json({"file": str(file), "exists": file.exists(), "dataDir": str(places.data.path)})
    else:
        click.echo(file)


__all__ = ["command"]
