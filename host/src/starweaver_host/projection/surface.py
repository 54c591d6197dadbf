"""The surface: which events of a log are the model's current context.

One transition serves the incremental and the full fold. `check_form` is what can be said about one event alone; whether
a replaced range exists is known to the fold only. A rewind is a message that replaces what it abandons.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

import msgspec

from starweaver_host.contract.events import SURFACE_TYPES, Event, Replace, SurfaceOp, ToolResult

Surface = Literal["current", "shadowed", "log-only"]
_SEQ_MAX = 2**53 - 1  # what every JSON reader can hold
_HEAD = -1


class Replacement(NamedTuple):
    """A replacing event: its seq, the range it named, and the nodes it took off, in surface order."""

    seq: int
    start: int
    end: int
    shadowed_seqs: tuple[int, ...]


class _ResultKey(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """What a rewritten tool result must keep; only its content may change."""

    call_id: str
    name: str | None = None
    is_error: bool = False


_RESULT_KEYS = msgspec.json.Decoder(_ResultKey)


def check_form(event_type: str, surface_op: SurfaceOp | None, source_event_seqs: Sequence[int], seq: int) -> None:
    """Raise ValueError when an event's surface fields are malformed whatever stands in the log. Cost: its sources."""
    if event_type not in SURFACE_TYPES:
        if surface_op is not None or source_event_seqs:
            raise ValueError(f"surface fields are for surface types only, found on {event_type!r} at seq {seq}")
        return
    if surface_op is None:
        raise ValueError(f"{event_type!r} needs a surface operation, found none at seq {seq}")
    if source_event_seqs:
        _check_sources(source_event_seqs, seq)
    if isinstance(surface_op, Replace):
        _check_range(surface_op, source_event_seqs, seq)
    elif surface_op not in ("append", "none"):
        raise ValueError(f"surface operation must be append, none or a replacement, found {surface_op!r} at seq {seq}")


class SurfaceFold:
    """Folds a log event by event. A failed `apply` raises ValueError and leaves the fold as it was.

    `first_seq` starts a window inside a log: a replacement that reaches before it fails. Cost: constant per event, and
    once per shadowed node.
    """

    def __init__(self, first_seq: int = 0) -> None:
        self._first_seq = first_seq
        self._next_seq = first_seq
        self._after: dict[int, int] = {}  # node -> the node behind it; _HEAD leads to the first, _HEAD ends the list
        self._before: dict[int, int] = {}
        self._after[_HEAD] = self._before[_HEAD] = _HEAD
        self._results: dict[int, _ResultKey | None] = {}
        self._shadowed: set[int] = set()
        self._replacements: list[Replacement] = []

    @property
    def next_seq(self) -> int:
        """The seq the next event must have."""
        return self._next_seq

    @property
    def nodes(self) -> tuple[int, ...]:
        """The current seqs in model order, which need not ascend."""
        return tuple(self._walk(self._after[_HEAD]))

    @property
    def replacements(self) -> tuple[Replacement, ...]:
        """The replacements so far, in log order."""
        return tuple(self._replacements)

    def classify(self, seq: int) -> Surface:
        """Tell what an event is to the surface now. Raises ValueError for a seq that was not applied."""
        if not self._first_seq <= seq < self._next_seq:
            raise ValueError(f"seq must be in [{self._first_seq}, {self._next_seq}), found {seq}")
        if seq in self._after:
            return "current"
        return "shadowed" if seq in self._shadowed else "log-only"

    def apply(self, event: Event) -> None:
        """Take the next event of the log."""
        seq, operation = event.seq, event.surface_op
        if seq != self._next_seq:
            raise ValueError(f"seq must be {self._next_seq}, found {seq}")
        check_form(event.type, operation, event.source_event_seqs, seq)
        result = _result_key(event)
        if isinstance(operation, Replace):
            shadowed = self._shadowed_range(operation, frozenset(event.source_event_seqs), seq)
            if event.type == ToolResult.event_type:
                self._check_rewrite(shadowed, result, seq)
            self._replace(operation, shadowed, seq)
        elif operation == "append":
            self._link(self._before[_HEAD], seq, _HEAD)
        if operation not in (None, "none") and event.type == ToolResult.event_type:
            self._results[seq] = result
        self._next_seq = seq + 1

    def _shadowed_range(self, operation: Replace, sources: frozenset[int], seq: int) -> tuple[int, ...]:
        for edge in (operation.start, operation.end):
            if edge not in self._after:
                raise ValueError(
                    f"a replaced range must begin and end on the surface, {edge} is not on it at seq {seq}"
                )
        shadowed = []
        for node in self._walk(operation.start):
            if node not in sources:
                break
            shadowed.append(node)
            if node == operation.end:
                return tuple(shadowed)
        raise self._range_error(operation, seq)

    def _range_error(self, operation: Replace, seq: int) -> ValueError:
        if operation.end in self._walk(operation.start):
            return ValueError(f"source_event_seqs must hold every replaced node, one is missing at seq {seq}")
        found = f"{operation.start} stands behind {operation.end}"
        return ValueError(f"a replaced range must not end before it begins, {found} at seq {seq}")

    def _check_rewrite(self, shadowed: tuple[int, ...], result: _ResultKey | None, seq: int) -> None:
        if len(shadowed) != 1 or shadowed[0] not in self._results:
            raise ValueError(f"a tool result may replace one tool result, found {len(shadowed)} nodes at seq {seq}")
        if result is None or self._results[shadowed[0]] != result:
            raise ValueError(
                f"a rewritten tool result must keep its call, name and error flag, found others at seq {seq}"
            )

    def _replace(self, operation: Replace, shadowed: tuple[int, ...], seq: int) -> None:
        before, after = self._before[operation.start], self._after[operation.end]
        for node in shadowed:
            del self._after[node], self._before[node]
            self._results.pop(node, None)
        self._shadowed.update(shadowed)
        self._link(before, seq, after)
        self._replacements.append(Replacement(seq, operation.start, operation.end, shadowed))

    def _link(self, before: int, node: int, after: int) -> None:
        self._after[before] = self._before[after] = node
        self._after[node], self._before[node] = after, before

    def _walk(self, node: int) -> Iterable[int]:
        while node != _HEAD:
            yield node
            node = self._after[node]


def fold_surface(events: Iterable[Event], first_seq: int = 0) -> SurfaceFold:
    """Fold a whole log, or a window of one that begins at `first_seq`. Raises ValueError as a whole."""
    surface = SurfaceFold(first_seq)
    for event in events:
        surface.apply(event)
    return surface


def _check_sources(sources: Sequence[int], seq: int) -> None:
    if any(type(source) is not int or not 0 <= source < seq for source in sources):
        raise ValueError(f"source_event_seqs must be earlier seqs, found {list(sources)[:8]} at seq {seq}")
    if len(set(sources)) != len(sources):
        raise ValueError(f"source_event_seqs must not repeat, found {list(sources)[:8]} at seq {seq}")


def _check_range(operation: Replace, sources: Sequence[int], seq: int) -> None:
    for edge in (operation.start, operation.end):
        if type(edge) is not int or not 0 <= edge <= _SEQ_MAX:
            raise ValueError(f"a replaced range must be given by seqs, found {edge!r} at seq {seq}")
        if edge not in sources:
            raise ValueError(f"source_event_seqs must hold every replaced node, {edge} is missing at seq {seq}")


def _result_key(event: Event) -> _ResultKey | None:
    if event.type != ToolResult.event_type:
        return None
    try:
        return _RESULT_KEYS.decode(event.data)
    except msgspec.MsgspecError:
        return None


__all__ = ["Replacement", "Surface", "SurfaceFold", "check_form", "fold_surface"]
