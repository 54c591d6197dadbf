"""The plugin `cli`: offers the front end `sw`. The command itself does not need it; listings and checks do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from starweaver_host.contract.registration import FrontEndRegistration
from starweaver_host.hooks import hookimpl


def run_sw(arguments: Sequence[str]) -> int:
    """Run `sw` with these arguments; its exit status."""
    from .main import main

    return main(arguments)


@hookimpl
def starweaver_front_ends() -> Iterable[FrontEndRegistration]:
    """Offer the front end `sw`."""
    yield FrontEndRegistration(
        name="sw",
        summary="search, read and manage sessions from a shell",
        contract="1.0",
        main=run_sw,
    )


__all__ = ["run_sw", "starweaver_front_ends"]
