"""What the plugin offers, and what importing it costs."""

from __future__ import annotations

import subprocess
import sys

import pytest

from starweaver_host.contract.transcripts import TranscriptSource
from starweaver_host.contract.version import is_compatible
from starweaver_transcripts import plugin

REGISTRATIONS = {each.name: each for each in plugin.starweaver_transcript_sources()}


def test_plugin_offers_five_sources():
    """Each tool has its importer, built for this contract."""
    assert sorted(REGISTRATIONS) == ["claude-code", "codex", "gemini-cli", "opencode", "pi"]
    assert all(is_compatible(each.contract) for each in REGISTRATIONS.values())


@pytest.mark.parametrize("name", sorted(REGISTRATIONS))
def test_factory_builds_the_source_it_names(name):
    """A registration's factory gives a source of the same name."""
    source = REGISTRATIONS[name].factory(None)

    assert isinstance(source, TranscriptSource)
    assert source.name == name


def test_plugin_module_loads_no_importer():
    """Listing the importers imports none of them, nor anything that only reading needs."""
    program = (
        "import sys; from starweaver_transcripts import plugin; list(plugin.starweaver_transcript_sources());"
        "print([name for name in sys.modules if name.startswith(('starweaver_transcripts.', 'asyncio', 'sqlite3'))])"
    )

    printed = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout

    assert printed.strip() == "['starweaver_transcripts.plugin']"
