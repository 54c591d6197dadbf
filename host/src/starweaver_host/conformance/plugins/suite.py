"""What the groups of the plugin suite share: the author's one attribute, and the plugin's registrations."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Any, ClassVar, NamedTuple, get_args, get_type_hints

from starweaver_host import hooks
from starweaver_host.conformance.suite import ConformanceSuite
from starweaver_host.contract.registration import Registration

HOOKS: Mapping[str, type[Registration]] = {
    name: get_args(get_type_hints(spec)["return"])[0]
    for name, spec in vars(hooks).items()
    if name.startswith("starweaver_") and callable(spec)
}
"""Hook -> the class of what it yields."""


class Offered(NamedTuple):
    """A registration and the hook that yielded it."""

    hook: str
    registration: Registration

    def __str__(self) -> str:
        return f"{self.registration.name!r} of {self.hook}"


class PluginSuite(ConformanceSuite):
    """Base of the groups. An author's class says `plugin_module`, and perhaps `requires_config`."""

    CAPABILITIES: ClassVar[Mapping[str, str]] = {
        "packaged": "the plugin is installed by a distribution that declares its entry point",
    }

    plugin_module: ClassVar[str]
    """The module that the entry point names, for instance `starweaver_lmdb.plugin`."""

    requires_config: ClassVar[frozenset[str]] = frozenset()
    """Providers that cannot be opened without configuration. All others decode theirs from an empty table."""

    def module(self) -> ModuleType:
        """The plugin."""
        return importlib.import_module(self.plugin_module)

    def implementations(self) -> dict[str, Any]:
        """Hook implementations by name, known or not."""
        found = inspect.getmembers(self.module(), lambda member: hasattr(member, "starweaver_impl"))
        return dict(found)

    def offered(self) -> list[Offered]:
        """Everything the plugin offers."""
        known = {name: hook for name, hook in self.implementations().items() if name in HOOKS}
        return [Offered(name, each) for name, hook in known.items() for each in _yielded(hook)]


def _yielded(hook: Any) -> Iterable[Registration]:
    found = hook()
    assert isinstance(found, Iterable), f"{hook.__name__} must return an iterable, found {type(found).__name__}"
    return list(found)


__all__ = ["HOOKS", "Offered", "PluginSuite"]
