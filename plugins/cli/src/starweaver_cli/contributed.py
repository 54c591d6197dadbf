"""Commands that plugins contribute through `starweaver_commands`.

Asked for only when a name is in no table of ours, so that the product's own commands never load plugins for it. A
command of ours cannot be replaced by one of a plugin.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

import click

if TYPE_CHECKING:
    from starweaver_host.contract.registration import CommandRegistration


def contributed_commands(*group: str) -> Mapping[str, click.Command]:
    """Commands that the product's plugins place below `group`, by name.

    Empty when the product cannot be composed: `sw plugins check` says why, and the name is then simply not known.
    """
    from starweaver_host.config.load import read_config
    from starweaver_host.contract.errors import StartupError
    from starweaver_host.discovery import discover
    from starweaver_host.registry import load_registry

    from .product import PRODUCT

    try:
        registry = load_registry(PRODUCT.name, read_config(PRODUCT).listings, discover())
    except StartupError:
        return {}
    found = [cast("CommandRegistration", offer.registration) for offer in registry.offers("command")]
    return {each.path[-1]: _load(each) for each in found if each.path[:-1] == group}


def _load(registration: CommandRegistration) -> click.Command:
    command = registration.load()
    if not isinstance(command, click.Command):
        raise TypeError(f"command {' '.join(registration.path)!r} is {type(command).__name__}, wanted a click.Command")
    return command


__all__ = ["contributed_commands"]
