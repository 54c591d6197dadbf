"""PluginConformance: what a host expects of a plugin module and of the registrations it yields."""

from __future__ import annotations

from .importing import ImportingRules
from .opening import OpeningRules
from .registering import RegisteringRules


class PluginConformance(ImportingRules, RegisteringRules, OpeningRules):
    """The whole suite. Subclass it as `TestYourPlugin` and name the plugin's module.

    class TestYourPlugin(PluginConformance):
        capabilities = frozenset({"packaged"})
        plugin_module = "starweaver_yours.plugin"
    """


__all__ = ["PluginConformance"]
