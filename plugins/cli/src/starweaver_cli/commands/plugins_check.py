"""`sw plugins check`: compose the product without opening anything, and report every problem."""

from __future__ import annotations

import click

from starweaver_cli.options import output_option


@click.command("check")
@output_option("text", "json")
def command(output: str) -> None:
    """Compose the product, open nothing, and report every problem at once."""
    from starweaver_cli.failures import expected_errors

    with expected_errors(as_json=output != "text"):
        _check(output)


def _check(output: str) -> None:
    from starweaver_cli.product import PRODUCT
    from starweaver_host.build import compose

    application = compose(PRODUCT)
    registry = application.registry
    offers = [(group.kind, offer) for group in registry for offer in group] if registry is not None else []
    if output == "json":
        from starweaver_cli.render.wire import write_json

        rows = [{"kind": kind, "name": offer.name, "plugin": offer.plugin.plugin} for kind, offer in offers]
        write_json({"product": application.product, "offers": rows, "problems": []})
        return
    from starweaver_cli.render.stream import write_line

    for kind, offer in offers:
        write_line(f"{kind.replace('_', ' ')}: {offer.described}")
    write_line("no problems")


__all__ = ["command"]
