"""Any filter over any corpus: a scan equals the plain reading of the store's records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from starweaver_host.conformance.context import START
from starweaver_host.conformance.suite import run
from starweaver_host.contract.corpus import SEARCH_SOURCES, CorpusFilter, CorpusQuery, TimeRange
from starweaver_host.contract.records import AccessScope, ExternalSource, SessionHeader, Workspace
from starweaver_host.contract.registration import ProviderContext
from starweaver_host.contract.transcripts import ImportBatch

from .imports import entry, turn
from .oracle import actual, expected
from .samples import asks, deleted, header, says
from .suite import OpenStore, StoreSuite

_NAMES = ("a", "b", "c", "d")
_TEXTS = st.text(alphabet="aB \n\0\u00df\u0130\u4e2d\u0301", max_size=6)
_FOLDERS = ("/w", "/w/a", "/w/ab", "/w_", "/")
_TIMES = st.integers(START - 5, START + 5)


class Planned(NamedTuple):
    """A session to store: its batch, and whether it is deleted afterwards."""

    batch: ImportBatch
    deleted: bool


@st.composite
def plans(draw: st.DrawFn, name: str) -> Planned:
    """One session of a small world in which values meet often."""
    session = header(
        name,
        created_at=draw(_TIMES),
        owner_id=draw(st.sampled_from([None, "me", "you"])),
        cwd=draw(st.sampled_from([None, *_FOLDERS])),
        workspace=draw(st.sampled_from([None, Workspace(id="w1", label="one"), Workspace(id="one")])),
        parent_session_id=draw(st.sampled_from([None, *_NAMES])),
        external=ExternalSource(source=draw(st.sampled_from(["x", "y"])), native_id=name),
    )
    runs = [
        msgspec.structs.replace(turn(number, name, output=draw(_TEXTS)), status=draw(st.sampled_from(_ENDS)))
        for number in range(1, draw(st.integers(1, 3)))
    ]
    texts = draw(st.lists(st.tuples(_TEXTS, _TIMES, st.sampled_from(["t1", "t2", None])), max_size=4))
    events = [each for text, time, run_id in texts for each in (asks(text), says(text, at=time, run_id=run_id))]
    batch = ImportBatch(
        namespace_id="local",
        source="x",
        session=session,
        title=draw(st.none() | _TEXTS),
        title_source="rule",
        updated_at=draw(_TIMES),
        events=tuple(events),
        runs=tuple(runs),
        ledger=entry(name),
    )
    return Planned(batch, draw(st.booleans()) and draw(st.booleans()))


_ENDS = ("completed", "cancelled")
_OPEN = st.just(TimeRange())
_RANGES = _OPEN | _OPEN | st.builds(TimeRange, start=st.none() | _TIMES, until=st.none() | _TIMES)
_FILTERS = st.builds(
    CorpusFilter,
    statuses=st.sampled_from([(), ("active",), ("deleted",), ("active", "deleted")]),
    run_statuses=st.sampled_from([(), (), ("completed",), _ENDS]),
    workspaces=st.sampled_from([(), (), ("one",), ("w1", "nowhere")]),
    cwd_prefix=st.sampled_from([None, None, *_FOLDERS]),
    session_ids=st.sampled_from([(), (), ("a", "c")]),
    agents=st.sampled_from([(), (), ("x",)]),
    roots=st.sampled_from([(), (), ("a",), ("b", "c")]),
    include_children=st.sampled_from([True, True, True, False]),
    created=_RANGES,
    updated=_RANGES,
    sources=st.sampled_from([SEARCH_SOURCES, SEARCH_SOURCES, SEARCH_SOURCES[:2], SEARCH_SOURCES[3:]]),
)
_SCOPES = st.builds(
    AccessScope,
    owner_id=st.sampled_from([None, None, "me"]),
    session_ids=st.sampled_from([None, None, frozenset("ab")]),
    include_deleted=st.booleans(),
)
_WORLDS = st.permutations(_NAMES).flatmap(lambda names: st.tuples(*(plans(name) for name in names)))
_QUERIES = st.lists(st.builds(CorpusQuery, scope=_SCOPES, filter=_FILTERS), min_size=5, max_size=12)


class ScanningRules(StoreSuite):
    """What the examples of `CorpusRules` cannot exhaust."""

    effort: ClassVar[settings] = settings(
        max_examples=30, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck)
    )
    """How hard it is tried: the same examples in every run, so that conformance does not depend on luck."""

    def test_any_scan_equals_the_plain_reading_of_the_records(
        self, open_store: OpenStore, context: ProviderContext
    ) -> None:
        """Whatever sessions are stored in whatever order, every scope and filter finds what the records say.

        If this fails: the falsifying example is small; compare with `memory.filters` and `projection.documents`.
        """
        worlds = iter(range(1_000_000))

        @self.effort
        @given(_WORLDS, _QUERIES)
        def check(world: Sequence[Planned], queries: Sequence[CorpusQuery]) -> None:
            place = msgspec.structs.replace(context, data_dir=context.data_dir / f"world{next(worlds)}")
            run(_compared(open_store, place, world, queries))

        check()


async def _compared(
    open_store: OpenStore, context: ProviderContext, world: Sequence[Planned], queries: Sequence[CorpusQuery]
) -> None:
    async with open_store(context) as store:
        for planned in world:
            await store.import_batch(planned.batch)
        for planned in world:
            if planned.deleted:
                await deleted(store, _header(planned).session_id)
        for query in queries:
            assert await actual(store, query) == await expected(store, query, _NAMES)


def _header(planned: Planned) -> SessionHeader:
    assert planned.batch.session is not None
    return planned.batch.session


__all__ = ["ScanningRules"]
