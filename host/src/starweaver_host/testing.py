"""For tests of plugins and products: plugin modules from registrations, installed distributions, composed products.

Needs no pytest. Clock, logger and provider context are the conformance kit's own, so that a provider meets the same
surroundings in its own tests and in the kit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from .application import Application
from .build import compose
from .config.model import C, ProductDefinition
from .config.places import places_in
from .conformance.context import ManualClock, QuietLogger, provider_context
from .contract.registration import Registration
from .hooks import hookimpl
from .registry import HOOKS
from .runtime import inline_offload


def plugin_module(name: str, *registrations: Registration) -> ModuleType:
    """A plugin as a module that yields these registrations; nothing is installed or put into `sys.modules`."""
    module = ModuleType(name)
    for hook in HOOKS:
        offered = [item for item in registrations if isinstance(item, hook.registration)]
        if offered:
            setattr(module, hook.name, _hook(hook.name, offered))
    return module


def install_distribution(
    folder: Path,
    name: str,
    *,
    version: str = "1.0",
    plugins: Mapping[str, str] | None = None,
    modules: Mapping[str, str] | None = None,
) -> Path:
    """Install a distribution into `folder` (which a test puts on the path): metadata and modules as an installer would.

    `plugins` maps plugin name to module, `modules` dotted module name to source. Returns the metadata folder.
    """
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", encoding="utf-8")
    points = "".join(f"{plugin} = {module}\n" for plugin, module in (plugins or {}).items())
    (info / "entry_points.txt").write_text(f"[starweaver.plugins]\n{points}", encoding="utf-8")
    for module, source in (modules or {}).items():
        path = folder.joinpath(*module.split(".")).with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source, encoding="utf-8")
    return info


def compose_product(
    product: ProductDefinition[C],
    folder: Path,
    modules: Mapping[str, ModuleType],
    *,
    toml: str = "",
    environ: Mapping[str, str] | None = None,
) -> Application[C]:
    """Compose a product of these plugins with its directories below `folder` and `toml` as the user's file.

    The clock stands still, the logger is quiet, blocking work runs inline. Raises StartupError as `compose` does.
    """
    places = places_in(folder)
    places.config.path.mkdir(parents=True, exist_ok=True)
    (places.config.path / product.file_name).write_text(toml, encoding="utf-8")
    return compose(
        product,
        environ=environ or {},
        places=places,
        modules=modules,
        clock=ManualClock(),
        logger=QuietLogger(),
        offload=inline_offload,
    )


def _hook(name: str, registrations: Iterable[Registration]) -> Callable[[], Any]:
    def offer() -> Iterable[Registration]:
        yield from registrations

    offer.__name__ = name
    return hookimpl(offer)


__all__ = [
    "ManualClock",
    "QuietLogger",
    "compose_product",
    "install_distribution",
    "plugin_module",
    "provider_context",
]
