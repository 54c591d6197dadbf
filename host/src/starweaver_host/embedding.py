"""Objects of an embedding program as fillings of slots, for `Application.of`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import nullcontext

from .contract.registration import ProviderContext, ProviderKind
from .fillings import PLAIN, PROTOCOLS, Filling


def fillings_of(
    *, store: object, search: object | None, sources: Mapping[str, object], handles: Mapping[str, object]
) -> list[Filling]:
    """One filling per object given."""
    return list(_fillings(store, search, sources, handles))


def _fillings(
    store: object, search: object | None, sources: Mapping[str, object], handles: Mapping[str, object]
) -> Iterator[Filling]:
    yield _filling("store", "session_store", "given", store)
    if search is not None:
        yield _filling("search", "search_provider", "given", search)
    for name, source in sources.items():
        yield _filling("sources", "transcript_source", name, source, many=True)
    for name, handle in handles.items():
        yield _filling("handles", "agent_handle", name, handle, many=True)


def _filling(slot: str, kind: ProviderKind, name: str, given: object, *, many: bool = False) -> Filling:
    protocol = PROTOCOLS.get(kind)
    is_open = kind in PLAIN or (isinstance(given, protocol) if protocol else not hasattr(given, "__aenter__"))

    def make(context: ProviderContext) -> object:  # noqa: ARG001 - what is given was made without one
        return given if kind in PLAIN or not is_open else nullcontext(given)

    return Filling(slot, kind, name, "embedded", f"{slot} {name!r} of the embedding program", make, many)


__all__ = ["fillings_of"]
