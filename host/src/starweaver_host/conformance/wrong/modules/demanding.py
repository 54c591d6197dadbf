"""A plugin with a key that has no default, and that nobody was told about."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from starweaver_host.contract.registration import ProviderContext, TextPolicyRegistration
from starweaver_host.hooks import hookimpl


class DemandingConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One key, and no default."""

    server: str


def make_policy(config: Any, context: ProviderContext) -> object:
    """Make a policy."""
    return (config, context)


@hookimpl
def starweaver_text_policies() -> Iterator[TextPolicyRegistration]:
    """Offer one policy."""
    yield TextPolicyRegistration(
        name="demanding", summary="a policy", contract="1.0", config=DemandingConfig, factory=make_policy
    )


__all__ = ["DemandingConfig", "make_policy", "starweaver_text_policies"]
