"""What fills a slot, and how it is opened and closed: the border between the host and a provider's own code.

A provider is foreign code. Whatever it raises while it opens becomes a start-up problem that names the plugin and
keeps the cause; what it yields is checked against the Protocol of its kind; what it raises while it closes is named
too; and it cannot swallow an error of the program that used it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from types import TracebackType
from typing import Any, NamedTuple

from .contract.errors import PluginError, StartupError, StarweaverError
from .contract.registration import ProviderContext, ProviderKind
from .contract.search import SessionSearchProvider
from .contract.store import SessionStore
from .contract.transcripts import TranscriptSource
from .wording import cause, quoted

PROTOCOLS: Mapping[ProviderKind, type] = {
    "session_store": SessionStore,
    "search_provider": SessionSearchProvider,
    "transcript_source": TranscriptSource,
}
"""Kinds whose opened object is checked; the others are provisional and have no Protocol yet."""

LOOP_FREE = "loop_free"
"""The capability by which a registration says that its provider needs no event loop beside an inline offload."""

PLAIN: frozenset[ProviderKind] = frozenset({"transcript_source", "toolset", "text_policy"})
"""Kinds whose factory returns the object itself; the others return an async context manager."""

NEEDS: Mapping[ProviderKind, tuple[ProviderKind, ...]] = {
    "session_store": (),
    "transcript_source": (),
    "text_policy": (),
    "search_provider": ("session_store",),
    "run_executor": ("session_store", "search_provider"),
    "agent_handle": ("session_store", "search_provider", "run_executor"),
    "toolset": ("session_store", "search_provider", "agent_handle", "text_policy"),
}
"""What is open before a provider of this kind opens. The order of the keys is the order of opening."""


class Filling(NamedTuple):
    """One provider chosen for a slot. `make` calls its factory; `plugin` and `described` are for messages.

    `loop_free`: with an inline offload its coroutines never suspend, so that it can be driven without an event loop.
    """

    slot: str
    kind: ProviderKind
    provider: str
    plugin: str
    described: str
    make: Callable[[ProviderContext], object]
    many: bool = False
    services: tuple[str, ...] = ()
    loop_free: bool = False


class GrantedServices(dict[str, object]):
    """The services a product grants to a provider; asking for another one says so."""

    def __missing__(self, name: str) -> object:
        raise ServiceMissingError(name)


class ServiceMissingError(KeyError):
    """A provider asked for a service that its product does not grant."""


class OpenProvider:
    """The lifetime of one provider, as an async context manager that answers with the opened object."""

    def __init__(self, product: str, filling: Filling, context: ProviderContext) -> None:
        self._product = product
        self._filling = filling
        self._context = context
        self._manager: AbstractAsyncContextManager[object] | None = None

    async def __aenter__(self) -> object:
        try:
            manager = self._managed(self._filling.make(self._context))
            opened = await manager.__aenter__()
        except StarweaverError:
            raise
        except ServiceMissingError as error:
            raise self._problem("slot_empty", f"wants service {error.args[0]!r}, which is not granted") from error
        except Exception as error:
            raise self._problem("open_failed", f"failed to open: {cause(error)}") from error
        self._manager = manager
        missing = _missing(opened, PROTOCOLS.get(self._filling.kind))
        if missing:
            wrong = self._problem("wrong_object", f"opened {type(opened).__name__}, which lacks {quoted(missing)}")
            await self.__aexit__(type(wrong), wrong, None)
            raise wrong
        return opened

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._manager is None:
            return
        try:
            await self._manager.__aexit__(kind, error, traceback)
        except StarweaverError:
            raise
        except Exception as failure:
            if failure is not error:
                message = f"{self._filling.described} failed to close: {cause(failure)}"
                raise PluginError("close_failed", self._filling.plugin, message) from failure

    def _managed(self, made: object) -> AbstractAsyncContextManager[Any]:
        if inspect.iscoroutine(made):
            made.close()
        elif self._filling.kind in PLAIN:
            return nullcontext(made)
        if not isinstance(made, AbstractAsyncContextManager):
            wanted = "the object itself" if self._filling.kind in PLAIN else "an async context manager"
            raise self._problem("bad_factory", f"has a factory that returns {type(made).__name__}, wanted {wanted}")
        return made

    def _problem(self, problem: str, fault: str) -> StartupError:
        error = PluginError(
            problem,
            self._filling.plugin,
            f"{self._filling.described} {fault}",
            hint="run again with --traceback to see where" if problem == "open_failed" else None,
        )
        return StartupError(self._product, [error])


def _missing(opened: object, protocol: type | None) -> list[str]:
    """Members of the Protocol that the object does not have; one set to None is not had."""
    if protocol is None or isinstance(opened, protocol):
        return []
    wanted = {name for base in protocol.__mro__ for name in (*vars(base), *getattr(base, "__annotations__", ()))}
    public = {name for name in wanted if not name.startswith("_")}
    return [name for name in sorted(public) if getattr(opened, name, None) is None]


__all__ = [
    "LOOP_FREE",
    "NEEDS",
    "PLAIN",
    "PROTOCOLS",
    "Filling",
    "GrantedServices",
    "OpenProvider",
    "ServiceMissingError",
]
