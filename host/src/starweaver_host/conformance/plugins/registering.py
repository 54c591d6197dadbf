"""Rules of registrations: known hooks, right classes, names, versions, configuration."""

from __future__ import annotations

import re
from collections import Counter

import msgspec

from starweaver_host.contract.registration import CommandRegistration
from starweaver_host.contract.version import CONTRACT_VERSION, is_compatible

from .suite import HOOKS, PluginSuite

_NAME = re.compile(r"[a-z][a-z0-9]*([-_.][a-z0-9]+)*")


class RegisteringRules(PluginSuite):
    """A hook yields frozen values, the same ones each time."""

    def test_every_hook_is_known(self) -> None:
        """The plugin implements at least one hook, and none that does not exist.

        If this fails: a hook's name is misspelt, or `@hookimpl` is missing.
        """
        found = set(self.implementations())

        assert found
        assert sorted(found - set(HOOKS)) == []

    def test_hooks_yield_registrations_of_their_kind(self) -> None:
        """Each hook yields registrations of its own class, synchronously.

        If this fails: a hook is a coroutine, yields another kind's registration, or nothing at all.
        """
        wrong = [str(each) for each in self.offered() if not isinstance(each.registration, HOOKS[each.hook])]

        assert (wrong, self.offered() != []) == ([], True)

    def test_hooks_describe_the_same_each_time(self) -> None:
        """Calling a hook again gives equal registrations.

        If this fails: registrations are values; a factory made anew each time is another value.
        """
        assert self.offered() == self.offered()

    def test_names_are_plain_and_unique_per_kind(self) -> None:
        """A provider's name is lower case ASCII words, once per kind.

        If this fails: people type the name in configuration files.
        """
        names = [(each.hook, each.registration.name) for each in self.offered()]

        assert [name for _, name in names if not (_NAME.fullmatch(name) and len(name) <= 64)] == []
        assert [name for name, count in Counter(names).items() if count > 1] == []

    def test_summaries_are_one_line(self) -> None:
        """A summary is one short line without a full stop.

        If this fails: it is shown in a column beside the name.
        """
        summaries = [each.registration.summary for each in self.offered()]

        assert [text for text in summaries if not text.strip() or "\n" in text or text.endswith(".")] == []
        assert [text for text in summaries if len(text) > 120] == []

    def test_contract_version_fits_this_host(self) -> None:
        """Each registration names the contract it was built for, and this host offers it.

        If this fails: the plugin is refused before its factory runs. A version is written `major.minor`.
        """
        versions = {each.registration.contract for each in self.offered()}

        wrong = sorted(version for version in versions if not _fits(version))

        assert wrong == [], f"contract {CONTRACT_VERSION!r} was wanted, or an earlier minor of it, found {wrong}"

    def test_capabilities_are_words(self) -> None:
        """Capabilities are a frozen set of plain words.

        If this fails: products compare them by equality.
        """
        for each in self.offered():
            found = each.registration.capabilities
            assert isinstance(found, frozenset), str(each)
            assert [word for word in found if not _NAME.fullmatch(word)] == [], str(each)

    def test_configuration_refuses_unknown_keys(self) -> None:
        """A configuration class is a frozen struct that refuses keys it does not know.

        If this fails: give the class `frozen=True` and `forbid_unknown_fields=True`; a misspelt key is else ignored.
        """
        classes = {each.registration.config for each in self.offered()} - {None}

        for config in classes:
            assert config is not None
            assert issubclass(config, msgspec.Struct)
            assert (config.__struct_config__.frozen, config.__struct_config__.forbid_unknown_fields) == (True, True)

    def test_configuration_has_a_default_for_every_key(self) -> None:
        """A provider opens without configuration, unless the author's class says that it requires some.

        If this fails: give the key a default, or name the provider in `requires_config`.
        """
        for each in self.offered():
            config, required = each.registration.config, each.registration.name in self.requires_config
            if config is not None and not required:
                assert msgspec.convert({}, config) == config(), str(each)

    def test_required_configuration_is_required(self) -> None:
        """What `requires_config` names exists, and cannot be decoded from an empty table.

        If this fails: the exception is no longer needed, or misspelt.
        """
        configs = {each.registration.name: each.registration.config for each in self.offered()}

        assert sorted(self.requires_config - set(configs)) == []
        for name in self.requires_config:
            config = configs[name]
            assert config is not None
            assert any(field.required for field in msgspec.structs.fields(config)), name

    def test_commands_are_placed_and_load_late(self) -> None:
        """A command has a place made of words, and loads an object that can be called.

        If this fails: `path` is a tuple of words, `load` a function without arguments.
        """
        for each in self.offered():
            if isinstance(each.registration, CommandRegistration):
                assert each.registration.path
                assert [word for word in each.registration.path if not _NAME.fullmatch(word)] == []
                assert callable(each.registration.load())


def _fits(version: str) -> bool:
    try:
        return is_compatible(version, CONTRACT_VERSION)
    except ValueError:
        return False


__all__ = ["RegisteringRules"]
