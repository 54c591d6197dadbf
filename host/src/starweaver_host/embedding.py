"""Objects of an embedding program as fillings of slots, for `Application.of`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any, TypeAlias, TypeVar

from .contract.registration import ProviderContext, ProviderKind
from .fillings import PLAIN, PROTOCOLS, Filling

T = TypeVar("T")
Given: TypeAlias = T | AbstractAsyncContextManager[T] | Callable[[ProviderContext], AbstractAsyncContextManager[T]]
"""A provider as a program may give it: open, as a lifetime, or as a function from the context to a lifetime."""


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


def _filling(slot: str, kind: ProviderKind, name: str, given: Any, *, many: bool = False) -> Filling:
    protocol = PROTOCOLS.get(kind)
    is_open = kind in PLAIN or (isinstance(given, protocol) if protocol else not hasattr(given, "__aenter__"))
    is_late = kind not in PLAIN and callable(given) and not hasattr(given, "__aenter__")

    def make(context: ProviderContext) -> object:
        if is_open:
            return given if kind in PLAIN else nullcontext(given)
        return given(context) if is_late else given

    return Filling(slot, kind, name, "embedded", f"{slot} {name!r} of the embedding program", make, many)


__all__ = ["Given", "fillings_of"]
