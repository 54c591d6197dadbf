"""Directories follow our variables first, then each platform's rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from starweaver_host.config.places import find_places

HOME = Path("/home/ada")


@pytest.mark.parametrize(
    ("platform", "environ", "config", "data"),
    [
        ("linux", {}, "/home/ada/.config/starweaver", "/home/ada/.local/share/starweaver"),
        (
            "linux",
            {"XDG_CONFIG_HOME": "/cfg", "XDG_DATA_HOME": "/dat"},
            "/cfg/starweaver",
            "/dat/starweaver",
        ),
        (
            "linux",
            {"XDG_CONFIG_HOME": "", "XDG_DATA_HOME": "relative"},
            "/home/ada/.config/starweaver",
            "/home/ada/.local/share/starweaver",
        ),
        ("freebsd14", {}, "/home/ada/.config/starweaver", "/home/ada/.local/share/starweaver"),
        (
            "darwin",
            {"XDG_CONFIG_HOME": "/cfg"},
            "/home/ada/Library/Application Support/starweaver",
            "/home/ada/Library/Application Support/starweaver",
        ),
        (
            "win32",
            {"APPDATA": "/roam", "LOCALAPPDATA": "/loc"},
            "/roam/starweaver",
            "/loc/starweaver",
        ),
        ("win32", {}, "/home/ada/AppData/Roaming/starweaver", "/home/ada/AppData/Local/starweaver"),
        (
            "darwin",
            {"STARWEAVER_CONFIG_DIR": "/mine", "STARWEAVER_DATA_DIR": "/yours"},
            "/mine",
            "/yours",
        ),
    ],
)
def test_places_follow_the_platform(platform: str, environ: dict[str, str], config: str, data: str) -> None:
    """Each platform has its directories; an override wins everywhere; relative XDG values count as unset."""
    places = find_places(environ, home=HOME, platform=platform)

    assert (Path(config), Path(data)) == (places.config.path, places.data.path)


def test_places_say_which_rule_chose_them() -> None:
    """A person who asks where a file is also hears why."""
    places = find_places({"STARWEAVER_DATA_DIR": "/yours"}, home=HOME, platform="linux")

    assert (places.config.reason, places.data.reason) == ("default of XDG_CONFIG_HOME", "STARWEAVER_DATA_DIR")
