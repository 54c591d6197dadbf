"""Everything that can be wrong with a listed plugin is a problem with a word, a message and a remedy."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

from starweaver_host.contract.errors import PluginError, StartupError
from starweaver_host.discovery import Listing
from starweaver_host.registry import load_registry
from starweaver_host.testing import install_distribution

Hook = Callable[[str], str]


def test_registry_of_an_absent_plugin_says_what_to_install(site: Any, hook: Hook) -> None:
    """A plugin of this repository that is not installed comes with the distribution to install."""
    site.install("other", hook("yield store()"))

    word, message, hint = site.problem("other", "fts-search")

    assert word == "not_installed"
    assert message == "plugin 'fts-search' is not installed (named in desk.toml:7); installed: 'other'"
    assert hint == "install starweaver-fts-search, or remove it from plugins"


def test_registry_of_a_misspelt_plugin_names_the_nearest(site: Any, hook: Hook) -> None:
    """A name close to a known one comes with that one."""
    site.install("transcripts", hook("yield store()"))

    assert site.problem("transcipts")[2] == "did you mean 'transcripts'?"


def test_registry_of_a_plugin_installed_twice_names_both_distributions(site: Any, hook: Hook) -> None:
    """Neither of two distributions with one plugin name is chosen in silence."""
    one = site.install("same", hook("yield store()"), distribution="alpha")
    two = site.install("same", hook("yield store()"), distribution="beta")

    word, message, hint = site.problem("same")

    assert word == "installed_twice"
    assert f"alpha 1.0 as {one!r}, beta 1.0 as {two!r}" in message
    assert hint == "uninstall alpha or beta"
    assert one not in sys.modules
    assert two not in sys.modules


def test_registry_of_a_failing_import_keeps_its_cause(site: Any) -> None:
    """The report says what the import raised, and the exception is kept for a traceback."""
    site.install("bad", "raise RuntimeError('no licence\\nsecond line')")

    (problem,) = site.collect("bad").problems

    assert problem.problem == "import_failed"
    assert problem.message.endswith("failed to import (named in desk.toml:7): RuntimeError: no licence")
    assert isinstance(problem.__cause__, RuntimeError)


def test_registry_of_a_plugin_that_exits_on_import_reports_it(site: Any) -> None:
    """A plugin cannot end the program that lists it."""
    site.install("quits", "raise SystemExit(3)")

    assert site.problem("quits")[0] == "import_failed"


def test_registry_of_a_plugin_with_a_missing_dependency_names_the_dependency(site: Any) -> None:
    """A plugin that is there but lacks a library is not reported as absent."""
    site.install("needs", "import library_nobody_has")

    word, message, hint = site.problem("needs")

    assert word == "import_failed"
    assert "needs module 'library_nobody_has', which is not installed" in message
    assert hint == "install what provides 'library_nobody_has'"


def test_registry_of_metadata_without_its_module_says_so(site: Any) -> None:
    """Metadata that names a module nobody installed is a broken installation."""
    install_distribution(site.folder, "hollow", plugins={"hollow": "hollow_pkg.plugin"})

    word, message, hint = site.problem("hollow")

    assert word == "import_failed"
    assert "names module 'hollow_pkg.plugin', which is not there" in message
    assert hint == "reinstall hollow"


def test_registry_of_an_entry_point_with_an_attribute_refuses_it(site: Any) -> None:
    """A plugin is a module."""
    install_distribution(site.folder, "attr", plugins={"attr": "os:path"})

    assert site.problem("attr")[0] == "bad_entry_point"


def test_registry_of_a_plugin_listed_twice_says_so(site: Any, hook: Hook) -> None:
    """A list that says a plugin twice is a mistake in the list."""
    site.install("once", hook("yield store()"))

    assert site.problem("once", "once")[0] == "doubled_listing"


@pytest.mark.parametrize("contract", ["2.0", "1.99", "0.9"])
def test_registry_of_another_contract_version_names_both_versions(site: Any, hook: Hook, contract: str) -> None:
    """Another major, or a newer minor, is refused before a factory runs."""
    site.install("newer", hook(f"yield store(contract={contract!r})"))

    word, message, _ = site.problem("newer")

    assert word == "contract_mismatch"
    assert f"is built for contract {contract}, this host offers 1.0" in message


def test_registry_of_a_misspelt_hook_names_the_nearest(site: Any) -> None:
    """A marked function that is no hook would otherwise offer nothing in silence."""
    site.install("typo", "@hookimpl\ndef starweaver_session_store():\n    yield store()\n")

    word, message, hint = site.problem("typo")

    assert word == "misspelt_hook"
    assert "'starweaver_session_store'" in message
    assert hint == "did you mean 'starweaver_session_stores'?"


def test_registry_of_an_optional_unknown_hook_accepts_it(site: Any, hook: Hook) -> None:
    """A plugin may carry a hook of a newer host when it says that the hook is optional."""
    newer = "@hookimpl(optionalhook=True)\ndef starweaver_future():\n    yield 1\n"
    site.install("newer", hook("yield store()") + newer)

    assert site.collect("newer").problems == ()


def test_registry_of_an_unmarked_hook_says_what_it_lacks(site: Any) -> None:
    """A function with a hook's name and no mark is a forgotten mark."""
    site.install("bare", "def starweaver_session_stores():\n    yield store()\n")

    assert site.problem("bare")[0] == "unmarked_hook"


def test_registry_of_a_plugin_without_hooks_says_so(site: Any) -> None:
    """A plugin that implements nothing is the wrong module."""
    site.install("empty", "x = 1\n")

    assert site.problem("empty")[0] == "no_hooks"


def test_registry_of_a_hook_with_arguments_refuses_it(site: Any) -> None:
    """Hooks take no arguments; pluggy's complaint is kept."""
    site.install("args", "@hookimpl\ndef starweaver_session_stores(config):\n    yield store()\n")

    word, message, hint = site.problem("args")

    assert word == "bad_hook"
    assert "config" in message
    assert hint == "hooks take no arguments"


def test_registry_of_a_hook_wrapper_refuses_it(site: Any, hook: Hook) -> None:
    """No plugin stands between the host and another plugin."""
    wrapper = "@hookimpl(wrapper=True)\ndef starweaver_search_providers():\n    return (yield)\n"
    site.install("wraps", hook("yield store()") + wrapper)

    assert "bad_hook" in {problem.problem for problem in site.collect("wraps").problems}


@pytest.mark.parametrize(
    ("source", "word"),
    [
        ("@hookimpl\nasync def starweaver_session_stores():\n    return [store()]\n", "awaitable_result"),
        ("@hookimpl\nasync def starweaver_session_stores():\n    yield store()\n", "awaitable_result"),
        ("@hookimpl\ndef starweaver_session_stores():\n    return None\n", "bad_result"),
        ("@hookimpl\ndef starweaver_session_stores():\n    return 'lmdb'\n", "bad_result"),
        ("@hookimpl\ndef starweaver_session_stores():\n    return store()\n", "bad_result"),
        ("@hookimpl\ndef starweaver_session_stores():\n    return {'lmdb': store()}\n", "bad_result"),
        ("@hookimpl\ndef starweaver_session_stores():\n    return 3\n", "bad_result"),
        ("@hookimpl\ndef starweaver_session_stores():\n    raise ValueError('x')\n", "hook_failed"),
        ("@hookimpl\ndef starweaver_session_stores():\n    yield store()\n    raise SystemExit\n", "hook_failed"),
        ("@hookimpl\ndef starweaver_session_stores():\n    yield object()\n", "bad_registration"),
        ("@hookimpl\ndef starweaver_search_providers():\n    yield store()\n", "bad_registration"),
    ],
)
def test_registry_of_a_hook_that_answers_wrongly_names_the_fault(site: Any, source: str, word: str) -> None:
    """Every way in which a hook's result is not registrations has its word."""
    site.install("wrong", source)

    assert site.problem("wrong")[0] == word


@pytest.mark.parametrize(
    "changes",
    [
        "name=None",
        "name='Upper Case'",
        "name=''",
        "summary=''",
        "summary='two\\nlines'",
        "config=dict",
        "config=3",
        "capabilities=['a']",
        "capabilities=frozenset({1})",
        "factory=None",
        "contract='one'",
        "contract=1",
    ],
)
def test_registry_of_a_registration_with_a_wrong_field_refuses_it(site: Any, hook: Hook, changes: str) -> None:
    """A registration is checked field by field, because constructing one checks nothing."""
    site.install("field", hook(f"yield store(**dict({changes}))"))

    assert site.problem("field")[0] == "bad_registration"


def test_registry_of_a_provider_offered_by_two_plugins_names_both(site: Any, hook: Hook) -> None:
    """Nothing is replaced by another provider in silence."""
    site.install("one", hook("yield store('lmdb')"), distribution="alpha")
    site.install("two", hook("yield store('lmdb')"), distribution="beta")

    collected = site.collect("one", "two")
    (problem,) = collected.problems

    assert problem.problem == "doubled_provider"
    assert "'lmdb' of plugin 'one' (alpha 1.0) and 'lmdb' of plugin 'two' (beta 1.0)" in problem.message
    assert [offer.plugin.plugin for offer in collected.registry.session_stores] == ["one"]


def test_registry_of_one_plugin_offering_a_name_twice_refuses_it(site: Any, hook: Hook) -> None:
    """The rule holds inside one plugin."""
    site.install("one", hook("yield from (store('lmdb'), store('lmdb'))"))

    assert site.problem("one")[0] == "doubled_provider"


def test_registry_of_one_command_path_offered_twice_refuses_it(site: Any) -> None:
    """Two commands cannot stand in one place, whatever their names."""
    command = (
        "@hookimpl\ndef starweaver_commands():\n"
        "    yield CommandRegistration(name={!r}, summary='s', contract='1.0', path=('session', 'x'), load=print)\n"
    )
    site.install("one", command.format("a"))
    site.install("two", command.format("b"))

    assert site.problem("one", "two")[0] == "doubled_provider"


def test_registry_of_one_module_under_two_names_refuses_it(site: Any, hook: Hook) -> None:
    """Listing one module as two plugins offers nothing more."""
    module = site.install("one", hook("yield store()"))
    install_distribution(site.folder, "alias", plugins={"two": module})

    assert site.problem("one", "two")[0] == "doubled_module"


def test_registry_gathers_every_problem_of_every_plugin_in_list_order(site: Any, hook: Hook) -> None:
    """One report, complete, so that one repair is enough."""
    site.install("breaks", "raise ValueError('x')")
    site.install("typo", "@hookimpl\ndef starweaver_store():\n    yield 1\n")
    site.install("raises", hook("raise ValueError"))
    site.install("fine", hook("yield store()"))

    with pytest.raises(StartupError) as caught:
        load_registry("desk", [Listing(name) for name in ("absent", "breaks", "typo", "raises", "fine")], site.found())

    words = [(p.plugin, p.problem) for p in caught.value.problems if isinstance(p, PluginError)]
    assert words == [
        ("absent", "not_installed"),
        ("breaks", "import_failed"),
        ("typo", "misspelt_hook"),
        ("raises", "hook_failed"),
    ]


def test_registry_of_one_failing_hook_keeps_the_other_plugins_offers(site: Any, hook: Hook) -> None:
    """One plugin's exception hides no other plugin's result."""
    site.install("raises", hook("raise ValueError"))
    site.install("fine", hook("yield store('fine')"))

    assert site.collect("raises", "fine").registry.session_stores.names == ("fine",)


def test_registry_imports_listed_plugins_only(site: Any, hook: Hook) -> None:
    """Installed is not enabled."""
    listed = site.install("listed", hook("yield store()"))
    unlisted = site.install("unlisted", "raise SystemExit('imported')")

    assert site.collect("listed").problems == ()
    assert listed in sys.modules
    assert unlisted not in sys.modules


def test_registry_keeps_the_order_of_the_list(site: Any, hook: Hook) -> None:
    """Where order matters it is the list's, not that of installation or registration."""
    for name in ("a", "b", "c"):
        site.install(name, hook(f"yield store({name!r})"))

    assert site.collect("c", "a", "b").registry.session_stores.names == ("c", "a", "b")


def test_registry_of_two_calls_shares_nothing(site: Any, hook: Hook) -> None:
    """There is no global manager: collecting twice is collecting twice."""
    site.install("one", hook("yield store()"))

    assert site.collect("one").problems == ()
    assert site.collect("one").problems == ()
