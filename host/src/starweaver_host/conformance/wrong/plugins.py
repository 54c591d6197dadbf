"""Every wrong plugin, by the module it is."""

from __future__ import annotations

from .kinds import Wrong, wrong

_MODULES = "starweaver_host.conformance.wrong.modules"
SOUND = f"{_MODULES}.sound"


def _plugin(module: str, test: str, *groups: str) -> Wrong:
    """Describe a wrong plugin; its `provider` is a class that says `plugin_module`."""
    said = type(module.capitalize(), (), {"plugin_module": f"{_MODULES}.{module}", "__doc__": "Names a module."})
    return wrong(said, test, *groups)


WRONG_PLUGINS = (
    _plugin("heavy", "test_plugin_imports_no_heavy_part_of_the_library", "ImportingRules"),
    _plugin("nosy", "test_plugin_imports_nothing_but_the_contract", "ImportingRules"),
    _plugin("talkative", "test_importing_the_plugin_does_nothing", "ImportingRules"),
    _plugin("misspelt", "test_every_hook_is_known", "RegisteringRules"),
    _plugin("futuristic", "test_contract_version_fits_this_host", "RegisteringRules"),
    _plugin("wordy", "test_contract_version_fits_this_host", "RegisteringRules"),
    _plugin("repetitive", "test_names_are_plain_and_unique_per_kind", "RegisteringRules"),
    _plugin("demanding", "test_configuration_has_a_default_for_every_key", "RegisteringRules"),
    _plugin("careless", "test_configuration_refuses_unknown_keys", "RegisteringRules"),
    _plugin("eager", "test_factories_open_nothing", "OpeningRules"),
    _plugin("halfway", "test_entered_provider_is_what_its_kind_says", "OpeningRules"),
)

__all__ = ["SOUND", "WRONG_PLUGINS"]
