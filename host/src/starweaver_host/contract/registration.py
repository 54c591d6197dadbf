"""How a plugin describes its providers: frozen registrations, one class per provider kind.

A hook yields registrations; the host decides what to build. A registration names the provider, the contract version
it was built for, its configuration class (a msgspec struct, or None for none) and a factory. The factory gets the
decoded configuration and a narrow context and returns an async context manager: entering opens the provider, leaving
closes it. Factories import the heavy part; the plugin module itself imports the contract only.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar

import msgspec

from .search import SessionSearchProvider
from .store import SessionStore
from .transcripts import TranscriptSource
from .values import Value

ProviderKind = Literal[
    "session_store",
    "search_provider",
    "transcript_source",
    "agent_handle",
    "toolset",
    "run_executor",
    "front_end",
    "text_policy",
    "command",
    "rpc_method",
]
T = TypeVar("T")


class Logger(Protocol):
    """The structured logger a provider gets: event name first, details as keys."""

    def debug(self, event: str, **details: object) -> None: ...

    def info(self, event: str, **details: object) -> None: ...

    def warning(self, event: str, **details: object) -> None: ...

    def error(self, event: str, **details: object) -> None: ...


class Clock(Protocol):
    """Time, so that tests own it."""

    def now(self) -> int:
        """UTC microseconds since the epoch."""
        ...

    def monotonic(self) -> float:
        """Seconds, for deadlines."""
        ...


class Offload(Protocol):
    """Runs a blocking function away from the event loop; a product with nothing else to do may run it inline."""

    async def __call__(self, function: Callable[..., T], /, *args: Any) -> T: ...


class Secret(msgspec.Struct, frozen=True):
    """A resolved secret whose repr hides it."""

    value: str

    def __repr__(self) -> str:
        return "Secret(****)"


class ProviderContext(msgspec.Struct, frozen=True, kw_only=True):
    """What a factory may use. `store` is set for kinds opened after it (search providers, handles, toolsets).

    `services` holds what the product grants to this kind, by name; a missing one is a KeyError in the factory, which
    the host reports as an unfilled slot.
    """

    product: str
    data_dir: Path
    config_dir: Path
    clock: Clock
    logger: Logger
    offload: Offload
    store: SessionStore | None = None
    services: Mapping[str, object] = {}


Factory = Callable[[Any, ProviderContext], AbstractAsyncContextManager[T]]


class Registration(Value, frozen=True, kw_only=True):
    """What every registration has. `name` is unique per kind in a product and is what configuration files say.

    `capabilities` are words; the host knows `loop_free`: with an inline offload the provider's coroutines never
    suspend, so that a one-shot command need not start an event loop.
    """

    name: str
    summary: str
    contract: str
    config: type[msgspec.Struct] | None = None
    capabilities: frozenset[str] = frozenset()


class SessionStoreRegistration(Registration, frozen=True, kw_only=True):
    """A SessionStore."""

    factory: Callable[[Any, ProviderContext], AbstractAsyncContextManager[SessionStore]]


class SearchProviderRegistration(Registration, frozen=True, kw_only=True):
    """A SessionSearchProvider; its context carries the store."""

    factory: Callable[[Any, ProviderContext], AbstractAsyncContextManager[SessionSearchProvider]]


class TranscriptSourceRegistration(Registration, frozen=True, kw_only=True):
    """A TranscriptSource. Synchronous and stateless, so the factory returns the object itself."""

    factory: Callable[[Any], TranscriptSource]


class AgentHandleRegistration(Registration, frozen=True, kw_only=True):
    """A query or control handle service. Provisional until the agent tools are complete."""

    factory: Callable[[Any, ProviderContext], AbstractAsyncContextManager[object]]


class ToolsetRegistration(Registration, frozen=True, kw_only=True):
    """A named bundle of tools. Provisional until the agent tools are complete."""

    factory: Callable[[Any, ProviderContext], object]


class RunExecutorRegistration(Registration, frozen=True, kw_only=True):
    """A RunExecutor. Provisional until the coordinator is complete."""

    factory: Callable[[Any, ProviderContext], AbstractAsyncContextManager[object]]


class FrontEndRegistration(Registration, frozen=True, kw_only=True):
    """A way in: `cli`, `rpc`, `mcp`, or a product's own. `main` takes argv (no program name), returns a status."""

    main: Callable[[Sequence[str]], int]


class TextPolicyRegistration(Registration, frozen=True, kw_only=True):
    """A policy applied to text that leaves the system. Provisional until the agent tools are complete."""

    factory: Callable[[Any, ProviderContext], object]


class CommandRegistration(Registration, frozen=True, kw_only=True):
    """A command for the CLI product. `path` places it (`("session", "export")`); `load` returns a click.Command.

    `load` is called only when the command runs or its own help is shown.
    """

    path: tuple[str, ...]
    load: Callable[[], object]


class RpcMethodRegistration(Registration, frozen=True, kw_only=True):
    """A method for the RPC product. `scope` is what a caller needs. Provisional until the RPC product is complete."""

    method: str
    scope: str
    params: type[msgspec.Struct]
    result: type[msgspec.Struct]
    handler: Callable[[Any, Any], Awaitable[Any]]


__all__ = [
    "AgentHandleRegistration",
    "Clock",
    "CommandRegistration",
    "Factory",
    "FrontEndRegistration",
    "Logger",
    "Offload",
    "ProviderContext",
    "ProviderKind",
    "Registration",
    "RpcMethodRegistration",
    "RunExecutorRegistration",
    "SearchProviderRegistration",
    "Secret",
    "SessionStoreRegistration",
    "TextPolicyRegistration",
    "ToolsetRegistration",
    "TranscriptSourceRegistration",
]
