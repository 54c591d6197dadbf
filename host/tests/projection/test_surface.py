"""The surface fold against its rules and against a plain list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starweaver_host.contract.events import Event, Replace, SurfaceOp, ToolResult, UserMessage
from starweaver_host.projection.surface import Replacement, SurfaceFold, check_form, fold_surface

SURFACE = ("user/message", "assistant/message", "tool/result")


def event(
    seq: int,
    operation: SurfaceOp | None = "append",
    sources: Sequence[int] = (),
    *,
    kind: str = "user/message",
    data: object = None,
) -> Event:
    payload = UserMessage(content=()) if data is None else data
    return Event(
        seq=seq,
        type=kind,
        time=0,
        data=msgspec.Raw(msgspec.json.encode(payload)),
        surface_op=operation,
        source_event_seqs=tuple(sources),
    )


def replace(start: int, end: int) -> Replace:
    return Replace(start=start, end=end)


def result(seq: int, operation: SurfaceOp = "append", sources: Sequence[int] = (), **fields: Any) -> Event:
    data: dict[str, Any] = {"call_id": "c", "name": "read", "text": "long", "size_bytes": 4} | fields
    return event(seq, operation, sources, kind="tool/result", data=ToolResult(**data))


def state(surface: SurfaceFold) -> tuple[object, ...]:
    return surface.next_seq, surface.nodes, surface.replacements, [surface.classify(s) for s in range(surface.next_seq)]


def test_surface_holds_appended_messages_in_order() -> None:
    """Appends are current; other types and messages of an abandoned branch are log-only."""
    surface = fold_surface([event(0), event(1, None, kind="turn/start"), event(2, "none"), event(3)])

    assert surface.nodes == (0, 3)
    assert [surface.classify(seq) for seq in range(4)] == ["current", "log-only", "log-only", "current"]


@pytest.mark.parametrize(
    ("start", "end", "nodes"),
    [(0, 3, (4,)), (0, 1, (4, 2, 3)), (1, 2, (0, 4, 3)), (2, 2, (0, 1, 4, 3)), (2, 3, (0, 1, 4))],
)
def test_surface_puts_a_replacement_in_the_place_of_its_range(start: int, end: int, nodes: tuple[int, ...]) -> None:
    """Whole surface, head, middle, one node, tail."""
    sources = tuple(range(start, end + 1))

    surface = fold_surface([*map(event, range(4)), event(4, replace(start, end), sources)])

    assert surface.nodes == nodes
    assert surface.replacements == (Replacement(4, start, end, sources),)
    assert {surface.classify(seq) for seq in sources} == {"shadowed"}


def test_surface_orders_a_range_by_position_not_by_number() -> None:
    """After a replacement in the front, a range may begin with a larger seq than it ends with."""
    surface = fold_surface([event(0), event(1), event(2, replace(0, 0), [0]), event(3, replace(2, 1), [1, 2])])

    assert surface.nodes == (3,)
    assert surface.replacements[1] == Replacement(3, 2, 1, (2, 1))
    assert surface.classify(2) == "shadowed"


def test_surface_accepts_extra_sources_of_a_replacement() -> None:
    """Provenance may name more than what is replaced, log-only events too."""
    surface = fold_surface([event(0), event(1, None, kind="compaction/start"), event(2, replace(0, 0), [1, 0])])

    assert surface.nodes == (2,)


@pytest.mark.parametrize(
    ("kind", "operation", "sources", "message"),
    [
        ("turn/start", "append", (), "surface types only"),
        ("turn/start", None, (0,), "surface types only"),
        ("user/message", None, (), "needs a surface operation"),
        ("user/message", "prepend", (), "append, none or a replacement"),
        ("user/message", "append", (3,), "earlier seqs"),
        ("user/message", "append", (-1,), "earlier seqs"),
        ("user/message", "append", (True,), "earlier seqs"),
        ("user/message", "append", (0.5,), "earlier seqs"),
        ("user/message", "append", (0, 0), "not repeat"),
        ("user/message", replace(0, 1), (), "every replaced node"),
        ("user/message", replace(0, 1), (0,), "every replaced node"),
        ("user/message", replace(-1, 1), (0, 1), "given by seqs"),
        ("user/message", Replace(start=False, end=1), (0, 1), "given by seqs"),
    ],
)
def test_form_of_a_malformed_event_is_refused(kind: str, operation: Any, sources: Any, message: str) -> None:
    """What is wrong with one event alone is found without the log."""
    with pytest.raises(ValueError, match=message):
        check_form(kind, operation, sources, 3)


@pytest.mark.parametrize("kind", SURFACE)
def test_form_of_a_sound_event_is_accepted(kind: str) -> None:
    """Sources are optional on an append and keep whatever order they have."""
    check_form(kind, "append", (), 3)
    check_form(kind, "append", (2, 0), 3)
    check_form(kind, "none", (1,), 3)
    check_form(kind, replace(1, 0), (2, 1, 0), 3)
    check_form("todo/write", None, (), 3)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (event(5), "seq must be 4"),
        (event(3), "seq must be 4"),
        (event(4, replace(1, 1), [1]), "1 is not on it"),
        (event(4, replace(0, 1), [0, 1]), "1 is not on it"),
        (event(4, replace(3, 0), [0, 3]), "not end before it begins"),
        (event(4, replace(0, 3), [0, 3]), "one is missing"),
        (event(4, None), "needs a surface operation"),
    ],
)
def test_surface_refuses_what_does_not_fit_and_stays_as_it_was(bad: Event, message: str) -> None:
    """A failed transition changes nothing, so the right event can still follow."""
    surface = fold_surface([event(0), event(1, "none"), event(2), event(3)])
    before = state(surface)

    with pytest.raises(ValueError, match=message):
        surface.apply(bad)

    assert state(surface) == before
    surface.apply(event(4, replace(0, 3), [0, 2, 3]))
    assert surface.nodes == (4,)


def test_surface_lets_a_tool_result_be_rewritten() -> None:
    """A pruned result stands where the long one stood; its text, size and images may differ, again and again."""
    first, second = result(0), result(1, replace(0, 0), [0], text="", size_bytes=0)

    surface = fold_surface([first, second, result(2, replace(1, 1), [1], text="x", images=1)])

    assert surface.nodes == (2,)


@pytest.mark.parametrize(
    "rewrite",
    [
        result(2, replace(1, 1), [1], call_id="other"),
        result(2, replace(1, 1), [1], name="write"),
        result(2, replace(1, 1), [1], name=None),
        result(2, replace(1, 1), [1], is_error=True),
        event(2, replace(1, 1), [1], kind="tool/result", data={"odd": 1}),
        result(2, replace(0, 0), [0]),
        result(2, replace(0, 1), [0, 1]),
    ],
)
def test_surface_refuses_a_rewrite_that_changes_the_call(rewrite: Event) -> None:
    """A result may replace exactly one result, of the same call, with the same name and error flag."""
    surface = fold_surface([event(0), result(1)])
    before = state(surface)

    with pytest.raises(ValueError, match="tool result"):
        surface.apply(rewrite)

    assert state(surface) == before


def test_surface_lets_a_message_replace_tool_results() -> None:
    """A compaction's summary replaces whatever there is; the rewrite rule binds results only."""
    surface = fold_surface([event(0), result(1), event(2, replace(0, 1), [0, 1])])

    assert surface.nodes == (2,)


def test_surface_of_a_window_begins_at_its_first_seq() -> None:
    """A window folds by itself; a replacement that reaches before it is refused."""
    surface = fold_surface([event(400_000), event(400_001)], first_seq=400_000)

    with pytest.raises(ValueError, match="399999 is not on it"):
        surface.apply(event(400_002, replace(399_999, 400_000), [399_999, 400_000]))
    assert surface.nodes == (400_000, 400_001)


@pytest.mark.parametrize("seq", [-1, 2])
def test_surface_classifies_only_what_it_has_seen(seq: int) -> None:
    """An unknown seq is an error, not log-only."""
    surface = fold_surface([event(0), event(1)])

    with pytest.raises(ValueError, match="seq must be in"):
        surface.classify(seq)


class ListSurface:
    """The same rules on a plain list; quadratic, for comparison."""

    def __init__(self) -> None:
        self.nodes: list[int] = []
        self.shadowed: set[int] = set()

    def apply(self, seq: int, operation: SurfaceOp | None, sources: Sequence[int]) -> bool:
        """Tell whether the event was accepted."""
        if isinstance(operation, Replace):
            if operation.start not in self.nodes or operation.end not in self.nodes:
                return False
            first, last = self.nodes.index(operation.start), self.nodes.index(operation.end)
            removed = self.nodes[first : last + 1]
            if first > last or not set(removed) <= set(sources):
                return False
            self.nodes[first : last + 1] = [seq]
            self.shadowed.update(removed)
        elif operation == "append":
            self.nodes.append(seq)
        return True


@given(st.data())
@settings(deadline=None, max_examples=200)
def test_surface_equals_a_plain_list_for_any_log(data: st.DataObject) -> None:
    """Accepts, refuses, orders and classifies as the rules on a list do, event by event."""
    surface, oracle = SurfaceFold(), ListSurface()
    accepted: list[Event] = []
    for _ in range(data.draw(st.integers(0, 25))):
        seq = len(accepted)
        operation: SurfaceOp = data.draw(st.sampled_from(["append", "append", "none"]))
        sources: list[int] = []
        if seq and data.draw(st.booleans()):
            edges = st.one_of(st.sampled_from(oracle.nodes or [0]), st.integers(0, seq - 1))
            operation = replace(data.draw(edges), data.draw(edges))
            missing = data.draw(st.sets(st.integers(0, seq - 1), max_size=1))
            sources = [source for source in range(seq) if source not in missing or data.draw(st.booleans())]
        candidate = event(seq, operation, sources)
        try:
            surface.apply(candidate)
        except ValueError:
            refused = {operation.start, operation.end} - set(sources) if isinstance(operation, Replace) else set()
            assert refused or not oracle.apply(seq, operation, sources)
        else:
            assert oracle.apply(seq, operation, sources)
            accepted.append(candidate)

        assert surface.nodes == tuple(oracle.nodes)

    assert state(fold_surface(accepted)) == state(surface)
    assert {seq for seq in range(len(accepted)) if surface.classify(seq) == "shadowed"} == oracle.shadowed


def test_surface_walks_only_what_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Long logs fold in linear time: a compaction costs the nodes it takes off, an append costs nothing more."""
    walked = 0
    walk = SurfaceFold._walk

    def counting(self: SurfaceFold, node: int) -> Any:
        nonlocal walked
        for step in walk(self, node):
            walked += 1
            yield step

    monkeypatch.setattr(SurfaceFold, "_walk", counting)
    surface = fold_surface(map(event, range(20_000)))
    surface.apply(event(20_000, replace(15_000, 19_999), range(15_000, 20_000)))
    surface.apply(event(20_001, replace(10, 11), [10, 11]))

    assert walked == 5_002
