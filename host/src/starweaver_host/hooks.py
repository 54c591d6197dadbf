"""The hooks: one per provider kind, each yielding frozen registrations.

A plugin is a module (its entry point in group `starweaver.plugins`) with functions marked `@hookimpl`. Hooks are
synchronous, take no arguments, are called once while a product is composed, and must not open anything: they describe.

    from starweaver_host.contract.registration import SessionStoreRegistration
    from starweaver_host.hooks import hookimpl

    @hookimpl
    def starweaver_session_stores():
        yield SessionStoreRegistration(name="lmdb", summary="...", contract="1.0", factory=open_store)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

import pluggy

from .contract.registration import (
    AgentHandleRegistration,
    CommandRegistration,
    FrontEndRegistration,
    RpcMethodRegistration,
    RunExecutorRegistration,
    SearchProviderRegistration,
    SessionStoreRegistration,
    TextPolicyRegistration,
    ToolsetRegistration,
    TranscriptSourceRegistration,
)

PROJECT = "starweaver"
ENTRY_POINT_GROUP = "starweaver.plugins"

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def starweaver_session_stores() -> Iterable[SessionStoreRegistration]:
    """Yield the SessionStores this plugin offers."""
    return ()


@hookspec
def starweaver_search_providers() -> Iterable[SearchProviderRegistration]:
    """Yield the search providers this plugin offers."""
    return ()


@hookspec
def starweaver_transcript_sources() -> Iterable[TranscriptSourceRegistration]:
    """Yield the importers this plugin offers."""
    return ()


@hookspec
def starweaver_agent_handles() -> Iterable[AgentHandleRegistration]:
    """Yield the agent handle services this plugin offers."""
    return ()


@hookspec
def starweaver_toolsets() -> Iterable[ToolsetRegistration]:
    """Yield the tool bundles this plugin offers."""
    return ()


@hookspec
def starweaver_run_executors() -> Iterable[RunExecutorRegistration]:
    """Yield the run executors this plugin offers."""
    return ()


@hookspec
def starweaver_front_ends() -> Iterable[FrontEndRegistration]:
    """Yield the front ends this plugin offers."""
    return ()


@hookspec
def starweaver_text_policies() -> Iterable[TextPolicyRegistration]:
    """Yield the text policies this plugin offers."""
    return ()


@hookspec
def starweaver_commands() -> Iterable[CommandRegistration]:
    """Yield commands for the CLI product."""
    return ()


@hookspec
def starweaver_rpc_methods() -> Iterable[RpcMethodRegistration]:
    """Yield methods for the RPC product."""
    return ()


class HookRelay(Protocol):
    """The relay as the registry sees it: pluggy's own is untyped. A test compares it with the specs above."""

    def starweaver_session_stores(self) -> list[Iterable[SessionStoreRegistration]]: ...

    def starweaver_search_providers(self) -> list[Iterable[SearchProviderRegistration]]: ...

    def starweaver_transcript_sources(self) -> list[Iterable[TranscriptSourceRegistration]]: ...

    def starweaver_agent_handles(self) -> list[Iterable[AgentHandleRegistration]]: ...

    def starweaver_toolsets(self) -> list[Iterable[ToolsetRegistration]]: ...

    def starweaver_run_executors(self) -> list[Iterable[RunExecutorRegistration]]: ...

    def starweaver_front_ends(self) -> list[Iterable[FrontEndRegistration]]: ...

    def starweaver_text_policies(self) -> list[Iterable[TextPolicyRegistration]]: ...

    def starweaver_commands(self) -> list[Iterable[CommandRegistration]]: ...

    def starweaver_rpc_methods(self) -> list[Iterable[RpcMethodRegistration]]: ...


__all__ = [
    "ENTRY_POINT_GROUP",
    "PROJECT",
    "HookRelay",
    "hookimpl",
    "hookspec",
    "starweaver_agent_handles",
    "starweaver_commands",
    "starweaver_front_ends",
    "starweaver_rpc_methods",
    "starweaver_run_executors",
    "starweaver_search_providers",
    "starweaver_session_stores",
    "starweaver_text_policies",
    "starweaver_toolsets",
    "starweaver_transcript_sources",
]
