"""The version of the contract and the rule that decides whether a plugin fits it.

A plugin names the contract version it was built for in each registration. Same major and a minor not above the
host's: it loads. Anything else is refused before a factory runs.
"""

from __future__ import annotations

import msgspec

CONTRACT_VERSION = "1.0"
"""Major changes break plugins; minor changes only add."""


class ContractVersion(msgspec.Struct, frozen=True, order=True):
    """A parsed `major.minor`."""

    major: int
    minor: int

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"


def parse_version(text: str) -> ContractVersion:
    """Parse `major.minor`; raises ValueError naming the text when it has another form."""
    major, dot, minor = text.partition(".")
    if not (dot and major.isascii() and major.isdigit() and minor.isascii() and minor.isdigit()):
        raise ValueError(f"contract version must be 'major.minor', found {text!r}")
    return ContractVersion(int(major), int(minor))


def is_compatible(required: str, offered: str = CONTRACT_VERSION) -> bool:
    """Tell whether a plugin built for `required` runs on a host that offers `offered`."""
    wanted, found = parse_version(required), parse_version(offered)
    return wanted.major == found.major and wanted.minor <= found.minor


__all__ = ["CONTRACT_VERSION", "ContractVersion", "is_compatible", "parse_version"]
