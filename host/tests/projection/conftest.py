"""Logs for projection tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
import pytest

from starweaver_host.contract.events import Event, NewEvent

Store = Callable[[Sequence[NewEvent]], list[Event]]


def as_stored(events: Sequence[NewEvent]) -> list[Event]:
    """Events as a store hands them out: numbered, their data encoded."""
    return [
        Event(
            seq=seq,
            type=event.type,
            time=event.time,
            data=msgspec.Raw(msgspec.json.encode(event.data)),
            run_id=event.run_id,
            surface_op=event.surface_op,
            source_event_seqs=event.source_event_seqs,
            identity=event.identity,
        )
        for seq, event in enumerate(events)
    ]


@pytest.fixture(scope="session")
def stored() -> Store:
    """The function that numbers and encodes events as a store does."""
    return as_stored
