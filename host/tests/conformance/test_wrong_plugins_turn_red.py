"""The plugin suite is honest: each wrong plugin fails its named test and nothing in unrelated groups."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from starweaver_host.conformance.plugins import PluginConformance
from starweaver_host.conformance.wrong.plugins import SOUND, WRONG_PLUGINS

FILE = """
from starweaver_host.conformance.plugins import PluginConformance
from starweaver_host.conformance.wrong.plugins import WRONG_PLUGINS


def suite(wrong):
    members = {"__module__": __name__, "plugin_module": wrong.provider.plugin_module}
    return type(f"Test{wrong.name}", (PluginConformance,), members)


globals().update({f"Test{wrong.name}": suite(wrong) for wrong in WRONG_PLUGINS})
"""


class TestSoundPlugin(PluginConformance):
    """What the wrong plugins differ from keeps every rule."""

    plugin_module = SOUND


def test_each_wrong_plugin_fails_its_named_test_and_no_unrelated_group(
    run_suites: Callable[..., Any], faults: Callable[..., Any]
) -> None:
    """A wrong plugin turns its named test red, and no test outside the groups it is said to touch."""
    outcome = run_suites(FILE, WRONG_PLUGINS)

    assert faults(outcome, WRONG_PLUGINS) == ([], {})
    assert all(outcome.passed[f"Test{wrong.name}"] > 8 for wrong in WRONG_PLUGINS)
