"""The plugin: describes one source, and imports it when it is built."""

from __future__ import annotations

from collections.abc import Iterator

from starweaver_host.contract.registration import TranscriptSourceRegistration
from starweaver_host.contract.transcripts import TranscriptSource
from starweaver_host.hooks import hookimpl


def make_source(_config: object) -> TranscriptSource:
    """Build the source."""
    from .source import AcmeSource

    return AcmeSource()


@hookimpl
def starweaver_transcript_sources() -> Iterator[TranscriptSourceRegistration]:
    """Offer the source `acme`."""
    yield TranscriptSourceRegistration(name="acme", summary="sessions of Acme", contract="1.0", factory=make_source)
