"""Lookups by kind and name, and the agreement between hooks, relay and registry."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, cast, get_args, get_type_hints

import pytest

from starweaver_host import hooks
from starweaver_host.contract.errors import PluginError
from starweaver_host.contract.registration import ProviderKind
from starweaver_host.offers import Registry
from starweaver_host.registry import HOOK_NAMES, HOOKS, HookKind

Hook = Callable[[str], str]


def test_offers_of_an_unknown_name_list_the_known_with_their_distributions(site: Any, hook: Hook) -> None:
    """An unknown provider is answered with what there is, and the nearest."""
    site.install("one", hook("yield from (store('sqlite'), store('lmdb'))"), distribution="alpha")
    registry = site.collect("one").registry

    with pytest.raises(PluginError) as caught:
        registry.session_stores.find("sqlit", where="desk.toml:3")

    assert caught.value.message == (
        "no plugin of this product offers session store 'sqlit' (named in desk.toml:3); "
        "offered: 'lmdb' of plugin 'one' (alpha 1.0), 'sqlite' of plugin 'one' (alpha 1.0)"
    )
    assert caught.value.hint == "did you mean 'sqlite'?"


def test_offers_carry_provenance_without_touching_the_registration(site: Any, hook: Hook) -> None:
    """An offer is the plugin's own value beside where it came from."""
    site.install("one", hook("yield store('lmdb')"), distribution="alpha")

    offer = site.collect("one").registry.session_stores.find("lmdb")

    assert (offer.name, offer.plugin.source) == ("lmdb", "alpha 1.0")
    assert offer.registration.summary == "s"


def test_registry_has_offers_of_every_provider_kind() -> None:
    """No kind of the contract is without a place in the registry."""
    registry = Registry([], [])

    assert {group.kind for group in registry} == set(get_args(ProviderKind))
    assert {registry.offers(kind).kind for kind in get_args(ProviderKind)} == set(get_args(ProviderKind))


def test_hook_relay_mirrors_the_specs_exactly() -> None:
    """The typed relay, the specs and the registry's table name the same hooks and results."""
    specs = {name: value for name, value in vars(hooks).items() if name.startswith("starweaver_")}
    relay = {name: value for name, value in vars(hooks.HookRelay).items() if name.startswith("starweaver_")}

    assert specs.keys() == relay.keys() == HOOK_NAMES
    for name, spec in specs.items():
        assert (get_type_hints(spec)["return"],) == get_args(get_type_hints(relay[name])["return"])


@pytest.mark.parametrize("kind", HOOKS, ids=lambda kind: kind.name)
def test_hook_table_pairs_each_hook_with_its_registration(kind: HookKind[Any]) -> None:
    """The registration class that is checked is the one that the spec promises, and calling calls that hook."""
    (promised,) = get_args(get_type_hints(getattr(hooks, kind.name))["return"])

    class Recorder:
        def __getattr__(self, name: str) -> Callable[[], list[object]]:
            return lambda: [name]

    assert promised is kind.registration
    assert kind.call(cast("hooks.HookRelay", Recorder())) == [kind.name]


def test_hook_specs_take_no_arguments_and_yield_nothing_themselves() -> None:
    """A spec is documentation; calling it is harmless."""
    for name in HOOK_NAMES:
        spec = getattr(hooks, name)
        assert inspect.signature(spec).parameters == {}
        assert tuple(spec()) == ()
