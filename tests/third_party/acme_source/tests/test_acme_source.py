"""The conformance kit over Acme's source and plugin, as they are installed."""

from __future__ import annotations

from pathlib import Path

import pytest
from acme_source.source import AcmeSource

from starweaver_host.conformance.plugins import PluginConformance
from starweaver_host.conformance.transcripts import TranscriptSourceConformance


class TestAcmeSource(TranscriptSourceConformance):
    """A source of lines."""

    capabilities = frozenset({"lines"})

    @pytest.fixture
    def source(self):
        """The source."""
        return AcmeSource()

    @pytest.fixture
    def write_sample(self):
        """A session of two turns."""
        return lambda root: Path(root, "one.acme").write_text("rotate it\tdone\nagain\tdone again\n")


class TestAcmePlugin(PluginConformance):
    """An installed plugin."""

    capabilities = frozenset({"packaged"})
    plugin_module = "acme_source.plugin"
