"""`sw plugins list`: what is installed and what this product lists. Imports no plugin, so broken ones do no harm."""

from __future__ import annotations

import click

from starweaver_cli.options import output_option


@click.command("list")
@output_option("text", "json")
def command(output: str) -> None:
    """List installed plugins and tell which ones this product enables. Installed is not enabled."""
    from starweaver_cli.product import PRODUCT
    from starweaver_host.config.load import read_config
    from starweaver_host.discovery import discover

    found = discover()
    listings = read_config(PRODUCT).listings
    enabled = {listing.plugin for listing in listings}
    missing = sorted(enabled - set(found.names))
    if output == "json":
        from starweaver_cli.render.wire import write_json

        rows = [{**candidate._asdict(), "enabled": candidate.plugin in enabled} for candidate in found.candidates]
        write_json({"plugins": rows, "missing": missing})
        return
    from starweaver_cli.render.stream import write_line

    for candidate in found.candidates:
        mark = "enabled  " if candidate.plugin in enabled else "installed"
        write_line(f"{mark}  {candidate.plugin}  {candidate.distribution} {candidate.version}")
    for name in missing:
        write_line(f"missing    {name}  (listed in plugins, not installed)")


__all__ = ["command"]
