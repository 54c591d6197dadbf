"""What the plugins of a product offer: registrations with their provenance, looked up by kind and name.

Values only; nothing here imports a plugin or a plugin library. The registry fills it, the composition root reads it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from .contract.errors import PluginError
from .contract.registration import (
    AgentHandleRegistration,
    CommandRegistration,
    FrontEndRegistration,
    ProviderKind,
    Registration,
    RpcMethodRegistration,
    RunExecutorRegistration,
    SearchProviderRegistration,
    SessionStoreRegistration,
    TextPolicyRegistration,
    ToolsetRegistration,
    TranscriptSourceRegistration,
)
from .discovery import Candidate
from .wording import suggestion

R_co = TypeVar("R_co", bound=Registration, covariant=True)
R = TypeVar("R", bound=Registration)


class Offer(NamedTuple, Generic[R_co]):
    """One registration and the plugin it came from."""

    registration: R_co
    plugin: Candidate

    @property
    def name(self) -> str:
        """The provider name that configuration files say."""
        return self.registration.name

    @property
    def described(self) -> str:
        """`'name' of plugin 'plugin' (distribution version)`, for messages."""
        return f"{self.name!r} of plugin {self.plugin.plugin!r} ({self.plugin.source})"


class Offers(Generic[R]):
    """The offers of one kind, in the order of the product's plugin list; names are unique."""

    def __init__(self, kind: ProviderKind, offers: Sequence[Offer[R]] = ()) -> None:
        self.kind = kind
        self._by_name = {offer.name: offer for offer in offers}

    def __iter__(self) -> Iterator[Offer[R]]:
        return iter(self._by_name.values())

    def __len__(self) -> int:
        return len(self._by_name)

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    @property
    def names(self) -> tuple[str, ...]:
        """The provider names, in order."""
        return tuple(self._by_name)

    def find(self, name: str, *, where: str | None = None) -> Offer[R]:
        """The offer of that name; PluginError `unknown_provider` lists what is there. `where` says who asked."""
        found = self._by_name.get(name)
        if found is not None:
            return found
        known = ", ".join(sorted(offer.described for offer in self)) or "none"
        asked = "" if where is None else f" (named in {where})"
        raise PluginError(
            "unknown_provider",
            name,
            f"no plugin of this product offers {_words(self.kind)} {name!r}{asked}; offered: {known}",
            hint=suggestion(name, self._by_name)
            or "add the plugin that offers it to plugins, or name another provider",
        )


class Registry:
    """Every offer of a product's plugins, one attribute per kind, and the plugins in list order."""

    def __init__(self, plugins: Sequence[Candidate], offers: Sequence[Offer[Registration]]) -> None:
        self.plugins = tuple(plugins)
        self.session_stores = _select("session_store", SessionStoreRegistration, offers)
        self.search_providers = _select("search_provider", SearchProviderRegistration, offers)
        self.transcript_sources = _select("transcript_source", TranscriptSourceRegistration, offers)
        self.agent_handles = _select("agent_handle", AgentHandleRegistration, offers)
        self.toolsets = _select("toolset", ToolsetRegistration, offers)
        self.run_executors = _select("run_executor", RunExecutorRegistration, offers)
        self.front_ends = _select("front_end", FrontEndRegistration, offers)
        self.text_policies = _select("text_policy", TextPolicyRegistration, offers)
        self.commands = _select("command", CommandRegistration, offers)
        self.rpc_methods = _select("rpc_method", RpcMethodRegistration, offers)

    def offers(self, kind: ProviderKind) -> Offers[Any]:
        """The offers of a kind that is known only as a word, for code that treats kinds alike."""
        return next(group for group in self if group.kind == kind)

    def __iter__(self) -> Iterator[Offers[Any]]:
        """Every kind, also empty ones."""
        return (value for value in vars(self).values() if isinstance(value, Offers))


def _select(kind: ProviderKind, registration: type[R], offers: Sequence[Offer[Registration]]) -> Offers[R]:
    return Offers(kind, [Offer(o.registration, o.plugin) for o in offers if isinstance(o.registration, registration)])


def _words(kind: str) -> str:
    return kind.replace("_", " ")


__all__ = ["Offer", "Offers", "Registry"]
