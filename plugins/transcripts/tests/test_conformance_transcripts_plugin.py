"""The plugin module and its registrations keep the plugin suite of the conformance kit."""

from __future__ import annotations

from starweaver_host.conformance.plugins import PluginConformance


class TestTranscriptsPlugin(PluginConformance):
    """As installed."""

    capabilities = frozenset({"packaged"})
    plugin_module = "starweaver_transcripts.plugin"
